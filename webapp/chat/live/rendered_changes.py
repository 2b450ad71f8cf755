"""The changes of a chat, rendered once for all readers who see the same."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from webapp.chat.messages.related import Related
from webapp.chat.models import Chat, Message

from .hints import Position
from .positions import Changes
from .program_events import READY, ProgramEvent, message_events, position_text, program_event

# Renders messages as HTML: from the chat, messages, related objects, and a language code.
RenderMessages = Callable[[Chat, Sequence[Message], Related, str], Sequence[str]]
PROGRAM = ""  # in place of the language of a page: programs get JSON
# The Server-Sent Events of a page, or the events of a program.
Events = bytes | tuple[ProgramEvent, ...]


class Reader(NamedTuple):
    """The member whose page or program it is, and the code of the page's language or PROGRAM."""

    uid: int
    language: str

    @property
    def is_program(self) -> bool:
        """Return True for a program."""
        return self.language == PROGRAM


def sse_event(
    name: str, data: Mapping[str, Any], cid: str = "", position: Position | None = None
) -> bytes:
    """Return a Server-Sent Event. After it, its reader has everything up to `position`."""
    id_line = b"id: %s:%d.%d\n" % (cid.encode(), *position) if position else b""
    return id_line + b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(data))


class _View(NamedTuple):
    """A view of the changes: its readers get the same events.

    They see messages after `newest_hidden`, and none of the `hidden_statuses` that these share.
    """

    language: str
    newest_hidden: int
    hidden_statuses: frozenset[int]


class RenderedChanges:
    """The changes of a chat, rendered once for all readers with the same view of them."""

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
        self._by_view: dict[_View, Events] = {}

    def for_reader(self, reader: Reader) -> Events | None:
        """Return the events for a reader, None for somebody who is not a member."""
        first_visible = self._changes.first_visible.get(reader.uid)
        if first_visible is None:
            return None
        if self._since == self.position:
            return nothing_for(reader)
        if self._since is None or self._changes.must_reload:
            return self._jump(reader)
        hidden_ids = [message_id for message_id in self._message_ids if message_id < first_visible]
        # Programs get the id of a shared status, and never the status.
        hidden_statuses = self._related.hidden_from(reader.uid) if not reader.is_program else ()
        view = _View(reader.language, max(hidden_ids, default=0), frozenset(hidden_statuses))
        if view not in self._by_view:
            self._by_view[view] = self._render_events(view)
        return self._by_view[view]

    def _jump(self, reader: Reader) -> Events:
        """Return the events of a reader who continues from the end of the chat."""
        cid = self._chat.id
        if not reader.is_program:
            return sse_event("mark" if self._since is None else "reload", {}, cid, self.position)
        if self._since is None:
            return (READY,)
        return (program_event("missed", cid, position_text(cid, self.position)),)

    def _render_events(self, view: _View) -> Events:
        """Return one event for each message of a view, then the new position."""
        cid, since = self._chat.id, self._since or (0, 0)
        messages = [
            message for message in self._changes.messages if message.id > view.newest_hidden
        ]
        if view.language == PROGRAM:
            people = self._related.people
            return tuple(message_events(cid, messages, people, since, self.position))
        parents = {
            message_id: parent
            for message_id, parent in self._related.parents.items()
            if message_id > view.newest_hidden
        }
        related = replace(self._related.without_statuses(view.hidden_statuses), parents=parents)
        fragments = self._render(self._chat, messages, related, view.language)
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


def nothing_for(reader: Reader) -> Events:
    """Return no events, in the form that a reader gets them."""
    return () if reader.is_program else b""
