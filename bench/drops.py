"""Measure drops: many requests for few pieces, by one script and by the ways that it replaces.

Each way gets the same requests from 50 threads: more members than pieces, each several times. The
naive one reads the stock and the buyers, then writes. The locked one does the same under a lock of
the member, and takes back what is below zero. Ours is one script (`rewards/drops/lua/reserve.lua`).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from webapp import registry
from webapp.core.errors import Conflict
from webapp.core.events import inline
from webapp.rewards.drops import keys, store
from webapp.rewards.drops.store import Drop
from webapp.rewards.points import ledger

from .site import Site, add_members, site
from .table import Figure

MEMBERS, PIECES, REQUESTS, THREADS = 4_000, 1_000, 12_000, 50
PRICE = 10
STOCK, BUYERS = "bench:{drop}:stock", "bench:{drop}:buyers"
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"
Take = Callable[[int], None]  # by a member's uid


def measure() -> list[Figure]:
    """Measure requests a second, pieces sold, and orders that a worker finishes a second."""
    with site(outbox_max=100_000) as here:
        add_members(here.db, range(1, MEMBERS + 1))
        naive, naive_sold = _by_commands(here, lambda uid: _take_naively(here, uid))
        locked, locked_sold = _by_commands(here, lambda uid: _take_locked(here, uid))
        ours, sold, finished = _by_script(here)
    return [
        Figure("drops: requests, one script", ours, "/s", naive, ours / naive),
        Figure("drops: requests, a lock for each member", locked, "/s", naive, locked / naive),
        Figure(f"drops: sold of {PIECES}, one script", sold, "pieces"),
        Figure(f"drops: sold of {PIECES}, naively", naive_sold, "pieces"),
        Figure(f"drops: sold of {PIECES}, a lock for each member", locked_sold, "pieces"),
        Figure("drops: orders paid and delivered by a worker", finished, "/s"),
    ]


def _by_commands(here: Site, take: Take) -> tuple[float, int]:
    """Return requests a second, and how many were sold."""
    here.db.trip(("SET", STOCK, PIECES), ("DEL", BUYERS))
    rate = _rate(take)
    left = int(here.db.run(("GET", STOCK)))
    return rate, PIECES - left


def _by_script(here: Site) -> tuple[float, int, float]:
    """Return requests a second, how many were sold, and orders finished a second."""
    for uid in range(1, MEMBERS + 1):
        ledger.book(here, uid, PRICE, "gift", "bench")
    now = int(time.time() * 1000)
    drop = store.save(
        here, Drop(0, "bench", "", "thing", PRICE, PIECES, PIECES, now, now + 3_600_000)
    )

    def take(uid: int) -> None:
        with suppress(Conflict):
            store.take(here, drop, uid)

    rate, started = _rate(take), time.perf_counter()
    inline.drain(here, registry.REGISTRY)
    seconds = time.perf_counter() - started
    states = [row.split()[1] for row in here.db.run(("HVALS", keys.drop_orders(drop)))]
    return rate, states.count("delivered"), len(states) / seconds


def _rate(take: Take) -> float:
    with ThreadPoolExecutor(THREADS) as pool:
        started = time.perf_counter()
        list(pool.map(lambda number: take(number * 7 % MEMBERS + 1), range(REQUESTS)))
        return REQUESTS / (time.perf_counter() - started)


def _take_naively(here: Site, uid: int) -> None:
    if int(here.db.run(("GET", STOCK))) > 0 and not here.db.run(("SISMEMBER", BUYERS, uid)):
        here.db.run(("SADD", BUYERS, uid))
        here.db.run(("DECR", STOCK))


def _take_locked(here: Site, uid: int) -> None:
    lock, token = f"bench:{{drop}}:lock:{uid}", secrets.token_hex(8)
    if not here.db.run(("SET", lock, token, "NX", "PX", 30_000)):
        return
    if not here.db.run(("SISMEMBER", BUYERS, uid)):
        if here.db.run(("DECR", STOCK)) < 0:
            here.db.run(("INCR", STOCK))
        else:
            here.db.run(("SADD", BUYERS, uid))
    here.db.run(("EVAL", RELEASE, 1, lock, token))
