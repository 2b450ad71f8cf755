"""The page of people to follow, the short list beside other pages, and dismissing."""

from __future__ import annotations

from flask import Blueprint, g, render_template, url_for
from flask import Response as FlaskResponse
from werkzeug.wrappers import Response

from webapp.core.web.context import db
from webapp.core.web.rate_limits import rate_limited
from webapp.core.web.redirects import redirect_back
from webapp.core.web.security import no_store_page

from . import store

bp = Blueprint("suggestions", __name__)
PAGE = 50  # suggestions of the page
FEW = 3  # suggestions beside other pages


@bp.get("/explore/people")
def index() -> FlaskResponse:
    """Show whom the viewer may want to follow."""
    found = store.suggested(db(), g.viewer.uid, PAGE)
    return no_store_page(render_template("suggestions/index.html", suggested=found))


@bp.get("/explore/people/few")
def few() -> FlaskResponse:
    """Show the best suggestions without a page around them, for an open page."""
    found = store.suggested(db(), g.viewer.uid, FEW)
    return no_store_page(render_template("suggestions/few.html", suggested=found))


@bp.post("/@<login:login>/dismiss")
@rate_limited("follow", "dismiss")
def dismiss(login: str) -> Response:
    """Never suggest a member to the viewer again."""
    store.dismiss(db(), g.viewer.uid, login)
    return redirect_back(url_for("suggestions.index"))
