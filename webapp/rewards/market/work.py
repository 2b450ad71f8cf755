"""The work of workers for the market."""

from __future__ import annotations

import time
from collections.abc import Iterable

from webapp.core.events.registry import Registry
from webapp.core.site import Site

from .projections import notify_traders, purge_deleted_account
from .trading import TRADES, finish_due


def finish_sales(site: Site, partitions: Iterable[int]) -> None:
    """End the sales and offers whose time has come. Two trips."""
    finish_due(site, partitions, int(time.time() * 1000))


WORK = TRADES.work.merge(
    Registry(
        projections={"log": {"traded": (notify_traders,)}},
        bulk={"account_deleted": (purge_deleted_account,)},
        due_jobs=(finish_sales,),
    )
)
