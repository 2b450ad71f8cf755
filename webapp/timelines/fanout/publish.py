"""Projection: the public timeline. Safe to run twice."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys
from webapp.statuses.visibility.visibility import protected_uids
from webapp.timelines import keys
from webapp.timelines.entries import format_status_entry

from .events import id_and_poster, reply_to_uid

PUBLISH = script("timelines/lua/publish.lua")


def publish(context: Context, events: Sequence[Event]) -> None:
    """Add posted statuses to the public timeline, and remove deleted ones.

    Replies to others, restricted statuses and those of protected authors are never in it.
    """
    events = [
        event for event in events if not reply_to_uid(event) and not event.data.get("visibility")
    ]
    entries = list(map(id_and_poster, events))
    exists = context.db.trip(*(("EXISTS", status_keys.status(one)) for one, _ in entries))
    protected = protected_uids(context.db, (author for _, author in entries))
    context.db.trip(
        *(
            _publish_command(context, event, is_shown=bool(found) and author not in protected)
            for event, (_, author), found in zip(events, entries, exists, strict=True)
        )
    )


def _publish_command(context: Context, event: Event, is_shown: bool) -> Command:
    status_id, author = id_and_poster(event)
    source, token = event.fence
    return PUBLISH(
        timeline=keys.public_timeline(),
        fences=event_keys.fences(keys.PUBLIC_TAG),
        source=source,
        token=token,
        entry=format_status_entry(status_id, author),
        id=status_id if is_shown else "",
        limit=context.config.public_max,
    )
