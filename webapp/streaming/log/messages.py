"""What the log's entries mean to open streams: messages to send, and acts that change whom they are sent to."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import orjson

from webapp.core.store.client import Db
from webapp.statuses.status import Status
from webapp.statuses.visibility.visibility import Visibility, protected_uids
from webapp.streaming.api_v1 import serializers
from webapp.streaming.matching.terms import Subject

from .lookup import RelatedData, load_related
from .restricted import MESSAGE_KINDS, RestrictedAudience, audience_of

LogPosition = tuple[int, int]
LOG_START: LogPosition = (0, 0)  # before every entry
POLL_EVENTS = {"voted", "poll_ended"}  # the events after which a poll shows something else
# The events that become messages.
STREAMED_EVENTS = {
    "posted",
    "revised",
    "deleted",
    "suspended",
    "protected",
    "removed",
    "scrubbed",
    "boosted",
    "unboosted",
}
STREAMED_EVENTS |= POLL_EVENTS | {"unfollowed"}
RELOAD_REASON = "What you missed since then cannot be told any more. The stream goes on from here."
# The events after which a member's streams may have to end, or to hide others than before.
RECHECK_EVENTS = {"signed_out", "suspended", "removed", "muted", "unmuted"}
HIDE_KINDS = {
    "hide",
    "protect",
    "lost",
}  # the kinds of messages that take an author's statuses off pages
CONTENT_KINDS = {
    "update",
    "edit",
    "boost",
    "tally",
}  # the kinds of messages that show what somebody wrote
CONTENT_EVENTS = {"posted", "revised"}  # the events that become such messages
HYDRATED_EVENTS = CONTENT_EVENTS | POLL_EVENTS  # those that are told by what the status says now
BOOST_KINDS = {
    "boosted": "boost",
    "unboosted": "unboost",
}  # the events of boosts, and the kinds of their messages
LIST_EVENTS = {
    "listed",
    "unlisted",
    "list_changed",
    "list_gone",
}  # those that change who sees what of a list
BLOCK_EVENTS = {
    "blocked",
    "unblocked",
}  # those after which both members' streams may have to hide the other


class LogEntry(NamedTuple):
    """One entry of the log, as it is stored."""

    position: LogPosition
    event: Mapping[str, str]

    @property
    def author(self) -> int:
        """Whose statuses, or boosts, a message made of this is about; 0 for none."""
        event = self.event
        fields = (
            ("target",)
            if self.recipient
            else ("uid", "author")
            if event["type"] in BOOST_KINDS
            else ("author", "uid")
        )
        return (
            int(next(event[name] for name in fields if name in event))
            if event["type"] in STREAMED_EVENTS
            else 0
        )

    @property
    def recipient(self) -> int:
        """The one member whose pages a message made of this is for; 0 for all who show the author."""
        return int(self.event["uid"]) if self.event["type"] == "unfollowed" else 0

    @property
    def is_restricted(self) -> bool:
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

    position: LogPosition
    kind: str
    author: int
    status_id: int
    sse: bytes
    body: bytes = b""
    subject: Subject | None = None
    unlisted: bool = False
    boosted_author: int = 0
    recipient: int = 0
    ancestors: tuple[int, ...] = ()
    restricted_to: RestrictedAudience | None = None

    def deliverable_to(self, hidden_until: Mapping[int, float]) -> bool:
        """Whether it may be sent to somebody from whom these authors' statuses are hidden, until when each. That one is
        gone may be.
        """
        now, authors = time.time(), (self.author, self.boosted_author)
        return self.kind not in CONTENT_KINDS or not any(
            uid in hidden_until and hidden_until[uid] > now for uid in authors
        )

    @property
    def size(self) -> int:
        """How much of a queue it takes, bytes."""
        return max(len(self.sse), len(self.body))

    def without_place(self) -> Message:
        """The same without where it was written."""
        if self.subject is None or self.subject.point is None:
            return self
        body = _trimmed(orjson.dumps({**orjson.loads(self.body), **serializers.NO_PLACE}))
        return replace(self, body=body, subject=replace(self.subject, point=None))


@dataclass(frozen=True, slots=True)
class SubscriptionChange:
    """What changes a member's own streams: they `followed` or `unfollowed` the target; or `doubted`: the credentials
    they came with may be good no more, or others be hidden from them; or `relisted`: their list of this number (0: all
    of them) has changed; or `retagged`: they follow other hashtags.
    """

    kind: str
    uid: int
    target: int = 0


def entries_from(reply: Sequence[Any]) -> list[LogEntry]:
    """The entries in a reply to XRANGE, or in one stream's part of a reply to XREAD."""
    return [
        LogEntry(parse_log_id(log_id), dict(zip(fields[::2], fields[1::2], strict=True)))
        for log_id, fields in reply
    ]


