"""Read and change the state of a member's chats: read up to, muted, archived, or a request."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.chat import reading
from webapp.chat.ids import is_direct, other_member_uid
from webapp.chat.inbox import keys as inbox_keys
from webapp.chat.members import membership, policy
from webapp.core.store import Command, Db, Read, Site, gather, read, script
from webapp.core.store.reads import OptionalCommand
from webapp.following.blocks import store as blocks

MARK_READ = script("chat/inbox/lua/mark_read.lua")
ACCEPT_REQUEST = script("chat/inbox/lua/accept_request.lua")
PUBLISH_PRESENCE = script("chat/inbox/lua/publish_presence.lua")
UPDATE_STATE = script("chat/inbox/lua/update_chat_state.lua")
COUNT_UNREAD = script("chat/inbox/lua/count_unread.lua")
HIDE_CHAT = script("chat/inbox/lua/hide_chat.lua")
CHAT_CHANNEL = "chat"  # pub/sub channel of hints about chats (ChangeHint)


@dataclass(frozen=True, slots=True)
class UnreadCounts:
    """The numbers of a member's unread messages and waiting requests.

    A member's own messages never count. `total` leaves out chats that are muted, archived or
    requests; `requests` counts the requests. `by_chat` maps each chat to its unread messages.
    """

    total: int
    requests: int
    by_chat: dict[str, int]

    @property
    def badge(self) -> int:
        """Return the number at the link to the chats: unread messages and waiting requests."""
        return self.total + self.requests


def unread(uid: int) -> Read[UnreadCounts]:
    """Read how many messages and requests wait for a member."""
    return read(COUNT_UNREAD(uid=uid), _parse_counts)


def mark_read(db: Db, uid: int, cid: str, message_id: int, quiet: bool = False) -> int:
    """Mark a chat as read up to a message, and return how far it is read. It never goes back.

    `quiet`: do not notify open pages. Two trips: the first updates the chat, the second copies it
    to the member's list and may be repeated. Raises Forbidden.
    """
    last_read, sent = db.run(_mark_read_command(uid, cid, message_id, quiet))
    db.run(_update_command(uid, cid, "read", last_read, sent))
    return int(last_read)


def mark_seen_page(
    db: Db, uid: int, cid: str, message_id: int, sent: int, quiet: bool = False
) -> None:
    """Mark a chat as read up to a message that the member was just shown. One trip.

    `sent`: how many messages the member has sent up to there. Nothing is marked where the store
    refuses writes.
    """
    db.trip(
        OptionalCommand(_mark_read_command(uid, cid, message_id, quiet)),
        OptionalCommand(_update_command(uid, cid, "read", message_id, sent)),
    )


def mark_read_unless_request(db: Db, uid: int, cid: str, message_id: int) -> None:
    """Mark a chat as read, but not a request: nobody learns that the member has seen it.

    At most four trips. Raises NotFound, Forbidden.
    """
    other_uid = other_member_uid(cid, uid)
    if other_uid is None:
        if not db.read(is_pending(uid, cid)):
            mark_read(db, uid, cid, message_id)
    elif not db.read(reading.open_chat(uid, cid)).chat.is_request_to(uid):
        quiet = bool(blocks.blocked_either_way(db, uid, [other_uid]))
        mark_read(db, uid, cid, message_id, quiet)


def mute(db: Db, uid: int, cid: str, is_on: bool = True) -> None:
    """Stop counting a chat as unread, or count it again. One trip. Raises NotFound."""
    db.run(_update_command(uid, cid, "muted", 1 if is_on else ""))


def archive(db: Db, uid: int, cid: str, is_on: bool = True) -> None:
    """Archive a chat until a message comes, or list it again. One trip. Raises NotFound."""
    db.run(_update_command(uid, cid, "archived", 1 if is_on else ""))


def mark_opened(db: Db, uid: int, cid: str) -> None:
    """Put a request that the member has opened on their list of chats. One trip."""
    db.run(OptionalCommand(_update_command(uid, cid, "waiting", "opened")))


def accept_request(db: Db, uid: int, cid: str) -> None:
    """Accept a chat that somebody else began. One trip. Raises NotFound, Forbidden."""
    commands = [ACCEPT_REQUEST(cid=cid, uid=uid)] if is_direct(cid) else []
    db.trip(*commands, _update_command(uid, cid, "waiting", ""))


def accept_if_pending(db: Db, uid: int, cid: str) -> None:
    """Accept a request of a chat that the member has just joined. At most two trips."""
    if db.read(is_pending(uid, cid)):
        accept_request(db, uid, cid)


def ignore_request(site: Site, uid: int, cid: str) -> None:
    """Take a direct chat off the list until the member writes in it, or leave a group chat.

    One trip. Nobody is notified. Raises NotFound.
    """
    if is_direct(cid):
        site.run(HIDE_CHAT, uid=uid, cid=cid)
    else:
        membership.leave(site, uid, cid)


def is_pending(uid: int, cid: str) -> Read[bool]:
    """Read whether a chat is a request that the member has not accepted."""
    return read(("HEXISTS", inbox_keys.member_chat_state(uid), f"waiting:{cid}"), bool)


def announce_typing(db: Db, uid: int, cid: str) -> None:
    """Tell the open pages of a chat that a member is writing, unless that is hidden.

    Two trips. Raises Forbidden.
    """
    if not db.read(is_hidden(uid, cid)):
        db.run(PUBLISH_PRESENCE(cid=cid, uid=uid, hint="t"))


def is_hidden(uid: int, cid: str) -> Read[bool]:
    """Read whether a member's presence and typing in a chat are hidden.

    They are until the member has accepted it, and while one of a direct chat blocks the other.
    """
    return gather(is_pending(uid, cid), policy.direct_block(cid)).map(any)


def _mark_read_command(uid: int, cid: str, message_id: int, quiet: bool) -> Command:
    return MARK_READ(cid=cid, uid=uid, message_id=message_id, quiet=int(quiet))


def _update_command(
    uid: int, cid: str, field: str, value: object, sent: int | None = None
) -> Command:
    return UPDATE_STATE(uid=uid, cid=cid, field=field, value=value, sent=sent)


def _parse_counts(reply: Sequence[Any]) -> UnreadCounts:
    total, requests, *flat = reply
    return UnreadCounts(total, requests, dict(zip(flat[::2], flat[1::2], strict=True)))
