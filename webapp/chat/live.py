"""What open pages are told of a chat: nudges heard from the store and, for each, what has come or changed since."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, permutations
from typing import Any, NamedTuple

import orjson

from .. import keys
from ..accounts.store import member_command, member_from
from ..db import Command, Db
from . import marks, reading
from .reading import Changes, Known
from .store import Chat, Message, names, pair

Position = tuple[int, int]  # of a chat: its newest message, and how often anything has happened to its messages
NOWHERE: Position = (2**53, 2**53)  # after everything: whoever says so has to reload
# Turns messages into the HTML of each, in a language: (chat, messages, what they speak of, language code).
Render = Callable[[Chat, Sequence[Message], Known, str], Sequence[str]]


class Nudge(NamedTuple):
    """One word on the channel. `kind`: `m` messages, `c` the chat itself, `s` how far somebody has read (uid, message),
    `t` who writes (uid), `p` who is here (uid), `b` badges (uids).
    """

    kind: str
    cid: str
    numbers: tuple[int, ...]


class Reader(NamedTuple):
    """Whose page it is, and the code of its language."""

    uid: int
    language: str


class Look(NamedTuple):
    """What readers who are at one position are told: up to `at`, each the Server-Sent Events in `told`, or None for
    somebody who does not belong to the chat.
    """

    at: Position
    told: dict[Reader, bytes | None]


def nudge_from(text: str) -> Nudge:
    """What was said on the channel (marks.CHANNEL)."""
    kind, *words = text.split()
    cid = "" if kind == "b" else words.pop(0)
    return Nudge(kind, cid, tuple(map(int, words)))


def position_from(text: str, cid: str) -> Position | None:
    """The position in `last.rev` or `cid:last.rev`; None for anything else, and for another chat's."""
    whose, colon, place = text.rpartition(":")
    last, _, rev = place.partition(".")
    if (colon and whose != cid) or not all(
        part.isascii() and part.isdigit() and len(part) < 16 for part in (last, rev)
    ):
        return None
    return int(last), int(rev)


def look(db: Db, render: Render, cid: str, at: Position | None, readers: Collection[Reader]) -> Look:
    """What came to a chat after a position, or nothing where that is None: from now on. Two trips, and every message is
    rendered once for all who see the same. Raises Unavailable.
    """
    found = reading.changes(db, cid, *(at or NOWHERE), sorted({reader.uid for reader in readers}))
    if found.chat is None:  # a direct chat comes into being with its first message
        both = pair(cid) or ()
        return Look((0, 0), {reader: b"" if reader.uid in both else None for reader in readers})
    views = _Views(db, render, found.chat, found, at)
    return Look(views.to, {reader: views.of(reader) for reader in readers})


def event(name: str, data: Mapping[str, Any], cid: str = "", at: Position | None = None) -> bytes:
    """A Server-Sent Event. `at`: the position in the chat up to which its reader has everything then."""
    where = b"id: %s:%d.%d\n" % (cid.encode(), *at) if at else b""
    return where + b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(data))


def announce(db: Db, present: Iterable[tuple[str, int]]) -> None:
    """Tells all who look at these chats that these members are there: (cid, uid) each. Who was asked and has not
    accepted looks on unseen, as do both of a direct chat where one blocks the other. Two trips. Raises Unavailable.
    """
    found = [(cid, uid, _unseen(cid, uid)) for cid, uid in present]
    replies = iter(db.trip(*(command for *_, asked in found for command in asked)))
    seen = [(cid, uid) for cid, uid, asked in found if not any(list(islice(replies, len(asked))))]
    if seen:
        db.replies([marks.TELL(names(cid), cid, uid, "p") for cid, uid in seen])


def people(db: Db, uids: Sequence[int]) -> dict[int, str]:
    """What these members are called, without those who are none. One trip. Raises Unavailable."""
    found = zip(uids, db.trip(*map(member_command, uids)), strict=True)
    return {uid: member.name for uid, reply in found if (member := member_from(uid, reply))}


class _Views:
    """What changed in a chat, as its members see it: from the first message that each may see."""

    def __init__(self, db: Db, render: Render, chat: Chat, found: Changes, at: Position | None) -> None:
        self._render, self._chat, self._found, self._at = render, chat, found, at
        self.to: Position = (chat.last, chat.rev)
        self._known = reading.hydrate(db, found.messages, found.parents) if found.messages else Known({}, {}, {})
        self._ids = [message.id for message in (*found.messages, *found.parents)]
        self._views: dict[tuple[str, int], bytes] = {}

    def of(self, reader: Reader) -> bytes | None:
        """What a reader is told."""
        first = self._found.belong.get(reader.uid)
        if first is None:
            return None
        if self._at == self.to:
            return b""
        if self._at is None:
            return event("mark", {}, self._chat.id, self.to)
        if self._found.reload:
            return event("reload", {}, self._chat.id, self.to)
        hidden = max((one for one in self._ids if one < first), default=0)  # the newest that this reader may not see
        view = reader.language, hidden
        if view not in self._views:
            self._views[view] = self._written(*view)
        return self._views[view]

    def _written(self, language: str, hidden: int) -> bytes:
        cid, (last, rev) = self._chat.id, self.to
        shown = [message for message in self._found.messages if message.id > hidden]
        replies = {one: parent for one, parent in self._known.replies.items() if one > hidden}
        pages = self._render(self._chat, shown, replace(self._known, replies=replies), language)
        events = [
            event("message", {"chat": cid, "id": message.id, "rev": rev, "last": last, "html": html}, cid, self._at)
            for message, html in zip(shown, pages, strict=True)
        ]
        # Until the last one has come, whoever comes back is told all of them again.
        return b"".join((*events, event("mark", {}, cid, self.to)))


def _unseen(cid: str, uid: int) -> list[Command]:
    """The commands of which one has a reply when nobody is told that a member is in a chat."""
    around: list[Command] = [("ZSCORE", keys.blocks(one), other) for one, other in permutations(pair(cid) or (), 2)]
    return [marks.waiting_command(uid, cid), *around]