def messages_from(
    db: Db, entries: Sequence[LogEntry], site: str
) -> list[Message | SubscriptionChange]:
    """What the entries mean, in their order; at most four trips. A status that is gone or hidden by now is left out:
    the `delete` or `hide` of it follows. `site`: the public address of the pages. Raises Unavailable.
    """
    events = (entry.event for entry in entries if entry.event["type"] in HYDRATED_EVENTS)
    related = load_related(db, [(int(event["id"]), int(event["author"])) for event in events])
    protected_authors = protected_uids(db, (entry.author for entry in entries if entry.recipient))
    return [
        item
        for entry in entries
        for item in (
            _restricted_messages(entry, related)
            if _is_restricted(entry, related)
            else _messages_and_changes(entry, related, protected_authors, site)
        )
    ]


def _is_restricted(entry: LogEntry, related: RelatedData) -> bool:
    """Whether not everybody might see what it tells of as it was logged, or may by now."""
    status = (
        related.statuses.get(int(entry.event["id"]))
        if entry.event["type"] in HYDRATED_EVENTS
        else None
    )
    return entry.is_restricted or (status is not None and status.visibility.restricted)


def _restricted_messages(
    entry: LogEntry, related: RelatedData
) -> list[Message | SubscriptionChange]:
    """Numbers alone, for pages that ask for the rest; API clients are told nothing."""
    position, event, kind = entry.position, entry.event, entry.event["type"]
    allowed = audience_of(event, related.statuses.get(int(event["id"])))
    if allowed is None:
        return []
    if kind in BOOST_KINDS:
        return [replace(_boost_message(position, event), restricted_to=allowed)]
    message_kind = MESSAGE_KINDS.get(kind, "tally")
    sse = format_sse(
        position, message_kind, {"id": event["id"], "account": {"id": event["author"]}}
    )
    return [
        Message(position, message_kind, entry.author, int(event["id"]), sse, restricted_to=allowed)
    ]


def _messages_and_changes(
    entry: LogEntry, related: RelatedData, protected_authors: Collection[int], site: str
) -> list[Message | SubscriptionChange]:
    position, event, items, author = (
        entry.position,
        entry.event,
        list[Message | SubscriptionChange](),
        entry.author,
    )
    kind, ancestors = event["type"], tuple(map(int, event.get("above", "").split()))
    if kind in CONTENT_EVENTS:
        status = related.statuses.get(int(event["id"]))
        if status and not status.author.suspended:
            items.append(
                replace(
                    (_update_message if kind == "posted" else _edit_message)(
                        position, status, related, site
                    ),
                    ancestors=ancestors,
                )
            )
    elif kind in BOOST_KINDS:
        items.append(_boost_message(position, event))
    elif kind == "deleted":
        sse, status_id = format_sse(position, "delete", {"id": event["id"]}), int(event["id"])
        body = serializers.delete_json(status_id, author, position[0])
        items.append(
            Message(
                position,
                "delete",
                author,
                status_id,
                sse,
                _api_body(position, body),
                unlisted="vis" in event,
                ancestors=ancestors,
            )
        )
    elif kind in POLL_EVENTS:
        sse = format_sse(position, "tally", {"id": event["id"]})
        items.append(
            Message(
                position,
                "tally",
                author,
                int(event["id"]),
                sse,
                unlisted="vis" in event,
                ancestors=ancestors,
            )
        )
    elif kind in ("suspended", "protected", "removed"):
        follower_note = {"followers": True} if kind == "protected" else {}
        sse, body = (
            format_sse(position, "hide", {"account": event["uid"], **follower_note}),
            serializers.hide_json(kind, author, position[0]),
        )
        items.append(
            Message(
                position,
                "protect" if follower_note else "hide",
                author,
                0,
                sse,
                _api_body(position, body),
            )
        )
    elif kind == "scrubbed":
        items.append(
            Message(
                position,
                "scrub",
                author,
                0,
                b"",
                _api_body(position, serializers.scrub_geo_json(author, int(event["up_to"]))),
            )
        )
    elif kind in ("followed", "unfollowed"):
        items.append(SubscriptionChange(kind, int(event["uid"]), int(event["target"])))
        if author in protected_authors:  # what its follower still shows is not for them any more
            sse = format_sse(position, "hide", {"account": event["target"]})
            items.append(Message(position, "lost", author, 0, sse, recipient=entry.recipient))
    elif kind == "retagged":
        items.append(SubscriptionChange(kind, int(event["uid"])))
    if kind in RECHECK_EVENTS:
        items.append(SubscriptionChange("doubted", int(event["uid"])))
    if kind in LIST_EVENTS:
        items += [
            SubscriptionChange("relisted", int(event["uid"]), int(event["list"])),
            SubscriptionChange("doubted", int(event["uid"])),
        ]
    if kind in ("suspended", "protected", "removed"):
        items.append(SubscriptionChange("relisted", int(event["uid"])))
    if kind in BLOCK_EVENTS:
        items += [
            SubscriptionChange("doubted", int(event["uid"])),
            SubscriptionChange("doubted", int(event["target"])),
        ]
    return items


