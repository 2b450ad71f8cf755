"""Messages for open streams, and changes of their subscriptions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import orjson

from webapp.statuses import Entry
from webapp.streaming.matching.terms import Subject
from webapp.streaming.serializers import notices

from .position import LOG_START, RELOAD_REASON, LogPosition, api_json, compact_json, format_sse
from .restricted import RestrictedAudience

MessageKind = Literal[
    "update",
    "edit",
    "delete",
    "boost",
    "unboost",
    "tally",  # a poll shows other numbers
    "counts",  # a status has other counts
    "card",  # a status has another link card; pages treat it as an edit
    "hide",  # nothing of the author is shown from now on
    "protect",  # only followers see the author's statuses from now on
    "lost",  # one member no longer sees the author's statuses
    "scrub",  # the author removed all places
    "filters",  # the recipient's filters have changed; pages do not get it
    "reload",  # missed messages are gone
    "ephemeral",  # not in the log
]
ChangeKind = Literal[
    "followed", "unfollowed", "recheck", "list_changed", "tags_changed", "quote_detached"
]
HIDE_KINDS = {"hide", "protect", "lost"}  # they take an author's statuses off pages
# They show somebody's text.
CONTENT_KINDS = {"update", "edit", "boost", "tally", "counts", "card"}


@dataclass(frozen=True, slots=True)
class Message:
    """A message to open streams about one status, one boost or all statuses of an author."""

    position: LogPosition
    kind: MessageKind
    author: int  # uid
    status_id: int  # of a status or a boost; 0 for all of the author's
    sse: bytes  # for pages
    body: bytes = b""  # JSON for clients of the API; empty if they are not sent it
    subject: Subject | None = None  # the facts that filters examine
    unlisted: bool = False  # not for streams of everybody, of tags and of the API
    boosted: Entry | None = None  # the status that the author boosts
    quoted: Entry | None = None  # the status that the shown status quotes
    recipient: int = 0  # uid of the one member whose pages it is for, if any
    ancestors: tuple[int, ...] = ()  # ids of the statuses that it replies to
    restricted_to: RestrictedAudience | None = None  # the only homes that it is for, if any
    size: int = field(init=False, repr=False, compare=False)  # bytes that it takes of a queue

    def __post_init__(self) -> None:
        """Store its size once, since each connection that gets it asks for it."""
        object.__setattr__(self, "size", max(len(self.sse), len(self.body)))

    @property
    def is_public(self) -> bool:
        """Return True if it is about something that everybody may know of."""
        return not (self.restricted_to or self.recipient)

    def deliverable_to(self, hidden_until: Mapping[int, float]) -> bool:
        """Return True unless it shows something of a hidden author (see `HiddenUntil`).

        Messages that take something away are always deliverable.
        """
        if self.kind not in CONTENT_KINDS or not hidden_until:
            return True
        authors = (
            [self.author, self.boosted[1], boosts_by(self.author)]
            if self.boosted
            else [self.author]
        )
        return not any(_is_hidden(uid, hidden_until) for uid in authors)

    @property
    def reply_to(self) -> int:
        """Return the uid that the status answers, 0 for nobody."""
        if self.restricted_to:
            return self.restricted_to.reply_to_uid
        return self.subject.reply_to if self.subject else 0

    @property
    def shown_authors(self) -> set[int]:
        """Return the uids of all whom it shows: its author, and those boosted and quoted."""
        if self.kind not in CONTENT_KINDS:
            return set()
        return {self.author, *(entry[1] for entry in (self.boosted, self.quoted) if entry)}

    def quoting_visible(self, hidden_until: Mapping[int, float]) -> Message:
        """Return the message, without the quoted status if its author is hidden."""
        is_hidden = self.quoted is not None and _is_hidden(self.quoted[1], hidden_until)
        return self.without_quote() if is_hidden else self

    def is_about(self, status_id: int) -> bool:
        """Return True if it is about this status or a boost of it."""
        return self.status_id == status_id or bool(self.boosted and self.boosted[0] == status_id)

    @property
    def is_boost_for_filters(self) -> bool:
        """Return True for the boost of a public status, or for the end of any boost."""
        return self.kind == "unboost" or (self.kind == "boost" and self.subject is not None)

    @property
    def for_filters(self) -> bool:
        """Return True if filtered streams may be sent it: all public statuses and boosts."""
        is_public = not self.unlisted or self.is_boost_for_filters
        return bool(self.status_id and is_public and not self.restricted_to)

    def without_quote(self) -> Message:
        """Return the message with the id of the quoted status only."""
        if self.quoted is None or not self.body:
            return self
        return replace(self, body=self._edited_body(notices.remove_quote), quoted=None)

    def without_places_of(self, author: int) -> Message:
        """Return the message without the places of an author's statuses."""
        others = (self.boosted, self.quoted)
        if author != self.author and not any(entry and entry[1] == author for entry in others):
            return self
        subject = self.subject
        if subject and subject.author == author:
            subject = replace(subject, point=None)
        body = self._edited_body(partial(notices.remove_places_of, author)) if self.body else b""
        return replace(self, body=body, subject=subject)

    def _edited_body(self, edit: Callable[[dict[str, Any]], None]) -> bytes:
        body = orjson.loads(self.body)
        edit(body)
        return compact_json(body)


def boosts_by(uid: int) -> int:
    """Return the number that hides a member's boosts alone, among hidden authors."""
    return -uid


def _is_hidden(uid: int, hidden_until: Mapping[int, float]) -> bool:
    now = time.time()
    return hidden_until.get(uid, now) > now


@dataclass(frozen=True, slots=True)
class SubscriptionChange:
    """A change of the subscriptions of open streams.

    `followed`, `unfollowed`: they see more or less of the member `target`; `recheck`: their
    credentials or the authors hidden from them may have changed; `list_changed`: their list
    `target` has, or all of their lists if it is 0; `tags_changed`: they follow other hashtags;
    `quote_detached`: the quote `target` no longer shows their status.
    """

    kind: ChangeKind
    uid: int
    target: int = 0


LogItem = Message | SubscriptionChange


def reload_message(position: LogPosition) -> Message:
    """Return the message that tells a client to load everything again."""
    sse = format_sse(position, "reload", {})
    body = api_json(position, {"reload": {"reason": RELOAD_REASON}})
    return Message(position, "reload", 0, 0, sse, body)


def ephemeral_message(sse: bytes, body: bytes = b"") -> Message:
    """Return a message for those who listen now, which has no position in the log."""
    return Message(LOG_START, "ephemeral", 0, 0, sse, body)
