"""Messages about one status or boost."""

from dataclasses import replace

from webapp.search.index.documents import is_searchable, status_document
from webapp.statuses import Entry, Status, Visibility
from webapp.streaming.log.entries import BOOST_EVENTS, LogEntry
from webapp.streaming.log.messages import Message, MessageKind
from webapp.streaming.log.position import api_json, format_sse
from webapp.streaming.log.restricted import audience_of
from webapp.streaming.matching.terms import Subject
from webapp.streaming.serializers import notices, statuses as status_serializers

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
    if (status := _visible(entry, batch)) is None:
        return None
    body = status_serializers.status_json(status, batch.related, batch.site_url)
    return _shown(
        entry, status, "update", api_json(entry.position, body), _subject(status), status.quote
    )


def edit(entry: LogEntry, batch: Batch) -> Message | None:
    """Return an edit. It has no subject: it goes to those who were sent the status before."""
    if (status := _visible(entry, batch)) is None:
        return None
    body = status_serializers.edit_json(status, batch.related.mentioned, batch.site_url)
    return _shown(entry, status, "edit", api_json(entry.position, body))


def card(entry: LogEntry, batch: Batch) -> Message | None:
    """Return the message for a new link card: an edit to pages, nothing to API clients."""
    status = _visible(entry, batch)
    return _shown(entry, status, "card") if status else None


def delete(entry: LogEntry, _: Batch) -> Message:
    """Return the message for a deleted status."""
    body = notices.delete_json(entry.status_id, entry.author, entry.position.ms)
    return _told(entry, "delete", ("id",), api_json(entry.position, body))


def tally(entry: LogEntry, _: Batch) -> Message:
    """Return the message for new numbers of a poll."""
    return _told(entry, "tally", ("id",))


def counts(entry: LogEntry, _: Batch) -> Message:
    """Return the counts of a status, as numbers in text. Those that are 0 may be left out."""
    return _told(entry, "counts", ("id", "replies", "boosts", "quotes", "likes"))


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


def _visible(entry: LogEntry, batch: Batch) -> Status | None:
    """Return the status of an entry; None if it is gone, or its author is suspended."""
    status = batch.status(entry)
    return None if status is None or status.author.suspended else status


def _shown(
    entry: LogEntry,
    status: Status,
    kind: MessageKind,
    body: bytes = b"",
    subject: Subject | None = None,
    quoted: Entry | None = None,
) -> Message:
    """Return a message that shows a status as it is now."""
    name = "update" if kind == "update" else "edit"
    return Message(
        entry.position,
        kind,
        status.author.uid,
        status.id,
        format_sse(entry.position, name, status_serializers.page_json(status)),
        body,
        subject,
        unlisted=status.visibility is Visibility.UNLISTED,
        quoted=quoted,
        ancestors=entry.ancestors,
    )


def _told(entry: LogEntry, kind: MessageKind, names: tuple[str, ...], body: bytes = b"") -> Message:
    """Return a message that tells pages these fields of an event, of those that it has."""
    data = {name: entry.event[name] for name in names if name in entry.event}
    return Message(
        entry.position,
        kind,
        entry.author,
        entry.status_id,
        format_sse(entry.position, kind, data),
        body,
        unlisted="visibility" in entry.event,
        ancestors=entry.ancestors,
    )


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
        groups=status.gids,
        document=status_document(status) if is_searchable(status) else None,
    )
