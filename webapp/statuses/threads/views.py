"""Muting a conversation, and hiding replies below one's own posts."""

from flask import Blueprint, flash, g, url_for
from flask_babel import gettext as _, lazy_gettext as _l

from webapp.core.web import Response, rate_limited, redirect_back, site
from webapp.core.web.redirects import declare_act
from webapp.statuses.interactions.buttons import declare_button

from . import conversations, hidden_replies

bp = Blueprint("threads", __name__)
MUTED = _l("Conversation muted. You won’t be notified about it.")
declare_button(bp, "mute", conversations.mute, "follow", done=MUTED)
declare_button(bp, "unmute", conversations.unmute, "follow", done=_l("Conversation unmuted."))
SHOW = "/statuses/<id:status_id>/show-reply"
SHOWN = _l("The reply shows in the thread again.")
declare_act(bp, SHOW, hidden_replies.show, "timelines.home", "edit", said=SHOWN, back=True)


@bp.post("/statuses/<id:status_id>/hide-reply")
@rate_limited("edit")
def hide(status_id: int) -> Response:
    """Hide a reply in a thread that the viewer began."""
    status = hidden_replies.hide(site(), g.viewer.uid, status_id)
    flash(_("Reply hidden. You’ll find it at the end of the thread."))
    own_page = url_for("statuses.show", login=status.author.login, status_id=status_id)
    return redirect_back(own_page)
