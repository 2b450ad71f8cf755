"""Muting and unmuting, and the list of those one mutes."""

from __future__ import annotations

from flask import Blueprint, flash, g, render_template, request, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.pagination import cursor
from webapp.core.web.redirects import redirect_back
from webapp.core.web.security import no_store_page
from webapp.errors import Invalid

from . import store as mutes

bp = Blueprint("mutes", __name__)
DURATIONS = {
    "hour": 3_600,
    "day": mutes.DAY,
    "week": 7 * mutes.DAY,
    "always": mutes.FOREVER,
}  # seconds


@bp.post("/@<login>/mute")
def mute(login: str) -> Response:
    """Mutes a member for one of TIMES."""
    seconds = DURATIONS.get(request.form.get("time", "always"))
    if seconds is None:
        raise Invalid("bad_time")
    _consume_follow_limit()
    member = mutes.mute(db(), config(), g.viewer.uid, login, seconds, "hush" in request.form)
    flash(_("@%(login)s is muted.", login=member.login))
    return _back_to_profile(member.login)


@bp.post("/@<login>/unmute")
def unmute(login: str) -> Response:
    """Unmutes a member."""
    _consume_follow_limit()
    member = mutes.unmute(db(), config(), g.viewer.uid, login)
    flash(_("@%(login)s is not muted any more.", login=member.login))
    return _back_to_profile(member.login)


@bp.get("/settings/mutes")
def index() -> FlaskResponse:
    """Whom one mutes."""
    page = mutes.page(db(), g.viewer.uid, cursor(), config().page_size)
    return no_store_page(render_template("following/mutes.html", page=page))


def _consume_follow_limit() -> None:
    rate_limits.consume(db(), ("follow", str(g.viewer.uid), config().limit_follow))


def _back_to_profile(login: str) -> Response:
    return redirect_back(url_for("timelines.profile", login=login))
