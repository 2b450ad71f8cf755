"""What the log's entries mean to open streams: messages to send, and acts that change whom they are sent to."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import orjson

from ..db import Db
from ..statuses.status import Status
from ..statuses.visibility import Visibility, protected
from . import shapes
from .close import KINDS, Close, audience
from .people import Known, look_up
from .terms import Subject

Order = tuple[int, int]
START: Order = (0, 0)  # before every entry
TALLIES = {"voted", "poll_ended"}  # the events after which a poll shows something else
# The events that become messages.
TOLD = {"posted", "revised", "deleted", "suspended", "protected", "removed", "scrubbed", "boosted", "unboosted"}
TOLD |= TALLIES | {"unfollowed"}
RELOAD = "What you missed since then cannot be told any more. The stream goes on from here."
# The events after which a member's streams may have to end, or to hide others than before.
DOUBTS = {"signed_out", "suspended", "removed", "muted", "unmuted"}
HIDES = {"hide", "protect", "lost"}  # the kinds of messages that take an author's statuses off pages
WORDS = {"update", "edit", "boost", "tally"}  # the kinds of messages that show what somebody wrote
WRITTEN = {"posted", "revised"}  # the events that become such messages
LOOKED_UP = WRITTEN | TALLIES  # those that are told by what the status says now
BOOSTED = {"boosted": "boost", "unboosted": "unboost"}  # the events of boosts, and the kinds of their messages
LISTS = {"listed", "unlisted", "list_changed", "list_gone"}  # those that change who sees what of a list
BLOCKS = {"blocked", "unblocked"}  # those after which both members' streams may have to hide the other


class Entry(NamedTuple):
    """One entry of the log, as it is stored."""

    order: Order
    event: Mapping[str, str]

    @property
    def author(self) -> int:
        """Whose statuses, or boosts, a message made of this is about; 0 for none."""
        event = self.event
        who = ("target",) if self.reader else ("uid", "author") if event["type"] in BOOSTED else ("author", "uid")
        return int(next(event[name] for name in who if name in event)) if event["type"] in TOLD else 0

    @property
    def reader(self) -> int:
        """The one member whose pages a message made of this is for; 0 for all who show the author."""
        return int(self.event["uid"]) if self.event["type"] == "unfollowed" else 0

    @property
    def close(self) -> bool:
        """Whether not everybody might see what it tells of, so that it holds numbers alone."""
        return "close" in self.event


@dataclass(frozen=True, slots=True)
class Message:
    """What happened to an author's statuses. `order`: its log id as two numbers; `kind`: update, edit, delete, hide,
    protect, lost, scrub, boost, unboost or tally, or reload where that cannot be told; `status`: the id (of a status or
    a boost) it is about, 0 for all of the author's; `sse`: the Server-Sent Event for pages, `body`: the JSON of the
    streaming API, nothing where they need not know; `subject`: what filters look at; `unlisted`: for homes and profiles
    alone; `other`: whose status it is that the author boosts; `reader`: the one member whose pages it is for, if any;
    `above`: the ids of the statuses that the status is below;
    `close`: the homes that it is for, and nothing else, where not everybody may see what it is about.
    """

    order: Order
    kind: str
    author: int
    status: int
    sse: bytes
    body: bytes = b""
    subject: Subject | None = None
    unlisted: bool = False
    other: int = 0
    reader: int = 0
    above: tuple[int, ...] = ()
    close: Close | None = None

    def shown(self, hidden: Mapping[int, float]) -> bool:
        """Whether it may be sent to somebody from whom these authors' statuses are hidden, until when each. That one is
        gone may be.
        """
        now, people = time.time(), (self.author, self.other)
        return self.kind not in WORDS or not any(uid in hidden and hidden[uid] > now for uid in people)

    @property
    def size(self) -> int:
        """How much of a queue it takes, bytes."""
        return max(len(self.sse), len(self.body))

    def without_place(self) -> Message:
        """The same without where it was written."""
        if self.subject is None or self.subject.point is None:
            return self
        body = _exact(orjson.dumps({**orjson.loads(self.body), **shapes.NOWHERE}))
        return replace(self, body=body, subject=replace(self.subject, point=None))


@dataclass(frozen=True, slots=True)
class Act:
    """What changes a member's own streams: they `followed` or `unfollowed` the target; or `doubted`: the credentials
    they came with may be good no more, or others be hidden from them; or `relisted`: their list of this number (0: all
    of them) has changed; or `retagged`: they follow other hashtags.
    """

    kind: str
    uid: int
    target: int = 0


def entries_from(reply: Sequence[Any]) -> list[Entry]:
    """The entries in a reply to XRANGE, or in one stream's part of a reply to XREAD."""
    return [Entry(order(log_id), dict(zip(fields[::2], fields[1::2], strict=True))) for log_id, fields in reply]


def messages_from(db: Db, entries: Sequence[Entry], site: str) -> list[Message | Act]:
    """What the entries mean, in their order; at most four trips. A status that is gone or hidden by now is left out:
    the `delete` or `hide` of it follows. `site`: the public address of the pages. Raises Unavailable.
    """
    asked = (entry.event for entry in entries if entry.event["type"] in LOOKED_UP)
    known = look_up(db, [(int(event["id"]), int(event["author"])) for event in asked])
    shut = protected(db, (entry.author for entry in entries if entry.reader))
    return [
        part
        for entry in entries
        for part in (_close(entry, known) if _is_close(entry, known) else _parts(entry, known, shut, site))
    ]


def _is_close(entry: Entry, known: Known) -> bool:
    """Whether not everybody might see what it tells of as it was logged, or may by now."""
    status = known.statuses.get(int(entry.event["id"])) if entry.event["type"] in LOOKED_UP else None
    return entry.close or (status is not None and status.visibility.limited)


