"""Projection: the public timeline. Safe to run twice."""

from collections.abc import Sequence

from webapp.core.events.outbox import SYNC_ENTRY, Context, Event, in_steps
from webapp.core.store import Command, Steps, ask, collect, gather, read, send_all
from webapp.statuses import keys as status_keys
from webapp.statuses.values.visibility import unpublished_among
from webapp.timelines import keys
from webapp.timelines.entries import format_status_entry

from .events import id_and_poster, reply_to_uid


@in_steps
def publish(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Add posted statuses to the public timeline, and remove deleted ones.

    Replies to others, restricted statuses, and those of protected or limited authors are never
    in it.
    """
    events = [
        event for event in events if not reply_to_uid(event) and not event.data.get("visibility")
    ]
    entries = list(map(id_and_poster, events))
    statuses_exist = collect(read(("EXISTS", status_keys.status(one)), bool) for one, _ in entries)
    unpublished_authors = unpublished_among(author for _, author in entries)
    exist, unpublished = yield from ask(gather(statuses_exist, unpublished_authors))
    yield from send_all(
        _publish_command(context, event, is_shown=exists and author not in unpublished)
        for event, (_, author), exists in zip(events, entries, exist, strict=True)
    )


def _publish_command(context: Context, event: Event, is_shown: bool) -> Command:
    status_id, author = id_and_poster(event)
    return SYNC_ENTRY(
        event,
        entries=keys.public_timeline(),
        entry=format_status_entry(status_id, author),
        score=status_id if is_shown else "",
        limit=context.config.public_max,
    )
