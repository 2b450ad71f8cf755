"""Blocking and unblocking, and the list of those one blocks."""

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

from . import store as blocks

bp = Blueprint("blocks", __name__)


@bp.post("/@<login>/block")
def block(login: str) -> Response:
    """Blocks a member."""
    _consume_follow_limit()
    member = blocks.block(db(), config(), g.viewer.uid, login)
    flash(_("@%(login)s is blocked.", login=member.login))
    return _back_to_profile(member.login)


@bp.post("/@<login>/unblock")
def unblock(login: str) -> Response:
    """Unblocks a member."""
    _consume_follow_limit()
    member = blocks.unblock(db(), config(), g.viewer.uid, login)
    flash(_("@%(login)s is not blocked any more.", login=member.login))
    return _back_to_profile(member.login)


@bp.get("/settings/blocks")
def index() -> FlaskResponse:
    """Whom one blocks."""
    page = blocks.page(db(), g.viewer.uid, cursor(), config().page_size)
    return no_store_page(render_template("following/blocks.html", page=page))


def _consume_follow_limit() -> None:
    rate_limits.consume(db(), ("follow", str(g.viewer.uid), config().limit_follow))


def _back_to_profile(login: str) -> Response:
    return redirect_back(url_for("timelines.profile", login=login))
