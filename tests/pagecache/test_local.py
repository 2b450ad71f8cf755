"""Cached pages in a process: one second old at most, dropped by invalidations."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis.connection import Connection, ConnectionPool

from tests.conftest import make_app
from tests.support.loops import in_loop
from tests.support.pagecache import (
    comparable,
    make_key,
    make_page,
    send_request,
    send_through_bridge,
)
from tests.support.pages import post_status
from tests.support.processes import until
from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.net.proxies import behind_proxies
from webapp.core.store import Db
from webapp.core.store.pubsub import Received, Subscription
from webapp.core.web import public
from webapp.pagecache import decorators, local, rendering
from webapp.pagecache.invalidation import invalidate
from webapp.pagecache.local import LocalCache
from webapp.pagecache.member_versions import bump_versions
from webapp.pagecache.variant import CacheKey
from webapp.server.bridge.asgi_bridge import AsgiBridge


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time that cached pages age by: `clock[0]`, monotonic seconds."""
    now = [1_000.0]
    for module in (local, rendering):
        patched = SimpleNamespace(**{**vars(module.time), "monotonic": lambda: now[0]})
        monkeypatch.setattr(module, "time", patched)
    return now


class StopListening(BaseException):
    """Ends the listening thread. `except Exception` does not catch it."""


class StoppableCache(LocalCache):
    """A local cache whose listening thread ends with the test."""

    def __init__(self) -> None:
        super().__init__()
        self.before_subscribing: list[Callable[[], None]] = []  # each is called once

    def _listen(self, subscription: Subscription) -> None:
        with suppress(StopListening):
            super()._listen(subscription)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[StoppableCache]:
    """Return a local cache that may listen to the store. Its first wait fails."""
    stopped = threading.Event()
    errors = [TypeError("closed during the wait")]
    local_cache = StoppableCache()

    class EndingSubscription(Subscription):
        def wait(self, seconds: float) -> Received:
            if stopped.is_set():
                self.close()
                raise StopListening
            if errors:
                raise errors.pop()
            return super().wait(0.05)

        def _subscribe(self) -> tuple[ConnectionPool, Connection]:
            while local_cache.before_subscribing:
                local_cache.before_subscribing.pop()()
            return super()._subscribe()

    monkeypatch.setattr(local, "Subscription", EndingSubscription)
    monkeypatch.setattr(local, "WAIT_SECONDS", 0.05)
    yield local_cache
    stopped.set()
    for thread in threading.enumerate():
        if thread.name == "page-invalidations":
            thread.join()


def test_invalidations_drop_cached_pages(db: Db, cache: StoppableCache, clock: list[float]) -> None:
    wren, finch = make_key("/@wren"), make_key("/@finch")
    cache.listen(db)

    def store_pages() -> bool:
        for key in (wren, finch, make_key("/@wren", language="zh")):
            cache.put(key, make_page(), clock[0])
        return _stale(cache, wren) == [False]

    def invalidate_softly() -> bool:
        """Repeat until the listener has started and receives the invalidation."""
        store_pages()
        invalidate(db, ["/@wren"], hard=False)
        return _stale(cache, wren) == [True]

    until(invalidate_softly)
    assert _stale(cache, finch) == [False]
    invalidate(db, ["/@wren"], hard=True)
    until(lambda: _stale(cache, wren) == _stale(cache, make_key("/@wren", language="zh")) == [])
    assert _stale(cache, finch) == [False]
    store_pages()
    bump_versions(db, [5])
    until(lambda: _stale(cache, wren) == _stale(cache, finch) == [])


def test_an_invalidation_during_a_reconnection_drops_the_page(
    db: Db, cache: StoppableCache, clock: list[float]
) -> None:
    wren, finch = make_key("/@wren"), make_key("/@finch")
    cache.listen(db)

    def receives() -> bool:
        cache.put(wren, make_page(), clock[0])
        invalidate(db, ["/@wren"], hard=False)
        return _stale(cache, wren) == [True]

    until(receives)
    for key in (wren, finch):
        cache.put(key, make_page(), clock[0])
    assert _stale(cache, wren) == _stale(cache, finch) == [False]
    # Sent after the connection closes and before the next one subscribes: nobody receives it.
    cache.before_subscribing.append(lambda: invalidate(db, ["/@wren"], hard=True))
    db.on_every_primary("CLIENT", "KILL", "TYPE", "pubsub")
    until(lambda: _stale(cache, wren) == [])
    assert not cache.before_subscribing


def test_cached_pages_expire_after_a_second_without_invalidations(clock: list[float]) -> None:
    cache, key = LocalCache(), make_key()
    cache.put(key, make_page(), clock[0])
    assert cache.get(key) is None, "it does not listen"
    cache._listening = True
    cache.put(key, make_page(), clock[0])
    clock[0] += local.TTL_SECONDS - 0.001
    assert cache.get(key)
    clock[0] += 0.001
    assert cache.get(key) is None
    cache.put(key, make_page(), clock[0] - local.TTL_SECONDS)  # as if read that long ago
    assert cache.get(key) is None
    for number in range(2 * local.COPIES_MAX):
        cache.put(make_key(query=f"max_id={number}"), make_page(), clock[0])
    assert len(cache._copies) == local.COPIES_MAX


