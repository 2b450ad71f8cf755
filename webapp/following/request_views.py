"""Who asks to follow a protected member, the answers, and removing a follower."""

from __future__ import annotations

from flask import Blueprint, flash, g, render_template, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from .. import limits
from ..app import config, db
from ..paging import cursor
from ..security import back, unkept
from . import requests

bp = Blueprint("requests", __name__)


@bp.get("/requests")
def index() -> FlaskResponse:
    """Who asks to follow."""
    page = requests.waiting(db(), g.viewer.uid, cursor(), config().page_size)
    return unkept(render_template("following/requests.html", page=page))


@bp.post("/@<login>/accept")
def accept(login: str) -> Response:
    """Accepts a request."""
    return _answer(login, True, _("@%(login)s may follow you now.", login=login))


@bp.post("/@<login>/refuse")
def refuse(login: str) -> Response:
    """Refuses a request."""
    return _answer(login, False, _("The request of @%(login)s is refused. They are not told.", login=login))


@bp.post("/@<login>/remove-follower")
def remove(login: str) -> Response:
    """Removes a follower."""
    _count()
    if requests.remove(db(), config(), g.viewer.uid, login):
        flash(_("@%(login)s does not follow you any more. They are not told.", login=login))
    return _back(url_for("following.followers", login=g.viewer.login))


def _answer(login: str, accepts: bool, told: str) -> Response:
    _count()
    if requests.answer(db(), config(), g.viewer.uid, login, accepts):
        flash(told)
    else:
        flash(_("This request is not there any more."))
    return _back(url_for("requests.index"))


def _count() -> None:
    limits.take(db(), ("follow", str(g.viewer.uid), config().limit_follow))


def _back(usual: str) -> Response:
    return back(usual)
