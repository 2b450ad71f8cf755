"""Measure the market: members buy items at once, by the ways of Redis in Action and by ours.

The book (4.4, 6.2, 11.3) sells with WATCH, with one lock, with a lock for each item, and with one
script. There the seller's inventory, the market and all funds lie in one place. Ours is the same
script less the payment (`rewards/market/lua/ask.lua`); a worker pays and hands over, across
partitions. The last figure is such whole trades.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from redis import Redis
from redis.exceptions import WatchError

from webapp import registry
from webapp.core.errors import Refused
from webapp.core.events import inline
from webapp.core.store import do_steps
from webapp.rewards.items import store as items
from webapp.rewards.market import store
from webapp.rewards.market.store import Sale
from webapp.rewards.points import ledger

from .site import Site, add_members, site
from .table import Figure

BUYERS, THREADS, ITEMS, PRICE = 40, 10, 1_500, 3
MARKET, LOCK, LOCK_SECONDS = "bench:{market}", "bench:{market}:lock", 10
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"
BUY = """
local price = redis.call('ZSCORE', KEYS[1], ARGV[1])
local funds = tonumber(redis.call('HGET', KEYS[2], 'funds'))
if not price or price ~= ARGV[2] or funds < tonumber(price) then return 0 end
redis.call('HINCRBY', KEYS[3], 'funds', price)
redis.call('HINCRBY', KEYS[2], 'funds', -price)
redis.call('SADD', KEYS[4], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])
"""
Buy = Callable[[int, int], bool]  # by item and buyer; True if it was bought


class BooksMarket:
    """The market of the book: one sorted set, and a hash and a set for each user."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._buy = client.register_script(BUY)

    def fill(self) -> None:
        """List all items, and give the buyers funds."""
        self._client.delete(MARKET, *map(_inventory, range(BUYERS)))
        self._client.zadd(MARKET, {str(item): PRICE for item in range(ITEMS)})
        for uid in range(BUYERS + 1):
            self._client.hset(_user(uid), "funds", PRICE * ITEMS)

    def by_watch(self, item: int, uid: int) -> bool:
        """Buy an item in a transaction, again and again until nobody else changed the market."""
        with self._client.pipeline() as pipe:
            while True:
                with suppress(WatchError):
                    pipe.watch(MARKET, _user(uid))
                    price = pipe.zscore(MARKET, str(item))
                    if price is None or int(pipe.hget(_user(uid), "funds") or 0) < price:
                        return False
                    self._move(pipe, item, uid)
                    return True

    def by_lock(self, item: int, uid: int) -> bool:
        """Buy an item under the lock of the whole market."""
        return self._locked(LOCK, item, uid)

    def by_fine_lock(self, item: int, uid: int) -> bool:
        """Buy an item under a lock of its own."""
        return self._locked(f"{LOCK}:{item}", item, uid)

    def by_script(self, item: int, uid: int) -> bool:
        """Buy an item by one script."""
        keys = (MARKET, _user(uid), _user(BUYERS), _inventory(uid))
        return bool(self._buy(keys, (item, PRICE)))

    def _locked(self, lock: str, item: int, uid: int) -> bool:
        token = secrets.token_hex(8)
        while not self._client.set(lock, token, nx=True, ex=LOCK_SECONDS):
            time.sleep(0.001)
        try:
            price = self._client.zscore(MARKET, str(item))
            if price is None or int(self._client.hget(_user(uid), "funds") or 0) < price:
                return False
            with self._client.pipeline() as pipe:
                self._move(pipe, item, uid)
            return True
        finally:
            self._client.eval(RELEASE, 1, lock, token)

    def _move(self, pipe: Redis, item: int, uid: int) -> None:
        pipe.multi()
        pipe.hincrby(_user(BUYERS), "funds", PRICE)
        pipe.hincrby(_user(uid), "funds", -PRICE)
        pipe.sadd(_inventory(uid), item)
        pipe.zrem(MARKET, str(item))
        pipe.execute()


def measure() -> list[Figure]:
    """Measure purchases a second, of buyers who all buy at once."""
    with site(outbox_max=100_000) as here:
        book = BooksMarket(Redis.from_url(here.config.store_url, decode_responses=True))
        ways = {
            "one lock": book.by_lock,
            "a lock for each item": book.by_fine_lock,
            "one script": book.by_script,
        }
        watched = _rate(book, book.by_watch)
        rates = {name: _rate(book, way) for name, way in ways.items()}
        reserved, whole = _ours(here)
    figures = [Figure("market: purchases, WATCH", watched, "/s")]
    figures += [
        Figure(f"market: purchases, {name}", rate, "/s", watched, rate / watched)
        for name, rate in rates.items()
    ]
    by_script = rates["one script"]
    return [
        *figures,
        Figure("market: purchases begun, ours", reserved, "/s", by_script, reserved / by_script),
        Figure("market: trades that a worker finishes, ours", whole, "/s"),
    ]


def _rate(book: BooksMarket, buy: Buy) -> float:
    book.fill()
    return _buy_all(buy)


def _buy_all(buy: Buy) -> float:
    """Let each item be wanted by three buyers, and return items bought a second."""
    wanted = [(item, (item + turn * 7) % BUYERS) for item in range(ITEMS) for turn in range(3)]
    with ThreadPoolExecutor(THREADS) as pool:
        started = time.perf_counter()
        bought = sum(pool.map(lambda pair: buy(*pair), wanted))
        seconds = time.perf_counter() - started
    if bought != ITEMS:
        raise AssertionError(f"{bought} of {ITEMS} items were bought")
    return ITEMS / seconds


def _ours(here: Site) -> tuple[float, float]:
    """Return purchases begun a second, and trades finished a second."""
    add_members(here.db, range(1, BUYERS + 2))
    for uid in range(1, BUYERS + 1):
        ledger.book(here, uid, PRICE * ITEMS, "gift", "bench")
    ids = [items.item_id(items.GIFTS, number) for number in range(1, ITEMS + 1)]
    for start in range(0, ITEMS, 100):
        each = (items.giving(id_, BUYERS + 1, "thing", "bench") for id_ in ids[start : start + 100])
        do_steps(here.db, *each)
    for id_ in ids:
        store.offer(here, BUYERS + 1, id_, 1, Sale(PRICE))
    inline.drain(here, registry.REGISTRY)

    def buy(item: int, uid: int) -> bool:
        try:
            here.db.run(store.asking(here, uid + 1, ids[item], "purchase", PRICE))
        except Refused:
            return False
        return True

    begun, started = _buy_all(buy), time.perf_counter()
    inline.drain(here, registry.REGISTRY)
    seconds = time.perf_counter() - started
    if here.db.read(ledger.balance_of(BUYERS + 1)) != PRICE * ITEMS:
        raise AssertionError("not all trades were finished")
    return begun, ITEMS / seconds


def _user(uid: int) -> str:
    return f"bench:{{market}}:user:{uid}"


def _inventory(uid: int) -> str:
    return f"bench:{{market}}:inventory:{uid}"
