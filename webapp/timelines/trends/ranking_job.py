"""Periodic job: rank the trends, once a minute for the whole site."""

from __future__ import annotations

import time

from webapp.core.site import Site
from webapp.core.store.client import Db

from . import store

RANKING_PARTITION = 0  # the worker that holds it ranks


def rank(site: Site, partition: int) -> None:
    """Rank and save the trends, if this is the one partition for it.

    Safe to repeat, and to run twice at the same time: the newest ranking stays.
    """
    if partition == RANKING_PARTITION:
        rank_now(site.db)


def rank_now(db: Db) -> None:
    """Rank and save the trends of this moment. At most eight trips. Raises Unavailable."""
    now_ms = time.time_ns() // 1_000_000
    store.save(db, now_ms, store.rank(db, now_ms))
