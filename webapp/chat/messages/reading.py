"""Reading chats: a page of one, the list of all, and what came to one since."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import permutations
from typing import Any

from webapp.accounts.store import Member, member_command, member_from
from webapp.chat import keys as chat_keys
from webapp.chat.scripts import ChatScript
from webapp.chat.store import (
    Chat,
    Message,
    chat_from,
    direct_members,
    message_from,
    messages_from,
    other_member_uid,
)
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.errors import Forbidden
from webapp.following import keys as following_keys
from webapp.statuses.status import Status
from webapp.statuses.store import hydration
from webapp.statuses.visibility.policy import ANONYMOUS

PAGE = ChatScript("chat/messages/lua/open_page.lua")
SUMMARY = ChatScript("chat/inbox/lua/summary.lua")
LIST = script("chat/inbox/lua/list_chats.lua")
CHANGES = ChatScript("chat/messages/lua/changes_since.lua")
READERS_MAX = 60  # of whom it is told how far they have read
CHANGES_MAX = 100  # messages that one reader is told to catch up


@dataclass(frozen=True, slots=True)
class ChatPage:
    """A chat as one of its members sees it. `since`: the first message they may see; `read`: how far they have read;
    `messages`: oldest first; `older`, `newer`: whether there are more; `seen`: uid → how far they have read.
    """

    chat: Chat
    is_owner: bool
    first_visible: int
    last_read: int
    messages: list[Message]
    has_older: bool
    has_newer: bool
    read_positions: dict[int, int]
    parents: list[Message]

    @property
    def position(self) -> str:
        """What a stream of it goes on after: `last.rev`."""
        return f"{self.chat.last_id}.{self.chat.revision}"


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One chat of a list. `other`: whom a direct one is with; `waiting`: request, ignored or nothing."""

    chat: Chat
    other_member: Member | None
    unread: int
    muted: bool
    archived: bool
    request_state: str
    newest: Message | None
    author: Member | None


@dataclass(frozen=True, slots=True)
class Related:
    """What messages speak of: members by uid, the messages they answer, the statuses they carry, those that are there
    and shown.
    """

    people: dict[int, Member]
    parents: dict[int, Message]
    statuses: dict[int, Status]


@dataclass(frozen=True, slots=True)
class Changes:
    """What came to a chat or changed in it. `reload`: it cannot be told; `belong`: uid → the first message they may
    see, of those asked about who belong to it. `chat` is None when there is none any more.
    """

    chat: Chat | None
    messages: list[Message] = field(default_factory=list)
    parents: list[Message] = field(default_factory=list)
    must_reload: bool = False
    first_visible: Mapping[int, int] = field(default_factory=dict)


def open_page(
    db: Db,
    uid: int,
    cid: str,
    *,
    before: int | None = None,
    after: int | None = None,
    around: int | None = None,
    unread: bool = False,
    date: datetime | None = None,
    size: int,
) -> ChatPage:
    """A page of a chat: the newest messages, those before or after one, around one, around the first unread, or from a
    moment on. One trip. Raises NotFound, Forbidden.
    """
    return open_page_from(
        cid, db.run(open_page_command(uid, cid, before, after, around, unread, date, size))
    )


def page_data(
    db: Db, uid: int, cid: str, size: int, **where: Any
) -> tuple[ChatPage, Related, list[InboxRow], bool]:
    """`opened`, `hydrate` and `listing`, and whether one of a direct chat's two blocks the other. Three trips."""
    command = open_page_command(uid, cid, size=size, **where)
    reply, entries = db.trip(command, inbox_command(uid))
    chat_page = open_page_from(cid, reply)
    related_commands, parse_related = _related_query(
        chat_page.messages, chat_page.parents, chat_page.read_positions, direct_members(cid) or ()
    )
    members = direct_members(cid) or ()
    block_commands: list[Command] = [
        ("ZSCORE", following_keys.blocks(one), another) for one, another in permutations(members, 2)
    ]
    *replies, summaries = _fetch_both(
        db,
        related_commands + block_commands,
        [SUMMARY(row[0], uid=uid) for row in entries],
    )
    related = parse_related(replies[: len(related_commands)])
    return (
        chat_page,
        related,
        _inbox_rows(db, uid, entries, summaries, related.people),
        any(replies[len(related_commands) :]),
    )


def hydrate(
    db: Db,
    messages: Sequence[Message],
    parents: Sequence[Message] = (),
    extra_uids: Iterable[int] = (),
) -> Related:
    """What messages speak of, and the members in `more`. One trip."""
    commands, parse_related = _related_query(messages, parents, extra_uids)
    return parse_related(db.trip(*commands))


def inbox(db: Db, uid: int, entries: Sequence[Any] | None = None) -> list[InboxRow]:
    """The chats of a member, the one that was written to last first. Three trips. `marks`: the reply to `list_command`,
    where that was sent already: one trip less.
    """
    entries = db.run(inbox_command(uid)) if entries is None else entries
    summaries = db.trip(*(SUMMARY(row[0], uid=uid) for row in entries))
    return _inbox_rows(db, uid, entries, summaries, {})


