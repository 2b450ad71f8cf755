"""Messages about boosts."""

from dataclasses import replace

from webapp.statuses import BoostRef, Status, Visibility
from webapp.streaming.log.entries import LogEntry
from webapp.streaming.log.messages import Message, MessageKind
from webapp.streaming.log.position import api_json, format_sse
from webapp.streaming.matching.terms import Subject
from webapp.streaming.serializers import boosts, notices

from .related_reads import Batch


def boost(entry: LogEntry, batch: Batch) -> Message:
    """Return a boost. Pages ask for the status; programs are sent it if everybody may see it.

    Filters find boosts of public statuses only.
    """
    message, status = boost_message(entry), batch.status(entry)
    booster = batch.related.people.get(entry.author)
    if status is None or status.visibility.restricted or booster is None:
        return message
    if booster.member.suspended or status.author.suspended:
        return message
    body = boosts.boost_json(entry.boost, status, batch.related, batch.site_url)
    is_public = status.visibility is Visibility.PUBLIC
    return replace(
        message,
        body=api_json(entry.position, body),
        subject=_boost_subject(entry.boost, status) if is_public else None,
        quoted=status.quote,
    )


def unboost(entry: LogEntry, _: Batch) -> Message:
    """Return the message for a removed boost. API clients receive it as a deletion."""
    body = notices.delete_json(entry.status_id, entry.author, entry.position.ms)
    return replace(boost_message(entry), body=api_json(entry.position, body))


def boost_message(entry: LogEntry) -> Message:
    """Return the pages' message for a new or removed boost: who boosts which status."""
    kind: MessageKind = "boost" if entry.type == "boosted" else "unboost"
    ref = entry.boost
    data = {
        "id": str(ref.status_id),
        "boost": str(ref.id),
        "account": {"id": str(ref.booster_uid)},
        "author": str(ref.author_uid),
    }
    return Message(
        entry.position,
        kind,
        ref.booster_uid,
        ref.id,
        format_sse(entry.position, kind, data),
        unlisted=True,
        boosted=(ref.status_id, ref.author_uid),
    )


def _boost_subject(ref: BoostRef, status: Status) -> Subject:
    """Return the facts for filters: who boosts whom. The text is left out: it was sent before."""
    return Subject(
        ref.id,
        ref.booster_uid,
        "",
        lang=status.lang,
        boosted_author=ref.author_uid,
        sensitive=status.covers_pictures,
    )
