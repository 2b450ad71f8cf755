"""What the log's entries mean to open streams: messages to send, and acts that change whom they are sent to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from ..db import Db
from ..statuses.store import Status, hydrate

Order = tuple[int, int]
START: Order = (0, 0)  # before every entry
TOLD = {"posted", "deleted", "suspended", "removed"}  # the events that become messages
DOUBTS = {"signed_out", "suspended", "removed"}  # the events after which a member's streams may have to end


class Entry(NamedTuple):
    """One entry of the log, as it is stored."""

    order: Order
    event: Mapping[str, str]

    @property
    def author(self) -> int:
        """Whose statuses a message made of this is about; 0 for none."""
        event = self.event
        return int(event.get("author", event.get("uid", 0))) if event["type"] in TOLD else 0


@dataclass(frozen=True, slots=True)
class Message:
    """One Server-Sent Event about an author's statuses. `order`: its log id as two numbers; `kind`: update, delete or
    hide; `status`: the id it is about, 0 for all of the author's.
    """

    order: Order
    kind: str
    author: int
    status: int
    sse: bytes


@dataclass(frozen=True, slots=True)
class Act:
    """What changes a member's own streams: they `followed` or `unfollowed` the target; or `doubted`: the credentials
    they came with may be good no more.
    """

    kind: str
    uid: int
    target: int = 0


def entries_from(reply: Sequence[Any]) -> list[Entry]:
    """The entries in a reply to XRANGE, or in one stream's part of a reply to XREAD."""
    return [Entry(order(log_id), dict(zip(fields[::2], fields[1::2], strict=True))) for log_id, fields in reply]


def messages_from(db: Db, entries: Sequence[Entry]) -> list[Message | Act]:
    """What the entries mean, in their order; at most one trip. A status that is gone or hidden by now is left out: the
    `delete` or `hide` of it follows. Raises Unavailable.
    """
    posted = [
        (int(entry.event["id"]), int(entry.event["author"])) for entry in entries if entry.event["type"] == "posted"
    ]
    statuses = dict(zip(posted, hydrate(db, posted), strict=True))
    return [part for entry in entries for part in _parts(entry, statuses)]


def _parts(entry: Entry, statuses: Mapping[tuple[int, int], Status | None]) -> list[Message | Act]:
    at, event, parts = entry.order, entry.event, list[Message | Act]()
    kind = event["type"]
    if kind == "posted":
        status = statuses[int(event["id"]), int(event["author"])]
        if status and not status.author.suspended:
            sse = rendered(at, "update", _shown(status))
            parts.append(Message(at, "update", entry.author, status.id, sse))
    elif kind == "deleted":
        sse = rendered(at, "delete", {"id": event["id"]})
        parts.append(Message(at, "delete", entry.author, int(event["id"]), sse))
    elif kind in ("suspended", "removed"):
        parts.append(Message(at, "hide", entry.author, 0, rendered(at, "hide", {"account": event["uid"]})))
    elif kind in ("followed", "unfollowed"):
        parts.append(Act(kind, int(event["uid"]), int(event["target"])))
    if kind in DOUBTS:
        parts.append(Act("doubted", int(event["uid"])))
    return parts


def rendered(at: Order, event: str, data: Mapping[str, Any]) -> bytes:
    """One Server-Sent Event."""
    return b"id: %d-%d\nevent: %s\ndata: %s\n\n" % (*at, event.encode(), orjson.dumps(data))


def order(log_id: str) -> Order:
    """A log id as two numbers, which compare as the log does."""
    ms, _, sequence = log_id.partition("-")
    return int(ms), int(sequence)


def _shown(status: Status) -> dict[str, Any]:
    author = status.author
    return {
        "id": str(status.id),
        "created_at": status.created.isoformat(),
        "text": status.text,
        "entities": [
            {"kind": entity.kind, "text": entity.text, "indices": [entity.start, entity.end]}
            for entity in status.entities
        ],
        "account": {"id": str(author.uid), "login": author.login, "name": author.name},
        "url": f"/@{author.login}/{status.id}",
    }
