"""What bounds the page cache: bytes, variants, views, the life of copies; and the site without it while the store is
down.
"""

from __future__ import annotations

import asyncio
import logging
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.support.pagecache import TOKENS, alike, ask, keep, kept, page, sizes, through, want
from tests.support.processes import Site, until
from tests.support.streaming.client import in_loop
from tests.system.test_pages import write
from webapp import create_app
from webapp.config import Config
from webapp.core.net.proxies import behind_proxies
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.pubsub import Received, Subscription
from webapp.core.web.view_options import public
from webapp.pagecache import decorators, middleware, variant
from webapp.pagecache import keys as page_keys
from webapp.pagecache import local as pagecache_local
from webapp.pagecache import store as pagecache
from webapp.pagecache.local import LocalCache
from webapp.pagecache.store import PageStore
from webapp.pagecache.variant import CacheKey
from webapp.server.asgi_bridge import AsgiBridge

SHARE = 4_000  # bytes of a partition
OURS = [path for number in range(600) if page_keys.page_partition(path := f"/@bird{number}") < 2]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that copies grow old by: `clock[0]`, monotonic seconds."""
    now = [1_000.0]
    for module in (pagecache_local, middleware):
        ours = SimpleNamespace(**{**vars(module.time), "monotonic": lambda: now[0]})
        monkeypatch.setattr(module, "time", ours)
    return now


# Bytes, variants, views


def test_pages_never_take_more_than_their_share_and_are_counted_exactly(
    db: Db, config: Config
) -> None:
    store, chance = (
        PageStore(db, replace(config, page_cache_bytes=SHARE * PARTITIONS)),
        random.Random(3),
    )
    for _ in range(250):
        path, act = chance.choice(OURS), chance.random()
        if act < 0.1:
            pagecache.invalidate(db, [path], hard=True)
        elif act < 0.15:
            _end(db, path)
        else:
            wanted = want(path, query=f"max_id={chance.randrange(4)}")
            taken = store.lookup(wanted, token := next(TOKENS))
            if taken.state == "yours":
                store.store(
                    wanted, token, page(b"x" * chance.randrange(chance.choice([200, 2_000])))
                )
        _check_bytes(db)
    assert len(sizes(db)) > 3
    pagecache.clear(db)
    assert not sizes(db) and pagecache.stats(db).bytes == 0


def test_a_page_larger_than_the_share_makes_no_room_for_itself(db: Db, config: Config) -> None:
    store = PageStore(db, replace(config, page_cache_bytes=SHARE * PARTITIONS))
    store.store(want(OURS[0]), _take(store, want(OURS[0])), page(b"x" * (SHARE + 1)))
    assert not sizes(db)
    _check_bytes(db)
    assert keep(store, want(OURS[0])) and len(sizes(db)) == 1


def test_what_came_to_its_end_is_counted_no_more(db: Db, config: Config) -> None:
    store = PageStore(db, config)
    first, second = [path for path in OURS if page_keys.page_partition(path) == 0][:2]
    assert keep(store, want(first))
    _end(db, first)
    assert keep(store, want(second))
    assert db.run(("ZRANGE", page_keys.cached_paths(0), 0, -1)) == [second]
    _check_bytes(db)


def test_a_path_has_so_many_variants_and_no_more_whoever_asks_for_them(
    db: Db, config: Config
) -> None:
    store = PageStore(db, config)
    for number in range(3 * pagecache.VARIANTS_MAX):
        wanted = want(query=f"max_id={number}")
        token = _take(store, wanted)
        if number % 3:
            store.store(wanted, token, page())
        elif number % 2:
            store.release(wanted, token)
        assert db.run(("HLEN", page_keys.cached_page(wanted.path))) <= pagecache.VARIANTS_MAX
    assert db.run(("HLEN", page_keys.cached_page(wanted.path))) == pagecache.VARIANTS_MAX
    assert db.run(("PTTL", page_keys.cached_page(wanted.path))) > 0


def test_views_are_trimmed_and_halved_and_the_first_are_kept(
    db: Db, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagecache, "FLUSH_SECONDS", 0.0)
    store = PageStore(db, replace(config, page_cache_paths=5, page_views_max=12))
    for number in range(40):
        for _ in range(40 - number):
            store.count_view(f"/@bird{number}", hit=bool(number % 2))
    assert store.lookup(want("/@bird39"), next(TOKENS)).popular  # nothing was counted yet
    left = db.run(("ZRANGE", page_keys.page_views(), 0, -1, "REV", "WITHSCORES"))
    assert left[::2] == [f"/@bird{number}" for number in range(12)]
    first = dict(zip(left[::2], map(float, left[1::2]), strict=True))
    assert [
        store.lookup(want(f"/@bird{number}"), next(TOKENS)).popular for number in range(14)
    ] == [True] * 5 + [False] * 9
    assert pagecache.stats(db).hits == sum(40 - number for number in range(1, 40, 2))
    for rounds in range(1, 12):
        assert (
            0 < db.run(("PTTL", page_keys.page_views_halved())) <= pagecache.HALVE_SECONDS * 1_000
        )
        db.run(("DEL", page_keys.page_views_halved()))  # five minutes later
        store.count_view("/@bird0", hit=True)
        store.lookup(want("/@bird0"), next(TOKENS))
        scores = db.run(("ZRANGE", page_keys.page_views(), 0, -1, "WITHSCORES"))
        now = dict(zip(scores[::2], map(float, scores[1::2]), strict=True))
        assert all(now[path] == first[path] / 2**rounds for path in now if path != "/@bird0")
    assert list(now) == ["/@bird0"]


def test_a_process_counts_few_paths_until_it_has_told(db: Db, config: Config) -> None:
    store = PageStore(db, config)
    for number in range(2 * pagecache.PENDING_PATHS_MAX):
        store.count_view(f"/@bird{number}", hit=True)
    assert len(store._views._paths) == pagecache.PENDING_PATHS_MAX


def test_long_requests_are_answered_and_not_remembered(app: Flask) -> None:
    variant._cache_key.cache_clear()
    long = "a" * variant.KEY_LENGTH_MAX
    for path, query, headers in (
        (f"/{long}", "", {}),
        ("/public", f"max_id={long}", {}),
        ("/public", "", {"Cookie": f"other={long}"}),
        ("/public", "", {"Accept-Language": long}),
    ):
        assert ask(app, path, query, headers=headers).status < 500
    assert variant._cache_key.cache_info().currsize == 0


def test_a_page_that_its_view_answers_with_no_more_is_not_shown_while_it_is_asked_again(
    app: Flask,
) -> None:
    there = [True]

    def view() -> tuple[str, int]:
        decorators.depends_on_members([])
        return ("<p>Sedge</p>", 200) if there else ("gone", 404)

    app.add_url_rule("/sedge", "sedge", public(decorators.cached()(view)))
    assert ask(app, "/sedge").status == 200
    there.clear()
    db: Db = app.extensions["linnet.db"]
    [found] = kept(db)  # whose time is over now
    db.run(("HSET", page_keys.cached_page("/sedge"), found.variant, b"1 " + found.page.to_bytes()))
    assert [ask(app, "/sedge").status for _ in range(3)] == [404] * 3


# Copies in the process


class Over(BaseException):
    """The test is over. No exception that a listener gets over."""


class Listening(LocalCache):
    """Copies whose thread ends with the test."""

    def _listen(self, channel: Subscription) -> None:
        with suppress(Over):
            super()._listen(channel)


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listening]:
    """Copies that may listen to the store."""
    over, closed = threading.Event(), [TypeError("closed under it")]

    class Ending(Subscription):
        def wait(self, seconds: float) -> Received:
            if over.is_set():
                self.close()
                raise Over
            if closed:
                raise closed.pop()
            return super().wait(0.05)

    monkeypatch.setattr(pagecache_local, "Subscription", Ending)
    monkeypatch.setattr(pagecache_local, "WAIT_SECONDS", 0.05)
    yield Listening()
    over.set()
    for thread in threading.enumerate():
        if thread.name == "drops":
            thread.join()


def test_copies_are_dropped_by_what_drops_pages(
    db: Db, listening: Listening, clock: list[float]
) -> None:
    wren, finch = want("/@wren"), want("/@finch")
    listening.listen(db)

    def put() -> bool:
        for wanted in (wren, finch, want("/@wren", language="zh")):
            listening.put(wanted, page(), clock[0])
        return _worn(listening, wren) == [False]

    def soft() -> bool:
        """Said again until it is heard for the first time: the listener begins when it likes."""
        put()
        pagecache.invalidate(db, ["/@wren"], hard=False)
        return _worn(listening, wren) == [True]

    until(soft)
    assert _worn(listening, finch) == [False]
    pagecache.invalidate(db, ["/@wren"], hard=True)
    until(lambda: _worn(listening, wren) == _worn(listening, want("/@wren", language="zh")) == [])
    assert _worn(listening, finch) == [False]
    put()
    pagecache.bump_versions(db, [5])
    until(lambda: _worn(listening, wren) == _worn(listening, finch) == [])


def test_copies_are_a_second_old_at_most_though_nothing_is_heard(clock: list[float]) -> None:
    copies, wanted = LocalCache(), want()
    copies.put(wanted, page(), clock[0])
    assert copies.get(wanted) is None  # nobody listens
    copies._listening = True
    copies.put(wanted, page(), clock[0])
    clock[0] += pagecache_local.TTL_SECONDS - 0.001
    assert copies.get(wanted)
    clock[0] += 0.001
    assert copies.get(wanted) is None
    copies.put(wanted, page(), clock[0] - pagecache_local.TTL_SECONDS)  # read as long ago
    assert copies.get(wanted) is None
    for number in range(2 * pagecache_local.COPIES_MAX):
        copies.put(want(query=f"max_id={number}"), page(), clock[0])
    assert len(copies._copies) == pagecache_local.COPIES_MAX


def test_what_was_said_while_nobody_heard_drops_every_copy(
    db: Db, listening: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = list[str]()
    monkeypatch.setattr(listening, "on_invalidation", heard.append)
    listening.listen(db)
    until(lambda: "hard *" in heard)  # it has just begun to listen


def test_a_site_with_copies_shows_what_is_true_a_second_later_though_it_hears_nothing(
    app: Flask, member: Callable[[str], FlaskClient], clock: list[float]
) -> None:
    cache, db = app.extensions["linnet.pages"], app.extensions["linnet.db"]
    cache._local._listening = True
    wren = member("wren")
    status = write(wren, "One swallow makes no summer.")
    for path in ("/@wren", f"/@wren/{status}", "/public"):
        ask(app, path)
        trips = db.trips
        assert b"One swallow" in ask(app, path).page and db.trips == trips  # from the copy
    wren.post(f"/statuses/{status}/delete")
    clock[0] += pagecache_local.TTL_SECONDS
    assert b"One swallow" not in ask(app, "/@wren").page + ask(app, "/public").page
    assert ask(app, f"/@wren/{status}").status == 404


@pytest.mark.parametrize("proxies", [0, 1])
def test_a_copy_is_sent_while_every_thread_is_held_up_and_is_what_the_app_would_send(
    settings: Config, proxies: int
) -> None:
    app, free = make_app(replace(settings, trusted_proxies=proxies)), threading.Event()
    config, cache = app.extensions["linnet.config"], app.extensions["linnet.pages"]
    cache._local._listening = True
    usual = {
        "x-forwarded-host": "birds.example",
        "x-forwarded-proto": "https",
        "accept-encoding": "br",
    }
    tag = ask(app, "/public", headers=usual).headers["ETag"]
    looks = [("GET", usual), ("HEAD", usual), ("GET", usual | {"if-none-match": tag})]

    def stuck(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        free.wait()
        start("200 OK", [])
        return [b"by the app"]

    plain, gateway = (
        AsgiBridge(app, config),
        AsgiBridge(stuck, config, fast_path=behind_proxies(cache.fast_path, config)),
    )

    async def run() -> None:
        others = ({"cookie": "linnet=1.x"}, {"accept-language": "zh"}, {"content-length": "0"})
        waiting = [through(gateway, "/public", headers=usual | one) for one in others]
        waiting += [
            through(gateway, path, headers=usual)
            for path in ("/public?max_id=9", "/public?x=1", "/home")
        ]
        tasks = [asyncio.create_task(one) for one in waiting]
        found = [await through(gateway, "/public", method, headers) for method, headers in looks]
        said = [await through(plain, "/public", method, headers) for method, headers in looks]
        assert list(map(alike, found)) == list(map(alike, said)) and [
            one.status for one in found
        ] == [200, 200, 304]
        free.set()
        assert {one.body for one in await asyncio.gather(*tasks)} == {b"by the app"}

    in_loop(run())
    app.extensions["linnet.db"].close()


def test_a_worn_copy_is_shown_only_while_its_successor_is_rendered(
    app: Flask, clock: list[float]
) -> None:
    cache, seen = app.extensions["linnet.pages"], list[bytes]()
    cache._local._listening = True

    def view() -> str:
        decorators.depends_on_members([])
        if seen:
            seen.append(ask(app, "/sedge").page)  # another visitor, meanwhile
        return f"<p>Sedge {len(seen)}</p>"

    app.add_url_rule("/sedge", "sedge", public(decorators.cached()(view)))
    assert ask(app, "/sedge").page == b"<p>Sedge 0</p>"
    seen.append(b"")
    pagecache.invalidate(app.extensions["linnet.db"], ["/sedge"], hard=False)
    cache._local.on_invalidation("soft /sedge")
    assert ask(app, "/sedge").page == b"<p>Sedge 2</p>" and seen[1:] == [b"<p>Sedge 0</p>"]


def test_a_page_that_an_event_made_untrue_meanwhile_is_not_copied_either(
    app: Flask, clock: list[float]
) -> None:
    cache, rendered = app.extensions["linnet.pages"], list[int]()
    cache._local._listening = True

    def view() -> str:
        decorators.depends_on_members([])
        rendered.append(1)
        if len(rendered) == 1:
            pagecache.invalidate(app.extensions["linnet.db"], ["/sedge"], hard=True)
        return f"<p>Sedge {len(rendered)}</p>"

    app.add_url_rule("/sedge", "sedge", public(decorators.cached()(view)))
    assert [ask(app, "/sedge").page for _ in range(3)] == [
        b"<p>Sedge 1</p>",
        b"<p>Sedge 2</p>",
        b"<p>Sedge 2</p>",
    ]


# Without the store


@pytest.mark.kill
@pytest.mark.xdist_group("streaming")
def test_while_the_store_is_down_pages_are_rendered_without_it_and_it_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site = Site(tmp_path)
    app = create_app(site.config)
    log = logging.getLogger("linnet")
    log.addHandler(caplog.handler)
    try:
        for times in (1, 2):
            until(lambda: "ETag" in ask(app, "/about/streaming").headers)
            assert ask(app, "/public").status == 200
            site.kill_store()
            for _ in range(5):
                assert [
                    ask(app, path).status for path in ("/about/streaming", "/public", "/robots.txt")
                ] == [
                    200,
                    503,
                    200,
                ]
                app.extensions["linnet.pages"]._down_until -= 60.0  # a minute later
            said = [
                record.getMessage()
                for record in caplog.records
                if "without the cache" in record.getMessage()
            ]
            assert len(said) == times
            site.start_store()
    finally:
        log.removeHandler(caplog.handler)
        app.extensions["linnet.db"].close()
        site.close()


def _take(store: PageStore, wanted: CacheKey) -> str:
    token = next(TOKENS)
    assert store.lookup(wanted, token).state == "yours"
    return token


def _worn(copies: LocalCache, wanted: CacheKey) -> list[bool]:
    copy = copies.get(wanted)
    return [copy.stale] if copy else []


def _end(db: Db, path: str) -> None:
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
