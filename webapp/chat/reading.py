"""Reading chats: a page of one, the list of all, and what came to one since."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import permutations
from typing import Any

from .. import keys
from ..accounts.store import Member, member_command, member_from
from ..db import Command, Db
from ..errors import Forbidden
from ..scripts import script
from ..statuses.seeing import VISITORS
from ..statuses.status import Status
from ..statuses.store import hydration
from .store import Chat, Message, chat_from, message_from, messages_from, names, other, pair

PAGE = script("chat/page.lua")
PEEK = script("chat/peek.lua")
LIST = script("chat/list.lua")
CHANGES = script("chat/changes.lua")
READERS_MAX = 60  # of whom it is told how far they have read
CHANGES_MAX = 100  # messages that one reader is told to catch up


@dataclass(frozen=True, slots=True)
class Opened:
    """A chat as one of its members sees it. `since`: the first message they may see; `read`: how far they have read;
    `messages`: oldest first; `older`, `newer`: whether there are more; `seen`: uid → how far they have read.
    """

    chat: Chat
    owner: bool
    since: int
    read: int
    messages: list[Message]
    older: bool
    newer: bool
    seen: dict[int, int]
    parents: list[Message]

    @property
    def position(self) -> str:
        """What a stream of it goes on after: `last.rev`."""
        return f"{self.chat.last}.{self.chat.rev}"


@dataclass(frozen=True, slots=True)
class Row:
    """One chat of a list. `other`: whom a direct one is with; `waiting`: request, ignored or nothing."""

    chat: Chat
    other: Member | None
    unread: int
    muted: bool
    archived: bool
    waiting: str
    newest: Message | None
    author: Member | None


@dataclass(frozen=True, slots=True)
class Known:
    """What messages speak of: members by uid, the messages they answer, the statuses they carry, those that are there
    and shown.
    """

    people: dict[int, Member]
    replies: dict[int, Message]
    statuses: dict[int, Status]


@dataclass(frozen=True, slots=True)
class Changes:
    """What came to a chat or changed in it. `reload`: it cannot be told; `belong`: uid → the first message they may
    see, of those asked about who belong to it. `chat` is None when there is none any more.
    """

    chat: Chat | None
    messages: list[Message] = field(default_factory=list)
    parents: list[Message] = field(default_factory=list)
    reload: bool = False
    belong: Mapping[int, int] = field(default_factory=dict)


def opened(
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
) -> Opened:
    """A page of a chat: the newest messages, those before or after one, around one, around the first unread, or from a
    moment on. One trip. Raises NotFound, Forbidden.
    """
    return opened_from(cid, db.run(opened_command(uid, cid, before, after, around, unread, date, size)))


def room(db: Db, uid: int, cid: str, size: int, **where: Any) -> tuple[Opened, Known, list[Row], bool]:
    """`opened`, `hydrate` and `listing`, and whether one of a direct chat's two blocks the other. Three trips."""
    command = opened_command(uid, cid, size=size, **where)
    reply, marks = db.trip(command, list_command(uid))
    shown = opened_from(cid, reply)
    known, read = _known(shown.messages, shown.parents, shown.seen, pair(cid) or ())
    both = pair(cid) or ()
    block_marks: list[Command] = [("ZSCORE", keys.blocks(one), another) for one, another in permutations(both, 2)]
    *rest, peeks = _split(db, known + block_marks, [PEEK(names(row[0]), uid) for row in marks])
    found = read(rest[: len(known)])
    return shown, found, _rows(db, uid, marks, peeks, found.people), any(rest[len(known) :])


def hydrate(db: Db, messages: Sequence[Message], parents: Sequence[Message] = (), more: Iterable[int] = ()) -> Known:
    """What messages speak of, and the members in `more`. One trip."""
    commands, read = _known(messages, parents, more)
    return read(db.trip(*commands))


def listing(db: Db, uid: int, marks: Sequence[Any] | None = None) -> list[Row]:
    """The chats of a member, the one that was written to last first. Three trips. `marks`: the reply to `list_command`,
    where that was sent already: one trip less.
    """
    marks = db.run(list_command(uid)) if marks is None else marks
    peeks = db.trip(*(PEEK(names(row[0]), uid) for row in marks))
    return _rows(db, uid, marks, peeks, {})


