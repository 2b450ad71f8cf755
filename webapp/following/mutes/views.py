"""Muting and unmuting, and the list of those one mutes."""

from __future__ import annotations

from flask import Blueprint, flash, g, request
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.wrappers import Response

from webapp.core.errors import Invalid
from webapp.core.web.context import site
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.following.buttons import declare_button, declare_list, redirect_to_profile

from . import store
from .store import DAY, FOREVER

bp = Blueprint("mutes", __name__)
DURATIONS = {"hour": 3_600, "day": DAY, "week": 7 * DAY, "always": FOREVER}  # seconds
declare_button(bp, "unmute", store.unmute, _l("@%(login)s is unmuted."))
declare_list(bp, "/settings/mutes", "following/mutes.html", store.page)


@bp.post("/@<login:login>/mute")
def mute(login: str) -> Response:
    """Mute a member for one of DURATIONS."""
    seconds = Invalid.unless(DURATIONS.get(request.form.get("time", "always")), "bad_time")
    consume_for_viewer("follow")
    member = store.mute(site(), g.viewer.uid, login, seconds, "hide_notifications" in request.form)
    flash(_("@%(login)s is muted.", login=member.login))
    return redirect_to_profile(member.login)
