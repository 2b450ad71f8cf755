"""Projections and jobs of drops, and findings of `linnet doctor` about orders. Safe to repeat."""

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event, whole
from webapp.core.events.registry import Registry
from webapp.core.store import collect, read, script
from webapp.rewards.items.store import purge_owned

from . import keys
from .ordering import ORDERS

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
    context.db.trip_all(("DEL", keys.orders(uid)) for uid in by_uid)


WORK = ORDERS.work.merge(
    Registry(projections={}, bulk={"account_deleted": (whole(purge_deleted_account), purge_owned)})
)
findings = ORDERS.findings