def _update_message(
    position: LogPosition, status: Status, related: RelatedData, site: str
) -> Message:
    point = (status.place.lat, status.place.long) if status.place else None
    text_fields, author = (status.text, status.entities, status.lang), status.author.uid
    reply_to_uid = status.in_reply_to.uid if status.in_reply_to else 0
    subject = Subject(
        status.id, author, *text_fields, point, reply_to_uid, sensitive=bool(status.cw)
    )
    body = serializers.status_json(status, related.people[author], related.mentioned, site)
    sse = format_sse(position, "update", serializers.page_json(status))
    return Message(
        position,
        "update",
        author,
        status.id,
        sse,
        _api_body(position, body),
        subject,
        _is_unlisted(status),
    )


def _edit_message(
    position: LogPosition, status: Status, related: RelatedData, site: str
) -> Message:
    """It goes to those to whom the status went as it was, so it has no subject of its own."""
    body = _api_body(position, serializers.edit_json(status, related.mentioned, site))
    sse = format_sse(position, "edit", serializers.page_json(status))
    return Message(
        position, "edit", status.author.uid, status.id, sse, body, unlisted=_is_unlisted(status)
    )


def _boost_message(position: LogPosition, event: Mapping[str, str]) -> Message:
    """It is looked up by the page that asks for it; API clients are not told."""
    kind, booster, author = BOOST_KINDS[event["type"]], int(event["uid"]), int(event["author"])
    data = {
        "id": event["target"],
        "boost": event["id"],
        "account": {"id": event["uid"]},
        "author": event["author"],
    }
    return Message(
        position,
        kind,
        booster,
        int(event["id"]),
        format_sse(position, kind, data),
        unlisted=True,
        boosted_author=author,
    )


def _is_unlisted(status: Status) -> bool:
    return status.visibility is Visibility.UNLISTED


def _api_body(position: LogPosition, data: dict[str, Any]) -> bytes:
    """The JSON of a message, with the log id that a client may come back with."""
    return _trimmed(orjson.dumps({**data, "event_id": f"{position[0]}-{position[1]}"}))


def _trimmed(encoded: bytes) -> bytes:
    """The same bytes in no more memory than they need: what orjson returns keeps the 8 KB and more it was written in,
    and messages are kept by the thousand.
    """
    return bytes(memoryview(encoded))


def format_sse(position: LogPosition, event: str, data: Mapping[str, Any]) -> bytes:
    """One Server-Sent Event."""
    return b"id: %d-%d\nevent: %s\ndata: %s\n\n" % (*position, event.encode(), orjson.dumps(data))


def reload_message(position: LogPosition) -> Message:
    """What a client is told when what it missed cannot be."""
    return Message(
        position,
        "reload",
        0,
        0,
        format_sse(position, "reload", {}),
        _api_body(position, {"reload": {"reason": RELOAD_REASON}}),
    )


def parse_log_id(log_id: str) -> LogPosition:
    """A log id as two numbers, which compare as the log does."""
    ms, _, sequence = log_id.partition("-")
    return int(ms), int(sequence)
