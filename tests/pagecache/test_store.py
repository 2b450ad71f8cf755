"""Cached pages in the store: within their share of bytes, and so many variants of a path."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.support.pagecache import TOKENS, keep, page, sizes, want
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS
from webapp.pagecache import keys as page_keys
from webapp.pagecache import store as store_module
from webapp.pagecache import view_counts
from webapp.pagecache.invalidation import clear, invalidate
from webapp.pagecache.store import LookupState, PageStore
from webapp.pagecache.variant import CacheKey

SHARE = 4_000  # bytes of a partition
OURS = [path for number in range(600) if page_keys.page_partition(path := f"/@bird{number}") < 2]


def test_pages_never_take_more_than_their_share_and_are_counted_exactly(
    db: Db, config: Config
) -> None:
    store, rng = (
        PageStore(db, replace(config, page_cache_bytes=SHARE * PARTITIONS)),
        random.Random(3),
    )
    for _ in range(250):
        path, act = rng.choice(OURS), rng.random()
        if act < 0.1:
            invalidate(db, [path], hard=True)
        elif act < 0.15:
            _expire(db, path)
        else:
            key = want(path, query=f"max_id={rng.randrange(4)}")
            lookup = store.lookup(key, token := next(TOKENS))
            if lookup.state is LookupState.LEASED:
                store.store(key, token, page(b"x" * rng.randrange(rng.choice([200, 2_000]))))
        _check_bytes(db)
    assert len(sizes(db)) > 3
    clear(db)
    assert not sizes(db) and view_counts.stats(db).bytes == 0


def test_a_page_larger_than_the_share_makes_no_room_for_itself(db: Db, config: Config) -> None:
    store = PageStore(db, replace(config, page_cache_bytes=SHARE * PARTITIONS))
    store.store(want(OURS[0]), _lease(store, want(OURS[0])), page(b"x" * (SHARE + 1)))
    assert not sizes(db)
    _check_bytes(db)
    assert keep(store, want(OURS[0])) and len(sizes(db)) == 1


def test_what_came_to_its_end_is_counted_no_more(db: Db, config: Config) -> None:
    store = PageStore(db, config)
    first, second = [path for path in OURS if page_keys.page_partition(path) == 0][:2]
    assert keep(store, want(first))
    _expire(db, first)
    assert keep(store, want(second))
    assert db.run(("ZRANGE", page_keys.cached_paths(0), 0, -1)) == [second]
    _check_bytes(db)


def test_a_path_has_so_many_variants_and_no_more_whoever_asks_for_them(
    db: Db, config: Config
) -> None:
    store = PageStore(db, config)
    for number in range(3 * store_module.VARIANTS_MAX):
        key = want(query=f"max_id={number}")
        token = _lease(store, key)
        if number % 3:
            store.store(key, token, page())
        elif number % 2:
            store.release(key, token)
        assert db.run(("HLEN", page_keys.cached_page(key.path))) <= store_module.VARIANTS_MAX
    assert db.run(("HLEN", page_keys.cached_page(key.path))) == store_module.VARIANTS_MAX
    assert db.run(("PTTL", page_keys.cached_page(key.path))) > 0


def _lease(store: PageStore, key: CacheKey) -> str:
    token = next(TOKENS)
    assert store.lookup(key, token).state is LookupState.LEASED
    return token


def _expire(db: Db, path: str) -> None:
    """What is kept of a path comes to its end."""
    if db.run(("ZSCORE", page_keys.cached_paths(page_keys.page_partition(path)), path)):
        db.trip(
            ("ZADD", page_keys.cached_paths(page_keys.page_partition(path)), 1, path),
            ("DEL", page_keys.cached_page(path)),
        )


def _check_bytes(db: Db) -> None:
    """Fails unless every partition holds its share at most, and knows how much it holds."""
    there = sizes(db)
    for p in range(2):
        told = db.run(("HGETALL", page_keys.cached_page_bytes(p)))
        counted = dict(zip(told[::2], map(int, told[1::2]), strict=True))
        total, listed = (
            counted.pop("total", 0),
            db.run(("ZRANGE", page_keys.cached_paths(p), 0, -1)),
        )
        assert total == sum(counted.values()) <= SHARE and sorted(counted) == sorted(listed)
        ours = {path: size for path, size in there.items() if page_keys.page_partition(path) == p}
        assert {path: size for path, size in counted.items() if path in ours} == ours
        assert sum(ours.values()) <= SHARE
