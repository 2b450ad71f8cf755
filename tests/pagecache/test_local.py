"""Copies of pages in a process: a second old at most, dropped by what drops the pages."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis.connection import Connection, ConnectionPool

from tests.conftest import make_app
from tests.support.pagecache import alike, ask, page, through, want
from tests.support.processes import until
from tests.support.streaming.client import in_loop
from tests.system.test_pages import write
from webapp.config import Config
from webapp.core.net.proxies import behind_proxies
from webapp.core.store.client import Db
from webapp.core.store.pubsub import Received, Subscription
from webapp.core.web.view_options import public
from webapp.pagecache import decorators, local, rendering
from webapp.pagecache.invalidation import invalidate
from webapp.pagecache.local import LocalCache
from webapp.pagecache.member_versions import bump_versions
from webapp.pagecache.variant import CacheKey
from webapp.server.asgi_bridge import AsgiBridge


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that copies grow old by: `clock[0]`, monotonic seconds."""
    now = [1_000.0]
    for module in (local, rendering):
        ours = SimpleNamespace(**{**vars(module.time), "monotonic": lambda: now[0]})
        monkeypatch.setattr(module, "time", ours)
    return now


class ListeningOver(BaseException):
    """Ends the listening thread. It survives every Exception."""


class Listening(LocalCache):
    """A local cache whose thread ends with the test."""

    def __init__(self) -> None:
        super().__init__()
        self.before_subscribing: list[Callable[[], None]] = []  # each is called once

    def _listen(self, subscription: Subscription) -> None:
        with suppress(ListeningOver):
            super()._listen(subscription)


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listening]:
    """A local cache that may listen to the store. Its first wait fails unexpectedly."""
    over, errors, cache = threading.Event(), [TypeError("closed under it")], Listening()

    class EndingSubscription(Subscription):
        def wait(self, seconds: float) -> Received:
            if over.is_set():
                self.close()
                raise ListeningOver
            if errors:
                raise errors.pop()
            return super().wait(0.05)

        def _subscribe(self) -> tuple[ConnectionPool, Connection]:
            while cache.before_subscribing:
                cache.before_subscribing.pop()()
            return super()._subscribe()

    monkeypatch.setattr(local, "Subscription", EndingSubscription)
    monkeypatch.setattr(local, "WAIT_SECONDS", 0.05)
    yield cache
    over.set()
    for thread in threading.enumerate():
        if thread.name == "page-invalidations":
            thread.join()


def test_copies_are_dropped_by_what_drops_pages(
    db: Db, listening: Listening, clock: list[float]
) -> None:
    wren, finch = want("/@wren"), want("/@finch")
    listening.listen(db)

    def put() -> bool:
        for key in (wren, finch, want("/@wren", language="zh")):
            listening.put(key, page(), clock[0])
        return _stale(listening, wren) == [False]

    def soft() -> bool:
        """Said again until it is heard for the first time: the listener begins when it likes."""
        put()
        invalidate(db, ["/@wren"], hard=False)
        return _stale(listening, wren) == [True]

    until(soft)
    assert _stale(listening, finch) == [False]
    invalidate(db, ["/@wren"], hard=True)
    until(lambda: _stale(listening, wren) == _stale(listening, want("/@wren", language="zh")) == [])
    assert _stale(listening, finch) == [False]
    put()
    bump_versions(db, [5])
    until(lambda: _stale(listening, wren) == _stale(listening, finch) == [])


def test_a_message_that_came_while_it_reconnected_drops_the_copy_too(
    db: Db, listening: Listening, clock: list[float]
) -> None:
    wren, finch = want("/@wren"), want("/@finch")
    listening.listen(db)

    def listens() -> bool:
        listening.put(wren, page(), clock[0])
        invalidate(db, ["/@wren"], hard=False)
        return _stale(listening, wren) == [True]

    until(listens)
    for key in (wren, finch):
        listening.put(key, page(), clock[0])
    assert _stale(listening, wren) == _stale(listening, finch) == [False]
    # Sent when the connection is closed and before the next one subscribes: nobody receives it.
    listening.before_subscribing.append(lambda: invalidate(db, ["/@wren"], hard=True))
    db.on_every_primary("CLIENT", "KILL", "TYPE", "pubsub")
    until(lambda: _stale(listening, wren) == [])
    assert not listening.before_subscribing


def test_copies_are_a_second_old_at_most_though_nothing_is_heard(clock: list[float]) -> None:
    copies, key = LocalCache(), want()
    copies.put(key, page(), clock[0])
    assert copies.get(key) is None  # nobody listens
    copies._listening = True
    copies.put(key, page(), clock[0])
    clock[0] += local.TTL_SECONDS - 0.001
    assert copies.get(key)
    clock[0] += 0.001
    assert copies.get(key) is None
    copies.put(key, page(), clock[0] - local.TTL_SECONDS)  # read as long ago
    assert copies.get(key) is None
    for number in range(2 * local.COPIES_MAX):
        copies.put(want(query=f"max_id={number}"), page(), clock[0])
    assert len(copies._copies) == local.COPIES_MAX


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
    clock[0] += local.TTL_SECONDS
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
    invalidate(app.extensions["linnet.db"], ["/sedge"], hard=False)
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
            invalidate(app.extensions["linnet.db"], ["/sedge"], hard=True)
        return f"<p>Sedge {len(rendered)}</p>"

    app.add_url_rule("/sedge", "sedge", public(decorators.cached()(view)))
    assert [ask(app, "/sedge").page for _ in range(3)] == [
        b"<p>Sedge 1</p>",
        b"<p>Sedge 2</p>",
        b"<p>Sedge 2</p>",
    ]


def _stale(copies: LocalCache, key: CacheKey) -> list[bool]:
    copy = copies.get(key)
    return [copy.stale] if copy else []
