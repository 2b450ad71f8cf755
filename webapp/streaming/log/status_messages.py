"""Messages about one status or boost."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from webapp.statuses.status import Status
from webapp.statuses.visibility.visibility import Visibility
from webapp.streaming.api_v1.serializers import notices
from webapp.streaming.api_v1.serializers import statuses as status_serializers
from webapp.streaming.matching.terms import Subject

from .encoding import api_json, format_sse
from .entries import BOOST_EVENTS, LogEntry
from .messages import Message, MessageKind
from .related import RelatedData
from .restricted import audience_of

RESTRICTED_KINDS: dict[str, MessageKind] = {
    "posted": "update",
    "revised": "edit",
    "deleted": "delete",
}


@dataclass(frozen=True, slots=True)
class Batch:
    """What entries that are translated together need. `site`: the public address of the pages."""

    related: RelatedData
    protected_uids: Collection[int]
    site: str

    def status(self, entry: LogEntry) -> Status | None:
        """Return the status of an entry as it is now, None if it is gone."""
        return self.related.statuses.get(entry.status_id)


def update(entry: LogEntry, batch: Batch) -> Message | None:
    """Return a new status with all that filters look at; None if it is gone."""
    status = batch.status(entry)
    if status is None or status.author.suspended:
        return None
    related = batch.related
    person = related.people[status.author.uid]
    body = status_serializers.status_json(status, person, related.mentioned, batch.site)
    return Message(
        entry.position,
        "update",
        status.author.uid,
        status.id,
        format_sse(entry.position, "update", status_serializers.page_json(status)),
        api_json(entry.position, body),
        _subject(status),
        unlisted=_is_unlisted(status),
        ancestors=entry.ancestors,
    )


def edit(entry: LogEntry, batch: Batch) -> Message | None:
    """Return an edit. It has no subject: it goes to those who were sent the status before."""
    status = batch.status(entry)
    if status is None or status.author.suspended:
        return None
    body = status_serializers.edit_json(status, batch.related.mentioned, batch.site)
    return Message(
        entry.position,
        "edit",
        status.author.uid,
        status.id,
        format_sse(entry.position, "edit", status_serializers.page_json(status)),
        api_json(entry.position, body),
        unlisted=_is_unlisted(status),
        ancestors=entry.ancestors,
    )


def delete(entry: LogEntry, _: Batch) -> Message:
    """Return that a status is deleted."""
    position, status_id = entry.position, entry.status_id
    body = notices.delete_json(status_id, entry.author, position.ms)
    return Message(
        position,
        "delete",
        entry.author,
        status_id,
        format_sse(position, "delete", {"id": entry.event["id"]}),
        api_json(position, body),
        unlisted="vis" in entry.event,
        ancestors=entry.ancestors,
    )


def boost(entry: LogEntry, _: Batch) -> Message:
    """Return a boost or its end. Pages then ask for the status; clients of the API are not told."""
    kind: MessageKind = "boost" if entry.type == "boosted" else "unboost"
    event = entry.event
    data = {
        "id": event["target"],
        "boost": event["id"],
        "account": {"id": event["uid"]},
        "author": event["author"],
    }
    return Message(
        entry.position,
        kind,
        entry.author,
        entry.status_id,
        format_sse(entry.position, kind, data),
        unlisted=True,
        boosted_author=int(event["author"]),
    )


def tally(entry: LogEntry, _: Batch) -> Message:
    """Return that a poll shows other numbers."""
    return Message(
        entry.position,
        "tally",
        entry.author,
        entry.status_id,
        format_sse(entry.position, "tally", {"id": entry.event["id"]}),
        unlisted="vis" in entry.event,
        ancestors=entry.ancestors,
    )


def restricted_message(entry: LogEntry, batch: Batch) -> Message | None:
    """Return the message about a status that is not for everybody: numbers only, for pages.

    None if its audience cannot be told any more.
    """
    audience = audience_of(entry.event, batch.status(entry))
    if audience is None:
        return None
    if entry.type in BOOST_EVENTS:
        return replace(boost(entry, batch), restricted_to=audience)
    kind = RESTRICTED_KINDS.get(entry.type, "tally")
    data = {"id": entry.event["id"], "account": {"id": entry.event["author"]}}
    sse = format_sse(entry.position, kind, data)
    return Message(entry.position, kind, entry.author, entry.status_id, sse, restricted_to=audience)


def _subject(status: Status) -> Subject:
    place, reply = status.place, status.in_reply_to
    return Subject(
        status.id,
        status.author.uid,
        status.text,
        status.entities,
        status.lang,
        point=(place.lat, place.long) if place else None,
        reply_to=reply.uid if reply else 0,
        sensitive=bool(status.cw),
    )


def _is_unlisted(status: Status) -> bool:
    return status.visibility is Visibility.UNLISTED
