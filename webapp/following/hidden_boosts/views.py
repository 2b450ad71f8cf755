"""Hiding a member's boosts, showing them again, and the list of those one hides."""

from __future__ import annotations

from flask import Blueprint, flash, g, render_template
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.web.context import config, db, site
from webapp.core.web.pagination import cursor
from webapp.core.web.rate_limits import rate_limited
from webapp.core.web.security import no_store_page
from webapp.following.redirects import redirect_to_profile

from . import store

bp = Blueprint("hidden_boosts", __name__)


@bp.post("/@<login:login>/hide-boosts")
@rate_limited("follow")
def hide(login: str) -> Response:
    """Hide a member's boosts from the viewer's home."""
    member = store.hide(site(), g.viewer.uid, login)
    flash(_("Boosts by @%(login)s won’t show on your home page.", login=member.login))
    return redirect_to_profile(member.login)


@bp.post("/@<login:login>/show-boosts")
@rate_limited("follow")
def show(login: str) -> Response:
    """Show a member's boosts on the viewer's home again."""
    member = store.show(site(), g.viewer.uid, login)
    flash(_("Boosts by @%(login)s show on your home page again.", login=member.login))
    return redirect_to_profile(member.login)


@bp.get("/settings/hidden-boosts")
def index() -> FlaskResponse:
    """Show whose boosts the viewer hides."""
    page = store.page(db(), g.viewer.uid, cursor(), config().page_size)
    return no_store_page(render_template("following/hidden_boosts.html", page=page))
