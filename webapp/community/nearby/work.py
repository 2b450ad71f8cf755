"""The work of workers for nearby."""

from __future__ import annotations

from webapp.core.events.outbox import Context, Event
from webapp.core.events.registry import Registry

from . import people, projections


def forget_position(context: Context, event: Event, _cursor: str) -> None:
    """Remove the position of a deleted account."""
    people.hide(context.db, event.number("uid"))


WORK = Registry(
    projections={
        "discovery": {
            "posted": (projections.sync_posts,),
            "edited": (projections.sync_posts,),
            "deleted": (projections.sync_posts,),
        }
    },
    bulk={
        "locations_removed": (projections.resync_member,),
        "account_deleted": (projections.resync_member, forget_position),
    },
)
