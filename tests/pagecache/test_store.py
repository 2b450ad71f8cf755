"""Cached pages in the store: bounded bytes, and a bounded number of variants per path."""

import random
from dataclasses import replace

from tests.support.engines import EVERY_ENGINE
from tests.support.pagecache import TOKENS, make_key, make_page, sizes, store_page
from webapp.config import Config
from webapp.core.store import PARTITIONS, Db, Site
from webapp.pagecache import keys as page_keys, popularity, store as store_module
from webapp.pagecache.invalidation import clear, invalidate
from webapp.pagecache.store import LookupState, PageStore
from webapp.pagecache.variant import CacheKey

pytestmark = EVERY_ENGINE
PARTITION_BYTES = 4_000
PATHS = [  # of partitions 0 and 1
    path
    for path in (f"/@bird{number}" for number in range(600))
    if page_keys.page_partition(path) < 2
]


def test_pages_are_counted_exactly_and_stay_within_their_limit(db: Db, config: Config) -> None:
    store = PageStore(Site(db, replace(config, page_cache_bytes=PARTITION_BYTES * PARTITIONS)))
    rng = random.Random(3)
    for _ in range(250):
        path, choice = rng.choice(PATHS), rng.random()
        if choice < 0.1:
            invalidate(db, [path], hard=True)
        elif choice < 0.15:
            _expire(db, path)
        else:
            key = make_key(path, query=f"max_id={rng.randrange(4)}")
            token = next(TOKENS)
            lookup = store.lookup(key, token)
            if lookup.state is LookupState.LEASED:
                store.store(key, token, make_page(b"x" * rng.randrange(rng.choice([200, 2_000]))))
        _check_bytes(db)
    assert len(sizes(db)) > 3
    clear(db)
    assert not sizes(db) and popularity.stats(db).bytes == 0


def test_a_page_above_the_limit_is_not_stored(db: Db, config: Config) -> None:
    store = PageStore(Site(db, replace(config, page_cache_bytes=PARTITION_BYTES * PARTITIONS)))
    store.store(
        make_key(PATHS[0]),
        _lease(store, make_key(PATHS[0])),
        make_page(b"x" * (PARTITION_BYTES + 1)),
    )
    assert not sizes(db)
    _check_bytes(db)
    assert store_page(store, make_key(PATHS[0])) and len(sizes(db)) == 1


def test_expired_pages_are_no_longer_counted(site: Site) -> None:
    store = PageStore(site)
    first, second = [path for path in PATHS if page_keys.page_partition(path) == 0][:2]
    assert store_page(store, make_key(first))
    _expire(site.db, first)
    assert store_page(store, make_key(second))
    assert site.db.run(("ZRANGE", page_keys.cached_paths(0), 0, -1)) == [second]
    _check_bytes(site.db)


def test_a_path_has_a_bounded_number_of_variants(site: Site) -> None:
    store = PageStore(site)
    for number in range(3 * store_module.VARIANTS_MAX):
        key = make_key(query=f"max_id={number}")
        token = _lease(store, key)
        if number % 3:
            store.store(key, token, make_page())
        elif number % 2:
            store.release(key, token)
        assert site.db.run(("HLEN", page_keys.cached_page(key.path))) <= store_module.VARIANTS_MAX
    assert site.db.run(("HLEN", page_keys.cached_page(key.path))) == store_module.VARIANTS_MAX
    assert site.db.run(("PTTL", page_keys.cached_page(key.path))) > 0


def _lease(store: PageStore, key: CacheKey) -> str:
    token = next(TOKENS)
    assert store.lookup(key, token).state is LookupState.LEASED
    return token


def _expire(db: Db, path: str) -> None:
    """Expire the pages of a path."""
    if db.run(("ZSCORE", page_keys.cached_paths(page_keys.page_partition(path)), path)):
        db.trip(
            ("ZADD", page_keys.cached_paths(page_keys.page_partition(path)), 1, path),
            ("DEL", page_keys.cached_page(path)),
        )


def _check_bytes(db: Db) -> None:
    """Check that every partition is within its limit and counts its bytes exactly."""
    stored = sizes(db)
    for p in range(2):
        counts = db.run(("HGETALL", page_keys.cached_page_bytes(p)))
        counted = dict(zip(counts[::2], map(int, counts[1::2]), strict=True))
        total = counted.pop("total", 0)
        listed = db.run(("ZRANGE", page_keys.cached_paths(p), 0, -1))
        assert total == sum(counted.values()) <= PARTITION_BYTES
        assert sorted(counted) == sorted(listed)
        own = {path: size for path, size in stored.items() if page_keys.page_partition(path) == p}
        assert {path: size for path, size in counted.items() if path in own} == own
        assert sum(own.values()) <= PARTITION_BYTES
