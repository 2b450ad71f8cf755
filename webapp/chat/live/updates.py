"""What has come to a chat since a position, as Server-Sent Events for its readers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from webapp.chat.ids import direct_members
from webapp.chat.messages import reading
from webapp.chat.messages.reading import Changes
from webapp.chat.messages.related import Related, related_to
from webapp.chat.models import Chat, Message
from webapp.core.store.client import Db

from .hints import PAST_END, Position

# Renders messages as HTML: from the chat, messages, what they refer to, and a language code.
RenderMessages = Callable[[Chat, Sequence[Message], Related, str], Sequence[str]]


class Reader(NamedTuple):
    """The member whose page it is, and the code of its language."""

    uid: int
    language: str


class Updates(NamedTuple):
    """The Server-Sent Events for readers at one position, None for somebody who is not a member.

    After these they are at `position`.
    """

    position: Position
    events: dict[Reader, bytes | None]


def updates_since(
    db: Db,
    render_messages: RenderMessages,
    cid: str,
    position: Position | None,
    readers: Collection[Reader],
) -> Updates:
    """Return what came to a chat after a position; nothing if that is None, for new pages.

    Each message is rendered once for all readers who see the same. Two trips. Raises Unavailable.
    """
    uids = sorted({reader.uid for reader in readers})
    changes = db.read(reading.changes_since(cid, *(position or PAST_END), uids))
    if changes.chat is None:  # a direct chat begins with its first message
        members = direct_members(cid) or ()
        events = {reader: b"" if reader.uid in members else None for reader in readers}
        return Updates((0, 0), events)
    related = Related()
    if changes.messages:
        related = db.read(related_to(changes.messages, changes.parents))
    rendered = _RenderedChanges(render_messages, changes.chat, changes, related, position)
    return Updates(rendered.position, {reader: rendered.for_reader(reader) for reader in readers})


def sse_event(
    name: str, data: Mapping[str, Any], cid: str = "", position: Position | None = None
) -> bytes:
    """Return a Server-Sent Event. After it, its reader has everything up to `position`."""
    id_line = b"id: %s:%d.%d\n" % (cid.encode(), *position) if position else b""
    return id_line + b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(data))


class _RenderedChanges:
    """What changed in a chat, rendered once for each language and each first visible message."""

    def __init__(
        self,
        render: RenderMessages,
        chat: Chat,
        changes: Changes,
        related: Related,
        since: Position | None,
    ) -> None:
        self._render, self._chat, self._changes = render, chat, changes
        self._related, self._since = related, since
        self.position: Position = (chat.last_id, chat.revision)
        self._message_ids = [message.id for message in (*changes.messages, *changes.parents)]
        self._by_view: dict[tuple[str, int], bytes] = {}

    def for_reader(self, reader: Reader) -> bytes | None:
        """Return the events for a reader, None for somebody who is not a member."""
        first_visible = self._changes.first_visible.get(reader.uid)
        if first_visible is None:
            return None
        if self._since == self.position:
            return b""
        if self._since is None:
            return sse_event("mark", {}, self._chat.id, self.position)
        if self._changes.must_reload:
            return sse_event("reload", {}, self._chat.id, self.position)
        hidden_ids = [message_id for message_id in self._message_ids if message_id < first_visible]
        view = reader.language, max(hidden_ids, default=0)
        if view not in self._by_view:
            self._by_view[view] = self._render_events(*view)
        return self._by_view[view]

    def _render_events(self, language: str, newest_hidden: int) -> bytes:
        """Return one event for each message after `newest_hidden`, then the new position."""
        cid = self._chat.id
        messages = [message for message in self._changes.messages if message.id > newest_hidden]
        parents = {
            message_id: parent
            for message_id, parent in self._related.parents.items()
            if message_id > newest_hidden
        }
        related = replace(self._related, parents=parents)
        fragments = self._render(self._chat, messages, related, language)
        # A reader who comes back before the last event gets all of them again.
        events = [
            sse_event("message", self._event_data(message, html), cid, self._since)
            for message, html in zip(messages, fragments, strict=True)
        ]
        return b"".join((*events, sse_event("mark", {}, cid, self.position)))

    def _event_data(self, message: Message, html: str) -> dict[str, Any]:
        last, revision = self.position
        return {
            "chat": self._chat.id,
            "id": message.id,
            "rev": revision,
            "last": last,
            "html": html,
        }
