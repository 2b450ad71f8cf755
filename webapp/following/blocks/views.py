"""Blocking and unblocking, and the list of those one blocks."""

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

from . import store as blocks

bp = Blueprint("blocks", __name__)


@bp.post("/@<login:login>/block")
@rate_limited("follow")
def block(login: str) -> Response:
    """Block a member."""
    member = blocks.block(site(), g.viewer.uid, login)
    flash(_("@%(login)s is blocked.", login=member.login))
    return redirect_to_profile(member.login)


@bp.post("/@<login:login>/unblock")
@rate_limited("follow")
def unblock(login: str) -> Response:
    """Unblock a member."""
    member = blocks.unblock(site(), g.viewer.uid, login)
    flash(_("@%(login)s is unblocked.", login=member.login))
    return redirect_to_profile(member.login)


@bp.get("/settings/blocks")
def index() -> FlaskResponse:
    """Show whom the viewer blocks."""
    page = blocks.page(db(), g.viewer.uid, cursor(), config().page_size)
    return no_store_page(render_template("following/blocks.html", page=page))
