"""Projections and jobs of the market: trades, ends of sales, and items of deleted members."""

from collections.abc import Sequence
from contextlib import suppress

from webapp.core.errors import Forbidden, NotFound
from webapp.core.events.outbox import Context, Event, in_steps, read_page
from webapp.core.events.registry import Registry
from webapp.core.store import Steps
from webapp.notifications.notices import Notice, sync_notices_in_steps
from webapp.rewards.items import keys as item_keys

from . import keys
from .store import WITHDRAW
from .trading import TRADES, finish_due

PURGED = 50  # items that one slice erases


@in_steps
def notify_traders(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Notify members of news of the market about their items and payments. Two steps."""
    notices = []
    for event in events:
        uid, entry = event.number("uid"), event.data["entry"]
        notices.append(Notice(event, "trade", uid, uid, entry, keys.trades(uid), entry))
    yield from sync_notices_in_steps(context, notices)


def purge_deleted_account(context: Context, event: Event, cursor: str) -> str | None:
    """Erase some items of a deleted member. Those that are being paid for still change hands."""
    uid = event.number("uid")
    owned, next_cursor = read_page(context, item_keys.owned_items(uid), cursor, PURGED)
    for id_ in owned:
        with suppress(NotFound, Forbidden):  # gone, or another member's meanwhile
            context.db.run(WITHDRAW(id=int(id_), uid=uid, erases="1"))
    if next_cursor is None:
        context.db.run(("DEL", item_keys.owned_items(uid)))
    return next_cursor


WORK = TRADES.work.merge(
    Registry(
        projections={"log": {"traded": (notify_traders,)}},
        bulk={"account_deleted": (purge_deleted_account,)},
        due_jobs=(finish_due,),
    )
)
findings = TRADES.findings
