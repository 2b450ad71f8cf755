"""Accounts that this process read a moment ago: many pages of statuses name the same ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from weakref import WeakKeyDictionary

from webapp.core.store.client import Db
from webapp.core.store.reads import Read

from .entities.account import Account

CACHE_MAX = 5_000  # accounts of one store that a process keeps

Cache = dict[tuple[int, str], tuple[float, Account]]  # (uid, base) -> (when it was read, account)
_caches: WeakKeyDictionary[Db, Cache] = WeakKeyDictionary()


def recent_accounts(
    db: Db,
    uids: Iterable[int],
    base: str,
    max_age: float,
    load: Callable[[Iterable[int]], Read[dict[int, Account]]],
) -> Read[dict[int, Account]]:
    """Read accounts with `load`, except those that this process read within `max_age` seconds.

    `base`: the address of the site, which is in them. Protected ones are always read.
    """
    cache, now = _caches.setdefault(db, {}), time.monotonic()
    wanted = dict.fromkeys(uids)
    found = {uid: cache[uid, base] for uid in wanted if (uid, base) in cache}
    recent = {uid: one for uid, (read_at, one) in found.items() if read_at > now - max_age}

    def remember(loaded: dict[int, Account]) -> dict[int, Account]:
        if len(cache) + len(loaded) > CACHE_MAX:
            cache.clear()
        cache.update({(uid, base): (now, one) for uid, one in loaded.items() if not one.locked})
        return recent | loaded

    return load([uid for uid in wanted if uid not in recent]).map(remember)
