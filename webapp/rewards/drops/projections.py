"""Projections: the orders of deleted members. Safe to run twice."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import collect, read
from webapp.core.store.scripts import script

from . import keys

FORGET = script("rewards/drops/lua/forget.lua")


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Erase the orders of deleted members that have ended. Those in progress go with their drop."""
    by_uid = {event.number("uid"): event for event in events}
    lists = context.db.read(
        collect(read(("ZRANGE", keys.orders(uid), 0, 999), list) for uid in by_uid)
    )
    forget = [
        FORGET(event, id=int(drop), uid=uid)
        for (uid, event), drops in zip(by_uid.items(), lists, strict=True)
        for drop in drops
    ]
    context.db.trip(*forget)
    context.db.trip(*(("DEL", keys.orders(uid)) for uid in by_uid))
