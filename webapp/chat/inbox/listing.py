"""Read the list of a member's chats."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.store import Member
from webapp.chat.codec import parse_chat, parse_message
from webapp.chat.ids import other_member_uid
from webapp.chat.models import Chat, Message
from webapp.core.store import Db, Read, collect, read, script

LIST_CHATS = script("chat/inbox/lua/list_chats.lua")
SUMMARY = script("chat/inbox/lua/summary.lua")


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A chat's entry on a member's list.

    `request_state`: "request", "opened" or "". `deleted`: the ids of messages of others that were
    deleted unread.
    """

    cid: str
    unread: int
    muted: bool
    archived: bool
    request_state: str
    deleted: tuple[int, ...]

    @property
    def is_active(self) -> bool:
        """Return True for a chat on the list itself: not archived, and no unopened request."""
        return not self.archived and self.request_state != "request"

    @property
    def is_request(self) -> bool:
        """Return True for a chat that waits for the member's answer."""
        return bool(self.request_state)


@dataclass(frozen=True, slots=True)
class Summary:
    """A chat with its newest message, if the member may see one."""

    chat: Chat
    newest: Message | None


@dataclass(frozen=True, slots=True)
class InboxRow(ListEntry):
    """A chat on a member's list. `author` wrote the newest message."""

    chat: Chat
    other_member: Member | None
    newest: Message | None
    author: Member | None


def list_entries(uid: int) -> Read[list[ListEntry]]:
    """Read which chats a member has, by their newest message, the newest first."""
    command = LIST_CHATS(uid=uid)
    return read(command, lambda reply: list(map(_parse_entry, reply)))


def summaries(uid: int, entries: Sequence[ListEntry]) -> Read[list[Summary | None]]:
    """Read the chats of a list, in its order. None for one that the member has left."""
    return collect(_summary(uid, entry.cid) for entry in entries)


def inbox(db: Db, uid: int, entries: Sequence[ListEntry] | None = None) -> list[InboxRow]:
    """Return a member's chats, newest first. Three trips, two if the entries are read already."""
    if entries is None:
        entries = db.read(list_entries(uid))
    return complete_rows(db, uid, entries, db.read(summaries(uid, entries)))


def complete_rows(
    db: Db,
    uid: int,
    entries: Sequence[ListEntry],
    chats: Sequence[Summary | None],
    people: Mapping[int, Member] | None = None,
) -> list[InboxRow]:
    """Return the rows of a list. At most one trip, for the members who are not in `people`."""
    people = dict(people or {})
    missing = {*_referenced_uids(uid, chats)} - people.keys()
    people |= db.read(accounts.get_many(sorted(missing)))
    return [
        InboxRow(
            cid=entry.cid,
            unread=entry.unread,
            muted=entry.muted,
            archived=entry.archived,
            request_state=entry.request_state,
            deleted=entry.deleted,
            chat=summary.chat,
            other_member=people.get(summary.chat.other_member_uid(uid) or 0),
            newest=summary.newest,
            author=people.get(summary.newest.author_uid) if summary.newest else None,
        )
        for entry, summary in zip(entries, chats, strict=True)
        if summary
    ]


def _summary(uid: int, cid: str) -> Read[Summary | None]:
    return read(SUMMARY(cid=cid, uid=uid), lambda reply: _parse_summary(cid, reply))


def _referenced_uids(uid: int, chats: Sequence[Summary | None]) -> Iterator[int]:
    """Yield the other member of each direct chat and the author of each newest message."""
    for summary in filter(None, chats):
        other_uid = other_member_uid(summary.chat.id, uid)
        if other_uid is not None:
            yield other_uid
        if summary.newest:
            yield summary.newest.author_uid


def _parse_entry(row: Sequence[Any]) -> ListEntry:
    cid, unread, muted, archived, request_state, deleted = row
    deleted_ids = tuple(map(int, deleted.split()))
    return ListEntry(cid, unread, bool(muted), bool(archived), request_state, deleted_ids)


def _parse_summary(cid: str, reply: Sequence[Any]) -> Summary | None:
    if not reply:
        return None
    fields, member_count, newest = reply
    chat = parse_chat(cid, fields, member_count)
    return Summary(chat, parse_message(*newest) if newest else None)