def list_command(uid: int) -> Command:
    """The command that reads which chats a member has."""
    return LIST([keys.member_chats(uid), keys.chat_marks(uid)])


def changes(db: Db, cid: str, last: int, rev: int, uids: Sequence[int]) -> Changes:
    """What came after message `last` and what changed after `rev`, in the order of the messages; and who of `uids`
    belongs to the chat. One trip. Raises Unavailable.
    """
    reply = db.run(CHANGES(names(cid), last, rev, CHANGES_MAX, *uids))
    if not reply:
        return Changes(None)
    fields, count, lost, found, parents, visible = reply
    belong = {uid: first for uid, first in zip(uids, visible, strict=True) if first}
    return Changes(chat_from(cid, fields, count), messages_from(found), messages_from(parents), bool(lost), belong)


def opened_command(
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
    if (both := pair(cid)) and uid not in both:
        raise Forbidden("not_in_chat")
    place: tuple[object, int, int] = ("", size, 0)
    if before is not None:
        place = (before, size, 0)
    elif after is not None:
        place = (after + 1, 0, size)
    elif around is not None or unread:
        place = (around if around is not None else "unread", size // 2, size - size // 2)
    elif date is not None:
        place = ("", 0, size)
    return PAGE(names(cid), uid, *place, READERS_MAX, int(date.timestamp() * 1000) if date else "")


def opened_from(cid: str, reply: Sequence[Any]) -> Opened:
    """The chat in a reply to `opened_command`."""
    fields, members, owner, since, read, found, parents, seen, start, end = reply
    chat = chat_from(cid, fields, members)
    marks = {int(uid): int(upto) for uid, upto in zip(seen[::2], seen[1::2], strict=True)}
    more = (start > max(since, chat.first), end < chat.last)
    return Opened(chat, bool(owner), since, read, messages_from(found), *more, marks, messages_from(parents))


def _known(
    messages: Sequence[Message], parents: Sequence[Message], *more: Iterable[int]
) -> tuple[list[Command], Callable[[Sequence[Any]], Known]]:
    """The commands that fetch what messages speak of, and what reads their replies."""
    found = {message.author for message in (*messages, *parents)}
    found.update(uid for message in messages for answered in message.reactions.values() for uid in answered[:3])
    uids = sorted(found.union(*more))
    cards = [(message.card.status, message.card.author) for message in messages if message.card]
    statuses, read_statuses = hydration(cards)

    def read(replies: Sequence[Any]) -> Known:
        people = {uid: member for uid, reply in zip(uids, replies, strict=False) if (member := member_from(uid, reply))}
        carried = read_statuses(replies[len(uids) :])
        # A card is the same for all who belong to the chat, so it shows what a visitor may see.
        shown = {status.id: status for status in carried if status and VISITORS.shown(status)}
        return Known(people, {parent.id: parent for parent in parents}, shown)

    return [*map(member_command, uids), *statuses], read


def _split(db: Db, first: list[Command], second: list[Command]) -> list[Any]:
    """One trip for both: the replies to the first one by one, then the list of those to the second."""
    replies = db.trip(*first, *second)
    return [*replies[: len(first)], replies[len(first) :]]


def _rows(db: Db, uid: int, marks: Sequence[Any], peeks: Sequence[Any], people: Mapping[int, Member]) -> list[Row]:
    """The rows of a list; members who are not known yet are fetched."""
    found: list[tuple[Any, Chat, Message | None]] = []
    for row, peek in zip(marks, peeks, strict=True):
        if peek:
            newest = message_from(*peek[2]) if peek[2] else None
            found.append((row, chat_from(row[0], peek[0], peek[1]), newest))
    wanted = {who for row, _, newest in found for who in (other(row[0], uid), newest and newest.author) if who}
    missing = sorted(wanted - people.keys())
    replies = db.trip(*map(member_command, missing))
    known = dict(people) | {
        who: member for who, reply in zip(missing, replies, strict=True) if (member := member_from(who, reply))
    }
    return [
        Row(
            chat=chat,
            other=known.get(other(row[0], uid) or 0),
            unread=row[1],
            muted=bool(row[3]),
            archived=bool(row[4]),
            waiting=row[5],
            newest=newest,
            author=known.get(newest.author) if newest else None,
        )
        for row, chat, newest in found
    ]