def _close(entry: Entry, known: Known) -> list[Message | Act]:
    """Numbers alone, for pages that ask for the rest; API clients are told nothing."""
    at, event, kind = entry.order, entry.event, entry.event["type"]
    homes = audience(event, known.statuses.get(int(event["id"])))
    if homes is None:
        return []
    if kind in BOOSTED:
        return [replace(_boost(at, event), close=homes)]
    said = KINDS.get(kind, "tally")
    sse = rendered(at, said, {"id": event["id"], "account": {"id": event["author"]}})
    return [Message(at, said, entry.author, int(event["id"]), sse, close=homes)]


def _parts(entry: Entry, known: Known, shut: Collection[int], site: str) -> list[Message | Act]:
    at, event, parts, author = entry.order, entry.event, list[Message | Act](), entry.author
    kind, above = event["type"], tuple(map(int, event.get("above", "").split()))
    if kind in WRITTEN:
        status = known.statuses.get(int(event["id"]))
        if status and not status.author.suspended:
            parts.append(replace((_update if kind == "posted" else _edit)(at, status, known, site), above=above))
    elif kind in BOOSTED:
        parts.append(_boost(at, event))
    elif kind == "deleted":
        sse, number = rendered(at, "delete", {"id": event["id"]}), int(event["id"])
        body = shapes.delete_json(number, author, at[0])
        parts.append(Message(at, "delete", author, number, sse, _body(at, body), unlisted="vis" in event, above=above))
    elif kind in TALLIES:
        sse = rendered(at, "tally", {"id": event["id"]})
        parts.append(Message(at, "tally", author, int(event["id"]), sse, unlisted="vis" in event, above=above))
    elif kind in ("suspended", "protected", "removed"):
        still = {"followers": True} if kind == "protected" else {}
        sse, body = rendered(at, "hide", {"account": event["uid"], **still}), shapes.hide_json(kind, author, at[0])
        parts.append(Message(at, "protect" if still else "hide", author, 0, sse, _body(at, body)))
    elif kind == "scrubbed":
        parts.append(
            Message(at, "scrub", author, 0, b"", _body(at, shapes.scrub_geo_json(author, int(event["up_to"]))))
        )
    elif kind in ("followed", "unfollowed"):
        parts.append(Act(kind, int(event["uid"]), int(event["target"])))
        if author in shut:  # what its follower still shows is not for them any more
            sse = rendered(at, "hide", {"account": event["target"]})
            parts.append(Message(at, "lost", author, 0, sse, reader=entry.reader))
    elif kind == "retagged":
        parts.append(Act(kind, int(event["uid"])))
    if kind in DOUBTS:
        parts.append(Act("doubted", int(event["uid"])))
    if kind in LISTS:
        parts += [Act("relisted", int(event["uid"]), int(event["list"])), Act("doubted", int(event["uid"]))]
    if kind in ("suspended", "protected", "removed"):
        parts.append(Act("relisted", int(event["uid"])))
    if kind in BLOCKS:
        parts += [Act("doubted", int(event["uid"])), Act("doubted", int(event["target"]))]
    return parts


def _update(at: Order, status: Status, known: Known, site: str) -> Message:
    point = (status.place.lat, status.place.long) if status.place else None
    said, author = (status.text, status.entities, status.lang), status.author.uid
    answered = status.reply.uid if status.reply else 0
    subject = Subject(status.id, author, *said, point, answered, sensitive=bool(status.cw))
    body = shapes.status_json(status, known.people[author], known.mentioned, site)
    sse = rendered(at, "update", shapes.page_json(status))
    return Message(at, "update", author, status.id, sse, _body(at, body), subject, _unlisted(status))


def _edit(at: Order, status: Status, known: Known, site: str) -> Message:
    """It goes to those to whom the status went as it was, so it has no subject of its own."""
    body = _body(at, shapes.edit_json(status, known.mentioned, site))
    sse = rendered(at, "edit", shapes.page_json(status))
    return Message(at, "edit", status.author.uid, status.id, sse, body, unlisted=_unlisted(status))


def _boost(at: Order, event: Mapping[str, str]) -> Message:
    """It is looked up by the page that asks for it; API clients are not told."""
    kind, by, author = BOOSTED[event["type"]], int(event["uid"]), int(event["author"])
    data = {"id": event["target"], "boost": event["id"], "account": {"id": event["uid"]}, "author": event["author"]}
    return Message(at, kind, by, int(event["id"]), rendered(at, kind, data), unlisted=True, other=author)


def _unlisted(status: Status) -> bool:
    return status.visibility is Visibility.UNLISTED


def _body(at: Order, shape: dict[str, Any]) -> bytes:
    """The JSON of a message, with the log id that a client may come back with."""
    return _exact(orjson.dumps({**shape, "event_id": f"{at[0]}-{at[1]}"}))


def _exact(written: bytes) -> bytes:
    """The same bytes in no more memory than they need: what orjson returns keeps the 8 KB and more it was written in,
    and messages are kept by the thousand.
    """
    return bytes(memoryview(written))


def rendered(at: Order, event: str, data: Mapping[str, Any]) -> bytes:
    """One Server-Sent Event."""
    return b"id: %d-%d\nevent: %s\ndata: %s\n\n" % (*at, event.encode(), orjson.dumps(data))


def reload(at: Order) -> Message:
    """What a client is told when what it missed cannot be."""
    return Message(at, "reload", 0, 0, rendered(at, "reload", {}), _body(at, {"reload": {"reason": RELOAD}}))


def order(log_id: str) -> Order:
    """A log id as two numbers, which compare as the log does."""
    ms, _, sequence = log_id.partition("-")
    return int(ms), int(sequence)
