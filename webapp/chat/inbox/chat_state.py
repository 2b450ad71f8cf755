"""What a member's own list says of chats: how far they have read, what is muted, put away or asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.chat import keys as chat_keys
from webapp.chat.members import membership
from webapp.chat.scripts import ChatScript
from webapp.chat.store import is_direct, other_member_uid
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Command, Read, read
from webapp.core.store.scripts import script
from webapp.following.blocks import store as blocks

MARK_READ = ChatScript("chat/inbox/lua/mark_read.lua")
SET_MARK = script("chat/inbox/lua/update_chat_state.lua")
UNREAD = script("chat/inbox/lua/count_unread.lua")
ACCEPT_REQUEST = ChatScript("chat/inbox/lua/accept_request.lua")
PUBLISH_PRESENCE = ChatScript("chat/inbox/lua/publish_presence.lua")
HIDE_CHAT = script("chat/inbox/lua/hide_chat.lua")
CHAT_CHANNEL = "chat"  # what happens in chats is told here, to whoever listens at that moment


@dataclass(frozen=True, slots=True)
class UnreadCounts:
    """What is unread in all chats that are neither muted, put away nor waiting; how many requests wait; and what is
    unread in each chat.
    """

    total: int
    requests: int
    by_chat: dict[str, int]


def mark_read(db: Db, uid: int, cid: str, message_id: int, quiet: bool = False) -> int:
    """Marks a chat as read up to a message, which only moves forward; returns how far they have read. `quiet`: nobody
    is told of it now. Two trips; the second says in the member's list what the first has told the others, and may be
    done again. Raises Forbidden.
    """
    last_read = int(db.run(MARK_READ(cid, uid=uid, message_id=message_id, quiet=int(quiet))))
    db.run(_set_mark_command(uid, cid, "read", last_read))
    return last_read


def mark_seen_page(db: Db, uid: int, cid: str, message_id: int, quiet: bool = False) -> None:
    """As `read`, for a member whom the chat has just shown message `upto`; `quiet`: nobody is told of it now. One trip.
    Raises Forbidden.
    """
    mark_read_command = MARK_READ(cid, uid=uid, message_id=message_id, quiet=int(quiet))
    db.trip(mark_read_command, _set_mark_command(uid, cid, "read", message_id))


def set_flag(db: Db, uid: int, cid: str, flag: str, on: bool) -> None:
    """Makes a chat `muted`, or `archived` until something comes; or not any more. Raises NotFound."""
    assert flag in ("muted", "archived")
    db.run(_set_mark_command(uid, cid, flag, 1 if on else ""))


def answer_request(db: Db, config: Config, uid: int, cid: str, decision: str) -> None:
    """Answers a request: `accept`, or `ignore` of which nobody is told: a direct chat is taken off the list until one
    writes in it, a group is left. Raises NotFound, Forbidden, Unavailable.
    """
    assert decision in ("accept", "ignore")
    if decision == "ignore" and is_direct(cid):
        db.run(HIDE_CHAT(**_state_keys(uid), uid=uid, cid=cid))
    elif decision == "ignore":
        membership.leave(db, config, uid, cid)
    elif is_direct(cid):
        db.trip(ACCEPT_REQUEST(cid, uid=uid), _set_mark_command(uid, cid, "waiting", ""))
    else:
        db.run(_set_mark_command(uid, cid, "waiting", ""))


def is_pending(db: Db, uid: int, cid: str) -> bool:
    """Whether a chat waits for a member's answer, or was ignored. One trip."""
    return bool(db.run(("HGET", chat_keys.member_chat_state(uid), "waiting:" + cid)))


def pending_command(uid: int, cid: str) -> Command:
    """The command that tells whether a member was asked to a chat and has not accepted, 1 or 0."""
    return ("HEXISTS", chat_keys.member_chat_state(uid), "waiting:" + cid)


def unread(uid: int) -> Read[UnreadCounts]:
    """Read how many messages and requests wait for a member."""
    return read(UNREAD(**_state_keys(uid)), _unread_counts)


def _unread_counts(reply: Sequence[Any]) -> UnreadCounts:
    """The badge in a reply to `badge_command`."""
    total, requests, *flat = reply
    return UnreadCounts(total, requests, dict(zip(flat[::2], flat[1::2], strict=True)))


def announce_typing(db: Db, uid: int, cid: str) -> None:
    """Tells who looks at a chat that somebody is writing, but for whom they block or are blocked by. Nothing is kept.
    Raises Forbidden.
    """
    other_uid = other_member_uid(cid, uid)
    if other_uid is None or not blocks.blocked_either_way(db, uid, [other_uid]):
        db.run(PUBLISH_PRESENCE(cid, uid=uid, hint="t"))


def _set_mark_command(uid: int, cid: str, name: str, value: object) -> Command:
    return SET_MARK(**_state_keys(uid), uid=uid, cid=cid, field=name, value=value)


def _state_keys(uid: int) -> dict[str, str]:
    return {
        "member_chats": chat_keys.member_chats(uid),
        "chat_state": chat_keys.member_chat_state(uid),
    }
