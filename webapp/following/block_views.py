"""Blocking and unblocking, and the list of those one blocks."""

from __future__ import annotations

from flask import Blueprint, flash, g, render_template, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from .. import limits
from ..app import config, db
from ..paging import cursor
from ..security import back, unkept
from . import blocks

bp = Blueprint("blocks", __name__)


@bp.post("/@<login>/block")
def block(login: str) -> Response:
    """Blocks a member."""
    _count()
    member = blocks.block(db(), config(), g.viewer.uid, login)
    flash(_("@%(login)s is blocked.", login=member.login))
    return _back(member.login)


@bp.post("/@<login>/unblock")
def unblock(login: str) -> Response:
    """Unblocks a member."""
    _count()
    member = blocks.unblock(db(), config(), g.viewer.uid, login)
    flash(_("@%(login)s is not blocked any more.", login=member.login))
    return _back(member.login)


@bp.get("/settings/blocks")
def index() -> FlaskResponse:
    """Whom one blocks."""
    page = blocks.listed(db(), g.viewer.uid, cursor(), config().page_size)
    return unkept(render_template("settings/blocks.html", page=page))


def _count() -> None:
    limits.take(db(), ("follow", str(g.viewer.uid), config().limit_follow))


def _back(login: str) -> Response:
    return back(url_for("timelines.profile", login=login))
