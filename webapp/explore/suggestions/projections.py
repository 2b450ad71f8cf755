"""Projections: follows bring the next computation nearer, and deleted accounts keep nothing."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.events.step_projections import in_steps
from webapp.core.store.ids import partition_of
from webapp.core.store.steps import Steps, send

from . import keys
from .jobs import EVERY

FOLLOWS = 3  # after so many follows, suggestions are computed again


@in_steps
def bring_nearer(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Make suggestions due sooner for members who follow others. Running twice does no harm."""
    sooner = -(EVERY // FOLLOWS)
    uids = [event.number("uid") for event in events]
    yield from send(
        *(("ZADD", keys.due(partition_of(uid)), "XX", "INCR", sooner, uid) for uid in uids)
    )


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Compute nothing more for deleted accounts. Lists of others show them to nobody."""
    uids = [event.number("uid") for event in events]
    context.db.trip(*(("ZREM", keys.due(uid), uid) for uid in uids))
