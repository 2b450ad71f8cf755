"""Muting and unmuting, and the list of those one mutes."""

from __future__ import annotations

from flask import Blueprint, flash, g, render_template, request
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.errors import Invalid
from webapp.core.web.context import config, db, site
from webapp.core.web.pagination import cursor
from webapp.core.web.rate_limits import consume_for_viewer, rate_limited
from webapp.core.web.security import no_store_page
from webapp.following.redirects import redirect_to_profile

from . import store as mutes
from .mute import DAY, FOREVER

bp = Blueprint("mutes", __name__)
DURATIONS = {"hour": 3_600, "day": DAY, "week": 7 * DAY, "always": FOREVER}  # seconds


@bp.post("/@<login:login>/mute")
def mute(login: str) -> Response:
    """Mute a member for one of DURATIONS."""
    seconds = DURATIONS.get(request.form.get("time", "always"))
    if seconds is None:
        raise Invalid("bad_time")
    consume_for_viewer("follow")
    member = mutes.mute(site(), g.viewer.uid, login, seconds, "hide_notifications" in request.form)
    flash(_("@%(login)s is muted.", login=member.login))
    return redirect_to_profile(member.login)


@bp.post("/@<login:login>/unmute")
@rate_limited("follow")
def unmute(login: str) -> Response:
    """Unmute a member."""
    member = mutes.unmute(site(), g.viewer.uid, login)
    flash(_("@%(login)s is unmuted.", login=member.login))
    return redirect_to_profile(member.login)


@bp.get("/settings/mutes")
def index() -> FlaskResponse:
    """Show whom the viewer mutes."""
    page = mutes.page(db(), g.viewer.uid, cursor(), config().page_size)
    return no_store_page(render_template("following/mutes.html", page=page))
