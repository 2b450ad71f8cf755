"""Accounts that this process read a moment ago: many pages of statuses name the same ones."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from weakref import WeakKeyDictionary

from webapp.client_api.entities.account import Account
from webapp.client_api.http.responses import site_address
from webapp.core.store.client import Db
from webapp.core.store.reads import Read
from webapp.core.web.context import config, db

from .account_reads import Accounts, read_accounts

CACHE_MAX = 5_000  # accounts of one store that a process keeps

Cache = dict[tuple[int, str], tuple[float, Account]]  # (uid, base) -> (when it was read, account)
_caches: WeakKeyDictionary[Db, Cache] = WeakKeyDictionary()


def recent_accounts(uids: Iterable[int], fresh: Collection[int | None]) -> Read[Accounts]:
    """Read accounts, except those that this process read within `status_seconds`.

    Protected ones are always read, and so are those in `fresh`.
    """
    cache, now, base = _caches.setdefault(db(), {}), time.monotonic(), site_address()
    oldest = now - config().status_seconds
    wanted = dict.fromkeys(uids)
    found = {uid: cache[uid, base] for uid in wanted if (uid, base) in cache and uid not in fresh}
    recent = {uid: one for uid, (read_at, one) in found.items() if read_at > oldest}

    def remember(loaded: Accounts) -> Accounts:
        if len(cache) + len(loaded.public) > CACHE_MAX:
            cache.clear()
        cache.update(
            ((uid, base), (now, one))
            for uid, one in loaded.public.items()
            if uid not in loaded.protected
        )
        return Accounts(recent | loaded.public, loaded.protected)

    return read_accounts(uid for uid in wanted if uid not in recent).map(remember)
