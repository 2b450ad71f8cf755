"""Let members mark a chat on their own list as read, mute it, archive it, accept or ignore it."""

from contextlib import suppress

from flask import flash, g, request, url_for
from flask_babel import gettext as _, lazy_gettext as _l

from webapp.chat.web import chat_blueprint, chat_url
from webapp.core.errors import Invalid, NotFound
from webapp.core.store import parse_id
from webapp.core.web import Response, db, done, rate_limited, redirect_back, site
from webapp.core.web.redirects import declare_act

from . import chat_state

bp = chat_blueprint("chat_inbox", __name__)
declare_act(bp, "/<cid:cid>/accept", chat_state.accept_request, "chats.show", "chat", takes=db)
FLAG_ACTIONS = {
    "mute": (chat_state.mute, True, _l("Chat muted. It won’t count as unread.")),
    "unmute": (chat_state.mute, False, _l("Chat unmuted.")),
    "archive": (
        *(chat_state.archive, True),
        _l("Chat archived. It comes back when someone sends a message."),
    ),
    "unarchive": (chat_state.archive, False, _l("Chat unarchived.")),
}


@bp.post("/<cid:cid>/read")
@rate_limited("chat", bucket="chat-mark")
def read(cid: str) -> tuple[str, int]:
    """Mark a chat as read up to a message."""
    message_id = parse_id(request.form.get("id", ""))
    if message_id is None:
        raise Invalid("bad_id", _("Give the id of the last message you have read."))
    chat_state.mark_read_unless_request(db(), g.viewer.uid, cid, message_id)
    return "", 204


@bp.post("/<cid:cid>/typing")
@rate_limited("chat", bucket="chat-mark")
def typing(cid: str) -> tuple[str, int]:
    """Tell the chat's open pages that the member is writing."""
    chat_state.announce_typing(db(), g.viewer.uid, cid)
    return "", 204


@bp.post("/<cid:cid>/<any(mute, unmute, archive, unarchive):action>")
@rate_limited("chat")
def flag(cid: str, action: str) -> Response:
    """Mute or archive a chat, or take that back."""
    apply, is_on, message = FLAG_ACTIONS[action]
    apply(db(), g.viewer.uid, cid, is_on)
    flash(str(message))
    return redirect_back(url_for("chats.index") if action == "archive" else chat_url(cid))


@bp.post("/<cid:cid>/ignore")
@rate_limited("chat")
def ignore(cid: str) -> Response:
    """Ignore a chat that somebody else began. Nobody is notified."""
    with suppress(NotFound):  # the answer does not say whether there is such a chat
        chat_state.ignore_request(site(), g.viewer.uid, cid)
    return done(_("Request ignored. The sender won’t know that you saw it."), "chats.requests")
