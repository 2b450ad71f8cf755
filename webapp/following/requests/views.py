"""Who asks to follow a protected member, the answers, and removing a follower."""

from __future__ import annotations

from flask import Blueprint, flash, g, render_template, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.pagination import cursor
from webapp.core.web.redirects import redirect_back
from webapp.core.web.security import no_store_page

from . import store as requests

bp = Blueprint("requests", __name__)


@bp.get("/requests")
def index() -> FlaskResponse:
    """Who asks to follow."""
    page = requests.page(db(), g.viewer.uid, cursor(), config().page_size)
    return no_store_page(render_template("following/requests.html", page=page))


@bp.post("/@<login>/accept")
def accept(login: str) -> Response:
    """Accepts a request."""
    return _answer(login, True, _("@%(login)s may follow you now.", login=login))


@bp.post("/@<login>/refuse")
def refuse(login: str) -> Response:
    """Refuses a request."""
    return _answer(
        login, False, _("The request of @%(login)s is refused. They are not told.", login=login)
    )


@bp.post("/@<login>/remove-follower")
def remove_follower(login: str) -> Response:
    """Removes a follower."""
    _consume_follow_limit()
    if requests.remove_follower(db(), config(), g.viewer.uid, login):
        flash(_("@%(login)s does not follow you any more. They are not told.", login=login))
    return _redirect_back_or(url_for("following.followers", login=g.viewer.login))


def _answer(login: str, accepted: bool, message: str) -> Response:
    _consume_follow_limit()
    if requests.answer(db(), config(), g.viewer.uid, login, accepted):
        flash(message)
    else:
        flash(_("This request is not there any more."))
    return _redirect_back_or(url_for("requests.index"))


def _consume_follow_limit() -> None:
    rate_limits.consume(db(), ("follow", str(g.viewer.uid), config().limit_follow))


def _redirect_back_or(default_url: str) -> Response:
    return redirect_back(default_url)
