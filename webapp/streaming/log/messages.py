"""Messages for open streams, and changes of what open streams are sent."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import orjson

from webapp.streaming.api_v1.serializers.statuses import NO_PLACE
from webapp.streaming.matching.terms import Subject

from . import encoding
from .position import LOG_START, LogPosition
from .restricted import RestrictedAudience

MessageKind = Literal[
    "update",
    "edit",
    "delete",
    "boost",
    "unboost",
    "tally",  # a poll shows other numbers
    "hide",  # nothing of the author is shown any more
    "protect",  # only followers see the author's statuses from now on
    "lost",  # one member no longer sees the author's statuses
    "scrub",  # the author removed all places
    "reload",  # what the client missed is gone
    "ephemeral",  # not in the log
]
ChangeKind = Literal["followed", "unfollowed", "recheck", "list_changed", "tags_changed"]
HIDE_KINDS = {"hide", "protect", "lost"}  # they take an author's statuses off pages
CONTENT_KINDS = {"update", "edit", "boost", "tally"}  # they show what somebody wrote


@dataclass(frozen=True, slots=True)
class Message:
    """What open streams are sent about one status, one boost or all statuses of an author."""

    position: LogPosition
    kind: MessageKind
    author: int  # uid
    status_id: int  # of a status or a boost; 0 for all of the author's
    sse: bytes  # for pages
    body: bytes = b""  # JSON for clients of the API; empty if they are not sent it
    subject: Subject | None = None  # what filters look at
    unlisted: bool = False  # not for streams of everybody, of tags and of the API
    boosted_author: int = 0  # uid whose status the author boosts
    recipient: int = 0  # uid of the one member whose pages it is for, if any
    ancestors: tuple[int, ...] = ()  # ids of the statuses that it replies to
    restricted_to: RestrictedAudience | None = None  # the only homes that it is for, if any

    def deliverable_to(self, hidden_until: Mapping[int, float]) -> bool:
        """Return True unless it shows something of a hidden author (uid → until when, unix s).

        Messages that take something away are always deliverable.
        """
        if self.kind not in CONTENT_KINDS or not hidden_until:
            return True
        now = time.time()
        authors = (self.author, self.boosted_author)
        return not any(hidden_until.get(uid, now) > now for uid in authors)

    @property
    def size(self) -> int:
        """Return how many bytes of a queue it takes."""
        return max(len(self.sse), len(self.body))

    def without_place(self) -> Message:
        """Return the message without the place where its status was written."""
        if self.subject is None or self.subject.point is None:
            return self
        body = encoding.compact_json({**orjson.loads(self.body), **NO_PLACE})
        return replace(self, body=body, subject=replace(self.subject, point=None))


@dataclass(frozen=True, slots=True)
class SubscriptionChange:
    """A change of a member's own streams.

    `followed`, `unfollowed`: they see more or less of the member `target`; `recheck`: their
    credentials or the authors hidden from them may have changed; `list_changed`: their list
    `target` has, or all of their lists if it is 0; `tags_changed`: they follow other hashtags.
    """

    kind: ChangeKind
    uid: int
    target: int = 0


LogItem = Message | SubscriptionChange


def reload_message(position: LogPosition) -> Message:
    """Return the message that tells a client to load everything again."""
    sse = encoding.format_sse(position, "reload", {})
    body = encoding.api_json(position, {"reload": {"reason": encoding.RELOAD_REASON}})
    return Message(position, "reload", 0, 0, sse, body)


def ephemeral_message(sse: bytes) -> Message:
    """Return a message for those who listen now, which has no position in the log."""
    return Message(LOG_START, "ephemeral", 0, 0, sse)
