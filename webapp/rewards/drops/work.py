"""The work of workers for drops."""

from __future__ import annotations

from webapp.core.events.bulk.slices import whole
from webapp.core.events.registry import Registry
from webapp.rewards.items.store import purge_owned

from .ordering import ORDERS
from .projections import purge_deleted_account

WORK = ORDERS.work.merge(
    Registry(projections={}, bulk={"account_deleted": (whole(purge_deleted_account), purge_owned)})
)