def inbox_command(uid: int) -> Command:
    """The command that reads which chats a member has."""
    return LIST(
        member_chats=chat_keys.member_chats(uid), chat_state=chat_keys.member_chat_state(uid)
    )


def changes_since(db: Db, cid: str, last: int, rev: int, uids: Sequence[int]) -> Changes:
    """What came after message `last` and what changed after `rev`, in the order of the messages; and who of `uids`
    belongs to the chat. One trip. Raises Unavailable.
    """
    reply = db.run(CHANGES(cid, last_id=last, revision=rev, limit=CHANGES_MAX, uids=uids))
    if not reply:
        return Changes(None)
    fields, member_count, must_reload, messages, parents, first_ids = reply
    first_visible = {uid: first for uid, first in zip(uids, first_ids, strict=True) if first}
    return Changes(
        chat_from(cid, fields, member_count),
        messages_from(messages),
        messages_from(parents),
        bool(must_reload),
        first_visible,
    )


def open_page_command(
    uid: int,
    cid: str,
    before: int | None = None,
    after: int | None = None,
    around: int | None = None,
    unread: bool = False,
    date: datetime | None = None,
    size: int = 50,
) -> Command:
    """The command whose reply `opened_from` reads. Raises Forbidden for somebody else's direct chat."""
    if (members := direct_members(cid)) and uid not in members:
        raise Forbidden("not_in_chat")
    window: tuple[object, int, int] = ("", size, 0)
    if before is not None:
        window = (before, size, 0)
    elif after is not None:
        window = (after + 1, 0, size)
    elif around is not None or unread:
        window = (around if around is not None else "unread", size // 2, size - size // 2)
    elif date is not None:
        window = ("", 0, size)
    return PAGE(
        cid,
        uid=uid,
        around=window[0],
        before=window[1],
        after=window[2],
        readers_max=READERS_MAX,
        since=int(date.timestamp() * 1000) if date else "",
    )


def open_page_from(cid: str, reply: Sequence[Any]) -> ChatPage:
    """The chat in a reply to `opened_command`."""
    fields, member_count, owner, since, read, messages, parents, seen, start, end = reply
    chat = chat_from(cid, fields, member_count)
    read_positions = {int(uid): int(upto) for uid, upto in zip(seen[::2], seen[1::2], strict=True)}
    has_more = (start > max(since, chat.first_id), end < chat.last_id)
    return ChatPage(
        chat,
        bool(owner),
        since,
        read,
        messages_from(messages),
        *has_more,
        read_positions,
        messages_from(parents),
    )


def _related_query(
    messages: Sequence[Message], parents: Sequence[Message], *extra_uids: Iterable[int]
) -> tuple[list[Command], Callable[[Sequence[Any]], Related]]:
    """The commands that fetch what messages speak of, and what reads their replies."""
    author_uids = {message.author_uid for message in (*messages, *parents)}
    author_uids.update(
        uid
        for message in messages
        for answered in message.reactions.values()
        for uid in answered[:3]
    )
    uids = sorted(author_uids.union(*extra_uids))
    cards = [
        (message.card.status_id, message.card.author_uid) for message in messages if message.card
    ]
    status_commands, parse_statuses = hydration(cards)

    def parse(replies: Sequence[Any]) -> Related:
        people = {
            uid: member
            for uid, reply in zip(uids, replies, strict=False)
            if (member := member_from(uid, reply))
        }
        loaded = parse_statuses(replies[len(uids) :])
        # A card is the same for all who belong to the chat, so it shows what a visitor may see.
        visible = {
            status.id: status for status in loaded if status and ANONYMOUS.is_visible(status)
        }
        return Related(people, {parent.id: parent for parent in parents}, visible)

    return [*map(member_command, uids), *status_commands], parse


def _fetch_both(db: Db, first: list[Command], second: list[Command]) -> list[Any]:
    """One trip for both: the replies to the first one by one, then the list of those to the second."""
    replies = db.trip(*first, *second)
    return [*replies[: len(first)], replies[len(first) :]]


def _inbox_rows(
    db: Db, uid: int, entries: Sequence[Any], summaries: Sequence[Any], people: Mapping[int, Member]
) -> list[InboxRow]:
    """The rows of a list; members who are not known yet are fetched."""
    parsed: list[tuple[Any, Chat, Message | None]] = []
    for row, summary in zip(entries, summaries, strict=True):
        if summary:
            newest = message_from(*summary[2]) if summary[2] else None
            parsed.append((row, chat_from(row[0], summary[0], summary[1]), newest))
    uids = {
        who
        for row, _, newest in parsed
        for who in (other_member_uid(row[0], uid), newest and newest.author_uid)
        if who
    }
    missing = sorted(uids - people.keys())
    replies = db.trip(*map(member_command, missing))
    members = dict(people) | {
        who: member
        for who, reply in zip(missing, replies, strict=True)
        if (member := member_from(who, reply))
    }
    return [
        InboxRow(
            chat=chat,
            other_member=members.get(other_member_uid(row[0], uid) or 0),
            unread=row[1],
            muted=bool(row[2]),
            archived=bool(row[3]),
            request_state=row[4],
            newest=newest,
            author=members.get(newest.author_uid) if newest else None,
        )
        for row, chat, newest in parsed
    ]
