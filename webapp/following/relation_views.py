"""The buttons on a profile: block, mute, hide boosts, subscribe and endorse; lists of those."""

from flask import Blueprint, flash, g, request
from flask_babel import gettext as _, lazy_gettext as _l

from webapp.core.errors import Invalid
from webapp.core.web import Response, consume_for_viewer, site

from . import member_collections
from .blocks import store as blocks
from .buttons import declare_button, declare_list, redirect_to_profile
from .mutes import store as mutes

DURATIONS = {  # seconds
    "hour": 3_600,
    "day": mutes.DAY,
    "week": 7 * mutes.DAY,
    "always": mutes.FOREVER,
}

blocks_bp = Blueprint("blocks", __name__)
declare_button(blocks_bp, "block", blocks.block, _l("@%(login)s is blocked."))
declare_button(blocks_bp, "unblock", blocks.unblock, _l("@%(login)s is unblocked."))
declare_list(blocks_bp, "/settings/blocks", "following/blocks.html", blocks.page)

hidden_boosts_bp = Blueprint("hidden_boosts", __name__)
HIDDEN = _l("Boosts by @%(login)s won’t show on your home page.")
SHOWN = _l("Boosts by @%(login)s show on your home page again.")
declare_button(hidden_boosts_bp, "hide-boosts", member_collections.hide_boosts, HIDDEN)
declare_button(hidden_boosts_bp, "show-boosts", member_collections.show_boosts, SHOWN)
declare_list(
    hidden_boosts_bp,
    "/settings/hidden-boosts",
    "following/hidden_boosts.html",
    member_collections.hidden_boosts_page,
)

subscriptions_bp = Blueprint("subscriptions", __name__)
declare_button(subscriptions_bp, "subscribe", member_collections.subscribe)
declare_button(subscriptions_bp, "unsubscribe", member_collections.unsubscribe)

endorsements_bp = Blueprint("endorsements", __name__)
FEATURED = _l("Your profile features @%(login)s.")
TAKEN_OFF = _l("Your profile doesn’t feature @%(login)s anymore.")
declare_button(endorsements_bp, "endorse", member_collections.endorse, FEATURED)
declare_button(endorsements_bp, "unendorse", member_collections.unendorse, TAKEN_OFF)

mutes_bp = Blueprint("mutes", __name__)
declare_button(mutes_bp, "unmute", mutes.unmute, _l("@%(login)s is unmuted."))
declare_list(mutes_bp, "/settings/mutes", "following/mutes.html", mutes.page)


@mutes_bp.post("/@<login:login>/mute")
def mute(login: str) -> Response:
    """Mute a member for one of DURATIONS."""
    seconds = Invalid.unless(DURATIONS.get(request.form.get("time", "always")), "bad_time")
    consume_for_viewer("follow")
    member = mutes.mute(site(), g.viewer.uid, login, seconds, "hide_notifications" in request.form)
    flash(_("@%(login)s is muted.", login=member.login))
    return redirect_to_profile(member.login)
