"""What open pages are told of a chat: nudges heard from the store and, for each, what has come or changed since."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, permutations
from typing import Any, NamedTuple

import orjson

from webapp.accounts.store import member_command, member_from
from webapp.chat.inbox import chat_state
from webapp.chat.messages import reading
from webapp.chat.messages.reading import Changes, Related
from webapp.chat.store import Chat, Message, direct_members
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.following import keys as following_keys

Position = tuple[
    int, int
]  # of a chat: its newest message, and how often anything has happened to its messages
PAST_END: Position = (2**53, 2**53)  # after everything: whoever says so has to reload
# Turns messages into the HTML of each, in a language: (chat, messages, what they speak of, language code).
RenderMessages = Callable[[Chat, Sequence[Message], Related, str], Sequence[str]]


class ChangeHint(NamedTuple):
    """One word on the channel. `kind`: `m` messages, `c` the chat itself, `s` how far somebody has read (uid, message),
    `t` who writes (uid), `p` who is here (uid), `b` badges (uids).
    """

    kind: str
    cid: str
    args: tuple[int, ...]


class Reader(NamedTuple):
    """Whose page it is, and the code of its language."""

    uid: int
    language: str


class Updates(NamedTuple):
    """What readers who are at one position are told: up to `at`, each the Server-Sent Events in `told`, or None for
    somebody who does not belong to the chat.
    """

    position: Position
    events: dict[Reader, bytes | None]


def parse_hint(text: str) -> ChangeHint:
    """What was said on the channel (marks.CHANNEL)."""
    kind, *fields = text.split()
    cid = "" if kind == "b" else fields.pop(0)
    return ChangeHint(kind, cid, tuple(map(int, fields)))


def parse_position(text: str, cid: str) -> Position | None:
    """The position in `last.rev` or `cid:last.rev`; None for anything else, and for another chat's."""
    position_cid, colon, position = text.rpartition(":")
    last, _, rev = position.partition(".")
    if (colon and position_cid != cid) or not all(
        part.isascii() and part.isdigit() and len(part) < 16 for part in (last, rev)
    ):
        return None
    return int(last), int(rev)


def updates_since(
    db: Db,
    render_messages: RenderMessages,
    cid: str,
    position: Position | None,
    readers: Collection[Reader],
) -> Updates:
    """What came to a chat after a position, or nothing where that is None: from now on. Two trips, and every message is
    rendered once for all who see the same. Raises Unavailable.
    """
    changes = reading.changes_since(
        db, cid, *(position or PAST_END), sorted({reader.uid for reader in readers})
    )
    if changes.chat is None:  # a direct chat comes into being with its first message
        members = direct_members(cid) or ()
        return Updates(
            (0, 0), {reader: b"" if reader.uid in members else None for reader in readers}
        )
    rendered = _RenderedChanges(db, render_messages, changes.chat, changes, position)
    return Updates(rendered.position, {reader: rendered.for_reader(reader) for reader in readers})


def sse_event(
    name: str, data: Mapping[str, Any], cid: str = "", position: Position | None = None
) -> bytes:
    """A Server-Sent Event. `at`: the position in the chat up to which its reader has everything then."""
    id_line = b"id: %s:%d.%d\n" % (cid.encode(), *position) if position else b""
    return id_line + b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(data))


def announce_presence(db: Db, presences: Iterable[tuple[str, int]]) -> None:
    """Tells all who look at these chats that these members are there: (cid, uid) each. Who was asked and has not
    accepted looks on unseen, as do both of a direct chat where one blocks the other. Two trips. Raises Unavailable.
    """
    checks = [(cid, uid, _hidden_presence_commands(cid, uid)) for cid, uid in presences]
    replies = iter(db.trip(*(command for *_, asked in checks for command in asked)))
    visible = [
        (cid, uid) for cid, uid, asked in checks if not any(list(islice(replies, len(asked))))
    ]
    if visible:
        db.trip_with_errors(
            [chat_state.PUBLISH_PRESENCE(cid, uid=uid, hint="p") for cid, uid in visible]
        )


def display_names(db: Db, uids: Sequence[int]) -> dict[int, str]:
    """What these members are called, without those who are none. One trip. Raises Unavailable."""
    replies = zip(uids, db.trip(*map(member_command, uids)), strict=True)
    return {uid: member.name for uid, reply in replies if (member := member_from(uid, reply))}


class _RenderedChanges:
    """What changed in a chat, as its members see it: from the first message that each may see."""

    def __init__(
        self, db: Db, render: RenderMessages, chat: Chat, changes: Changes, since: Position | None
    ) -> None:
        self._render, self._chat, self._changes, self._since = render, chat, changes, since
        self.position: Position = (chat.last_id, chat.revision)
        self._related = (
            reading.hydrate(db, changes.messages, changes.parents)
            if changes.messages
            else Related({}, {}, {})
        )
        self._message_ids = [message.id for message in (*changes.messages, *changes.parents)]
        self._by_view: dict[tuple[str, int], bytes] = {}

    def for_reader(self, reader: Reader) -> bytes | None:
        """What a reader is told."""
        first_visible = self._changes.first_visible.get(reader.uid)
        if first_visible is None:
            return None
        if self._since == self.position:
            return b""
        if self._since is None:
            return sse_event("mark", {}, self._chat.id, self.position)
        if self._changes.must_reload:
            return sse_event("reload", {}, self._chat.id, self.position)
        newest_hidden = max(
            (one for one in self._message_ids if one < first_visible), default=0
        )  # the newest that this reader may not see
        view = reader.language, newest_hidden
        if view not in self._by_view:
            self._by_view[view] = self._render_events(*view)
        return self._by_view[view]

    def _render_events(self, language: str, newest_hidden: int) -> bytes:
        cid, (last, rev) = self._chat.id, self.position
        visible = [message for message in self._changes.messages if message.id > newest_hidden]
        parents = {
            one: parent for one, parent in self._related.parents.items() if one > newest_hidden
        }
        fragments = self._render(
            self._chat, visible, replace(self._related, parents=parents), language
        )
        events = [
            sse_event(
                "message",
                {"chat": cid, "id": message.id, "rev": rev, "last": last, "html": html},
                cid,
                self._since,
            )
            for message, html in zip(visible, fragments, strict=True)
        ]
        # Until the last one has come, whoever comes back is told all of them again.
        return b"".join((*events, sse_event("mark", {}, cid, self.position)))


def _hidden_presence_commands(cid: str, uid: int) -> list[Command]:
    """The commands of which one has a reply when nobody is told that a member is in a chat."""
    block_commands: list[Command] = [
        ("ZSCORE", following_keys.blocks(one), other)
        for one, other in permutations(direct_members(cid) or (), 2)
    ]
    return [chat_state.pending_command(uid, cid), *block_commands]
