"""Messages about one status or boost."""

from __future__ import annotations

from dataclasses import replace

from webapp.search.index.documents import is_searchable, status_document
from webapp.statuses.status import Status
from webapp.statuses.values.visibility import Visibility
from webapp.streaming.log.entries import BOOST_EVENTS, LogEntry
from webapp.streaming.log.messages import Message, MessageKind
from webapp.streaming.log.position import api_json, format_sse
from webapp.streaming.log.restricted import audience_of
from webapp.streaming.matching.terms import Subject
from webapp.streaming.serializers import notices
from webapp.streaming.serializers import statuses as status_serializers

from .boost_messages import boost_message
from .related_reads import Batch

RESTRICTED_KINDS: dict[str, MessageKind] = {
    "posted": "update",
    "edited": "edit",
    "card_changed": "card",
    "deleted": "delete",
}


def update(entry: LogEntry, batch: Batch) -> Message | None:
    """Return a new status with all that filters look at; None if it is gone."""
    status = batch.status(entry)
    if status is None or status.author.suspended:
        return None
    body = status_serializers.status_json(status, batch.related, batch.site_url)
    return Message(
        entry.position,
        "update",
        status.author.uid,
        status.id,
        format_sse(entry.position, "update", status_serializers.page_json(status)),
        api_json(entry.position, body),
        _subject(status),
        unlisted=_is_unlisted(status),
        quoted=status.quote,
        ancestors=entry.ancestors,
    )


def edit(entry: LogEntry, batch: Batch) -> Message | None:
    """Return an edit. It has no subject: it goes to those who were sent the status before."""
    status = batch.status(entry)
    if status is None or status.author.suspended:
        return None
    body = status_serializers.edit_json(status, batch.related.mentioned, batch.site_url)
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
    """Return the message for a deleted status."""
    position, status_id = entry.position, entry.status_id
    body = notices.delete_json(status_id, entry.author, position.ms)
    return Message(
        position,
        "delete",
        entry.author,
        status_id,
        format_sse(position, "delete", {"id": entry.event["id"]}),
        api_json(position, body),
        unlisted="visibility" in entry.event,
        ancestors=entry.ancestors,
    )


def tally(entry: LogEntry, _: Batch) -> Message:
    """Return the message for new numbers of a poll."""
    return Message(
        entry.position,
        "tally",
        entry.author,
        entry.status_id,
        format_sse(entry.position, "tally", {"id": entry.event["id"]}),
        unlisted="visibility" in entry.event,
        ancestors=entry.ancestors,
    )


def counts(entry: LogEntry, _: Batch) -> Message:
    """Return the counts of a status, as numbers in text. Those that are 0 may be left out."""
    names = ("id", "replies", "boosts", "quotes", "likes")
    data = {name: entry.event[name] for name in names if name in entry.event}
    return Message(
        entry.position,
        "counts",
        entry.author,
        entry.status_id,
        format_sse(entry.position, "counts", data),
        unlisted="visibility" in entry.event,
        ancestors=entry.ancestors,
    )


def card(entry: LogEntry, batch: Batch) -> Message | None:
    """Return the message for a new link card: an edit to pages, nothing to API clients."""
    status = batch.status(entry)
    if status is None or status.author.suspended:
        return None
    return Message(
        entry.position,
        "card",
        status.author.uid,
        status.id,
        format_sse(entry.position, "edit", status_serializers.page_json(status)),
        unlisted=_is_unlisted(status),
        ancestors=entry.ancestors,
    )


def restricted_message(entry: LogEntry, batch: Batch) -> Message | None:
    """Return the message about a status that is not for everybody: numbers only, for pages.

    None if its audience is no longer known.
    """
    audience = audience_of(entry.event, batch.status(entry))
    if audience is None:
        return None
    if entry.type in BOOST_EVENTS:
        return replace(boost_message(entry), restricted_to=audience)
    kind = RESTRICTED_KINDS.get(entry.type, "tally")
    data = {"id": entry.event["id"], "account": {"id": entry.event["author"]}}
    sse = format_sse(entry.position, "edit" if kind == "card" else kind, data)
    return Message(entry.position, kind, entry.author, entry.status_id, sse, restricted_to=audience)


def _subject(status: Status) -> Subject:
    place, reply = status.place, status.in_reply_to
    return Subject(
        status.id,
        status.author.uid,
        status.text,
        status.entities,
        status.lang,
        point=place.point if place else None,
        reply_to=reply.uid if reply else 0,
        sensitive=status.covers_pictures,
        document=status_document(status) if is_searchable(status) else None,
    )


def _is_unlisted(status: Status) -> bool:
    return status.visibility is Visibility.UNLISTED