def test_a_site_is_up_to_date_a_second_after_a_lost_invalidation(
    app: Flask, member: Callable[[str], FlaskClient], clock: list[float]
) -> None:
    cache, db = app.extensions["linnet.pages"], app.extensions["linnet.db"]
    cache._local._listening = True
    wren = member("wren")
    status_id = post_status(wren, "One swallow makes no summer.")
    for path in ("/@wren", f"/@wren/{status_id}", "/public"):
        send_request(app, path)
        trips = db.trips
        assert b"One swallow" in send_request(app, path).page and db.trips == trips
    wren.post(f"/statuses/{status_id}/delete")
    clock[0] += local.TTL_SECONDS
    found = b"One swallow"
    assert found not in send_request(app, "/@wren").page + send_request(app, "/public").page
    assert send_request(app, f"/@wren/{status_id}").status == 404


@pytest.mark.parametrize("proxies", [0, 1])
def test_the_fast_path_sends_what_the_app_would_send_while_it_is_blocked(
    settings: Config, proxies: int
) -> None:
    app, released = make_app(replace(settings, trusted_proxies=proxies)), threading.Event()
    config, cache = app.extensions["linnet.config"], app.extensions["linnet.pages"]
    cache._local._listening = True
    usual_headers = {
        "x-forwarded-host": "birds.example",
        "x-forwarded-proto": "https",
        "accept-encoding": "br",
    }
    tag = send_request(app, "/public", headers=usual_headers).headers["ETag"]
    requests = [
        ("GET", usual_headers),
        ("HEAD", usual_headers),
        ("GET", usual_headers | {"if-none-match": tag}),
    ]

    def blocked_app(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        released.wait()
        start("200 OK", [])
        return [b"by the app"]

    bridge = AsgiBridge(app, config)
    fast_bridge = AsgiBridge(blocked_app, config, fast_path=behind_proxies(cache.fast_path, config))

    async def run() -> None:
        uncached_headers = (
            {"cookie": "linnet=1.x"},
            {"accept-language": "zh"},
            {"content-length": "0"},
        )
        waiting = [
            send_through_bridge(fast_bridge, "/public", headers=usual_headers | extra)
            for extra in uncached_headers
        ]
        waiting += [
            send_through_bridge(fast_bridge, path, headers=usual_headers)
            for path in ("/public?max_id=9", "/public?x=1", "/home")
        ]
        tasks = [asyncio.create_task(request) for request in waiting]
        replies = [
            await send_through_bridge(fast_bridge, "/public", method, headers)
            for method, headers in requests
        ]
        expected = [
            await send_through_bridge(bridge, "/public", method, headers)
            for method, headers in requests
        ]
        assert list(map(comparable, replies)) == list(map(comparable, expected))
        assert [reply.status for reply in replies] == [200, 200, 304]
        released.set()
        assert {reply.body for reply in await asyncio.gather(*tasks)} == {b"by the app"}

    in_loop(run())
    app.extensions["linnet.db"].close()


def test_a_stale_page_is_served_only_during_its_renewal(app: Flask, clock: list[float]) -> None:
    cache, pages = app.extensions["linnet.pages"], list[bytes]()
    cache._local._listening = True

    def view() -> str:
        decorators.depends_on_members([])
        if pages:
            pages.append(send_request(app, "/sedge").page)  # another visitor, during the rendering
        return f"<p>Sedge {len(pages)}</p>"

    app.add_url_rule("/sedge", "sedge", public(decorators.cached()(view)))
    assert send_request(app, "/sedge").page == b"<p>Sedge 0</p>"
    pages.append(b"")
    invalidate(app.extensions["linnet.db"], ["/sedge"], hard=False)
    cache._local.on_invalidation("soft /sedge")
    assert send_request(app, "/sedge").page == b"<p>Sedge 2</p>"
    assert pages[1:] == [b"<p>Sedge 0</p>"]


def test_a_page_invalidated_during_its_rendering_is_not_cached(
    app: Flask, clock: list[float]
) -> None:
    cache, rendered = app.extensions["linnet.pages"], list[int]()
    cache._local._listening = True

    def view() -> str:
        decorators.depends_on_members([])
        rendered.append(1)
        if len(rendered) == 1:
            invalidate(app.extensions["linnet.db"], ["/sedge"], hard=True)
        return f"<p>Sedge {len(rendered)}</p>"

    app.add_url_rule("/sedge", "sedge", public(decorators.cached()(view)))
    expected = [b"<p>Sedge 1</p>", b"<p>Sedge 2</p>", b"<p>Sedge 2</p>"]
    assert [send_request(app, "/sedge").page for _ in range(3)] == expected


def test_copies_are_sent_while_the_store_is_silent(
    app: Flask, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, db = app.extensions["linnet.pages"], app.extensions["linnet.db"]
    cache._local._listening = True
    page = send_request(app, "/public").page
    send_request(app, "/")
    cache._local.on_invalidation("soft /public")
    cache._local.on_invalidation("hard /")
    clock[0] += 2 * local.TTL_SECONDS

    def time_out(*_: object) -> NoReturn:
        monkeypatch.setattr(Db, "is_silent", True)
        raise Unavailable("store_down")

    monkeypatch.setattr(db, "trip", time_out)  # the first request waits in vain
    for path, status in (("/public", 200), ("/", 503), ("/@nobody", 503)):
        assert send_request(app, path).status == status
    assert send_request(app, "/public").page == page
    clock[0] += local.SILENT_TTL_SECONDS
    assert send_request(app, "/public").status == 503


def _stale(cache: LocalCache, key: CacheKey) -> list[bool]:
    """Return if the cached page is stale, or an empty list without one."""
    cached = cache.get(key)
    return [cached.stale] if cached else []
