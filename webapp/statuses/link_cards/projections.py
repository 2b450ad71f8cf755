"""Projections: queue posts that show a link for their card. Safe to run twice."""

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event, in_steps
from webapp.core.store import Steps, ask, collect, send_all

from .queue import queue_command, read_target


@in_steps
def queue_cards(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Queue posted and edited statuses whose card is not that of their link.

    Two trips, none for posts without hashtags and links.
    """
    if context.config.link_cards == "off":
        return
    events = [one for one in events if one.type != "posted" or "has_items" in one.data]
    ids = [event.number("id") for event in events]
    targets = yield from ask(collect(map(read_target, ids)))
    yield from send_all(
        queue_command(event, status_id)
        for event, status_id, target in zip(events, ids, targets, strict=True)
        if target and target.needs_work
    )
