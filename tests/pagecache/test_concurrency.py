"""The page cache under concurrency: one rendering for all, no outdated page, no endless wait."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, template_rendered

from tests.conftest import People, make_app
from tests.support import worker
from tests.support.concurrently import concurrently
from tests.support.pagecache import (
    TOKENS,
    comparable,
    make_key,
    make_page,
    send_request,
    store_page,
    stored_pages,
    without_position,
)
from tests.support.processes import until
from tests.support.world import OnSite
from webapp.accounts import lifecycle, profile
from webapp.config import Config
from webapp.core.store import Db, Read, Site
from webapp.core.store.client import RawReply
from webapp.core.text.parser import parse
from webapp.core.web import public
from webapp.following import store as following
from webapp.pagecache import (
    decorators,
    keys as page_keys,
    member_versions,
    rendering,
    store as store_module,
)
from webapp.pagecache.cached_page import CachedPage
from webapp.pagecache.invalidation import invalidate
from webapp.pagecache.member_versions import MemberVersions, bump_versions
from webapp.pagecache.store import LookupState, PageStore
from webapp.pagecache.variant import CacheKey
from webapp.statuses import store as statuses

pytestmark = pytest.mark.slow

MANY = 50
LONG = 60.0  # seconds, longer than a test


@pytest.fixture
def long_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let leases and waits outlast a test."""
    monkeypatch.setattr(rendering, "WAIT_SECONDS", LONG)
    monkeypatch.setattr(store_module, "LEASE_MS", int(LONG * 1000))


# One rendering for all


def test_concurrent_visitors_get_one_rendering(
    app: Flask, long_leases: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors, rendered = set[str](), Counter[str]()
    lookup = PageStore.lookup

    def recording_lookup(self: PageStore, key: CacheKey, token: str, prefetch: Read[Any]) -> Any:
        visitors.add(token)
        return lookup(self, key, token, prefetch)

    def view() -> str:
        rendered["/reeds"] += 1
        decorators.depends_on_members([])
        until(lambda: len(visitors) >= MANY)
        return f"<p>Reed {rendered['/reeds']}</p>"

    monkeypatch.setattr(PageStore, "lookup", recording_lookup)
    app.add_url_rule("/reeds", "reeds", public(decorators.cached()(view)))
    headers = {"Accept-Encoding": "gzip"}
    replies = concurrently(lambda number: send_request(app, "/reeds", headers=headers), MANY)
    assert rendered == {"/reeds": 1}
    found = {(reply.status, reply.page, reply.headers["ETag"]) for reply in replies}
    assert found == {(200, b"<p>Reed 1</p>", replies[0].headers["ETag"])}


def test_an_uncacheable_page_delays_no_visitor(app: Flask, long_leases: None) -> None:
    app.add_url_rule("/gone", "gone", public(decorators.cached()(lambda: ("gone", 404))))
    replies = concurrently(lambda number: send_request(app, "/gone"), MANY)
    assert [reply.status for reply in replies] == [404] * MANY
    assert not stored_pages(app.extensions["linnet.db"])


def test_a_dead_renderer_delays_others_until_its_lease_ends(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead, other, key = PageStore(site), PageStore(site), make_key()
    monkeypatch.setattr(store_module, "LEASE_MS", 300)
    assert store_page(other, make_key(language="zh"))  # so that the path's hash outlasts the lease
    assert dead.lookup(key, "dead").state is LookupState.LEASED
    [seconds, micros] = site.db.run(("TIME",))
    _, lease_end = site.db.run(("HGET", page_keys.cached_page(key.path), f"={key.variant}")).split()
    assert int(lease_end) <= int(seconds) * 1000 + int(micros) // 1000 + 300
    until(lambda: other.lookup(key, "other").state is LookupState.LEASED)
    assert not dead.store(key, "dead", make_page(b"late"))
    assert other.store(key, "other", make_page(b"new"))
    assert not dead.store(key, "dead", make_page(b"late"))
    assert [cached.page.body for cached in _cached_uncompressed(site.db, key)] == [b"new"]


def test_a_visitor_renders_alone_after_a_long_wait(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "LEASE_MS", int(LONG * 1000))
    monkeypatch.setattr(rendering, "WAIT_SECONDS", 0.0)
    db = app.extensions["linnet.db"]
    cache = app.extensions["linnet.pages"]
    assert (
        cache._store.lookup(make_key("/public", encoding="gzip"), "dead").state
        is LookupState.LEASED
    )
    assert send_request(app, "/public", headers={"Accept-Encoding": "gzip"}).status == 200
    assert not stored_pages(db)


# Events


PATHS = [
    *"/ /public /public.atom /@wren /@wren/feed.atom /@wren/followers /@wren/following".split(),
    *"/@finch/followers /about/streaming".split(),
]


class Scene(OnSite):
    """Two members who follow each other; sites with and without a page cache on one store."""

    def __init__(self, site: Site, people: People) -> None:
        self.db, self.config = site.db, replace(site.config, inline_projections=False)
        configs = (replace(self.config, page_cache_bytes=size) for size in (1 << 26, 0))
        self.cached, self.uncached = (make_app(each, WTF_CSRF_ENABLED=True) for each in configs)
        self.wren, self.finch = people("wren", "finch")
        self.numbers = count()
        for uid, login in ((self.wren, "finch"), (self.finch, "wren")):
            following.follow(site, uid, login)
        self.status_id = self.post()
        self.apply_events()

    @property
    def addresses(self) -> list[tuple[str, str]]:
        own = [(f"/@wren/{self.status_id}", ""), ("/statuses", f"ids={self.status_id}")]
        return [*((path, "") for path in PATHS), *own]

    def post(self) -> int:
        text = parse(f"wren sings {next(self.numbers)}", 280)
        return statuses.post(self.site, self.wren, text, f"form-{next(self.numbers)}")

    def check(self, address: tuple[str, str]) -> None:
        """Check that the cached site shows the same as the uncached one."""
        cached, expected = (send_request(app, *address) for app in (self.cached, self.uncached))
        cached = cached._replace(body=without_position(cached.body))
        expected = expected._replace(body=without_position(expected.body))
        assert comparable(cached) == comparable(expected), address

    def apply_events(self) -> None:
        worker.drain(self.site)

    def change(self, action: str) -> None:
        """Make a change and apply its events."""
        match action:
            case "post":
                self.post()
            case "delete":
                statuses.delete(self.site, self.wren, self.status_id)
            case "edit":
                profile.edit(self.site, self.wren, {"name": f"Wren {next(self.numbers)}"})
            case "suspend" | "restore":
                lifecycle.suspend(self.site, self.wren, action == "suspend")
            case "delete account":
                lifecycle.delete_account(self.site, self.wren, None)
            case "unfollow":
                following.unfollow(self.site, self.finch, "wren")
            case "follow":
                following.follow(self.site, self.finch, "wren")
        self.apply_events()

    def close(self) -> None:
        for app in (self.cached, self.uncached):
            app.extensions["linnet.db"].close()


@pytest.fixture
def scene(db: Db, config: Config, people: People) -> Iterator[Scene]:
    scene = Scene(Site(db, config), people)
    yield scene
    scene.close()


@pytest.mark.parametrize(
    "action", ["post", "delete", "edit", "suspend", "delete account", "unfollow"]
)
def test_a_page_rendered_before_an_event_is_not_served_after_it(
    scene: Scene, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make a change after all pages have read their data and before one is rendered."""
    monkeypatch.setattr(rendering, "WAIT_SECONDS", 0.1)  # the outermost page waits for itself
    addresses, pending = scene.addresses, [action]

    def on_render(sender: Flask, **kwargs: object) -> None:
        if sender is scene.cached and nested:
            address = nested.pop()
            send_request(scene.cached, *address)
            if not nested and pending:
                scene.change(pending.pop())

    nested = list(addresses)  # each is requested during the rendering of the one before
    with template_rendered.connected_to(on_render):
        send_request(scene.cached, "/about/streaming")
    assert not pending
    for address in addresses * 2:
        scene.check(address)


@pytest.mark.parametrize(
    "action", ["post", "delete", "edit", "suspend", "delete account", "unfollow"]
)
def test_a_page_cached_before_an_event_is_not_served_after_it(scene: Scene, action: str) -> None:
    addresses = scene.addresses
    for address in addresses:
        send_request(scene.cached, *address)
    scene.change(action)
    for address in addresses:
        scene.check(address)


def test_urls_in_other_letter_case_are_invalidated_too(scene: Scene) -> None:
    addresses = [
        ("/@WREN", ""),
        ("/@Wren/feed.atom", ""),
        ("/@Wren/followers", ""),
        ("/@FINCH/following", ""),
        (f"/@WREN/{scene.status_id}", ""),
    ]
    for address in addresses:
        send_request(scene.cached, *address)
    scene.change("unfollow")
    scene.change("delete")
    for address in addresses:
        scene.check(address)


def test_restored_statuses_show_on_their_own_pages_immediately(scene: Scene) -> None:
    for before, after in (("suspend", "restore"), ("unfollow", "follow")):
        scene.change(before)
        for address in scene.addresses:
            send_request(scene.cached, *address)
        scene.change(after)
        for address in scene.addresses:
            # Lists of other members may stay outdated until their pages expire.
            if "finch" not in address[0] or after == "follow":
                scene.check(address)


# Every order of the steps of two visitors and an event


class Walk:
    """Two visitors of two processes and one event, which changes the page from 0 to 1."""

    def __init__(self, site: Site, start: str, event: str) -> None:
        self.db, self.event = site.db, event
        self.key = make_key()
        self.stores = [PageStore(site) for _ in range(2)]
        self.content, self.applied = 0, False
        self.answers = list[tuple[bool, int]]()  # asked after the event, content
        site.db.trip(
            ("DEL", page_keys.cached_page(self.key.path)), ("DEL", page_keys.member_versions())
        )
        if start != "cold":
            assert store_page(self.stores[0], self.key, b"0")
        if start == "expired":
            [cached] = _cached_uncompressed(site.db, self.key)
            expired = b"1 " + cached.page.to_bytes()
            site.db.run(("HSET", page_keys.cached_page(self.key.path), self.key.variant, expired))
        self.actors: dict[str, Iterator[None]] = {
            "a": self.visit(0),
            "b": self.visit(1),
            "event": self.make_event(),
        }

    def visit(self, number: int) -> Iterator[None]:
        store, token, after_event = self.stores[number], next(TOKENS), self.applied
        yield
        after_event = self.applied
        lookup = store.lookup(self.key, token)
        if lookup.page:
            self.answers.append((after_event, int(lookup.page.body)))
        if lookup.state is not LookupState.LEASED:
            return
        versions = store.member_versions.latest
        yield
        rendered = make_page(b"%d" % self.content, versions)
        yield
        store.store(self.key, token, rendered)
        self.answers.append((after_event, int(rendered.body)))

    def make_event(self) -> Iterator[None]:
        yield
        self.content = 1
        yield
        if self.event == "change":
            bump_versions(self.db, [7])
        else:
            invalidate(self.db, [self.key.path], hard=self.event == "hard")
        self.applied = True

    def run(self, choices: list[int]) -> list[int]:
        """Take these choices, then always the first actor.

        Return the number of actors left at each step.
        """
        live, live_counts = list(self.actors), list[int]()
        for actor in self.actors.values():
            next(actor)
        while live:
            choice = choices[len(live_counts)] if len(live_counts) < len(choices) else 0
            live_counts.append(len(live))
            if next(self.actors[live[choice]], live) is live:
                live.pop(choice)
        return live_counts


@pytest.mark.parametrize("event", ["soft", "change"])
@pytest.mark.parametrize("start", ["cold", "cached", "expired"])
def test_no_order_of_steps_serves_an_old_page_after_an_event(
    site: Site, start: str, event: str
) -> None:
    choices, orders = list[int](), 0
    while True:
        walk = Walk(site, start, event)
        live_counts = walk.run(choices)
        orders += 1
        for after_event, answer in walk.answers:
            assert answer == 1 or not after_event, (choices, walk.answers)
        for store in [*walk.stores, PageStore(site)]:  # and a later visitor
            lookup = store.lookup(walk.key, next(TOKENS))
            assert lookup.page is None or lookup.page.body == b"1", choices
        choices += [0] * (len(live_counts) - len(choices))
        while choices and choices[-1] == live_counts[len(choices) - 1] - 1:
            choices.pop()
        if not choices:
            break
        choices[-1] += 1
    assert orders >= 12


def test_versions_received_in_any_order_serve_no_outdated_page(
    db: Db, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(member_versions, "MEMBER_VERSIONS_MAX", 8)
    rng = random.Random(7)
    versions = MemberVersions()
    replies = list[Callable[[], None]]()
    last = dict[int, int]()
    numbers = [0]
    for _ in range(400):
        for uid in {rng.randrange(20) for _ in range(rng.randrange(1, 14))}:
            bump_versions(db, [uid])
            last[uid] = int(db.run(("ZSCORE", page_keys.member_versions(), uid)))
            numbers.append(last[uid])
        replies.append(db.read(versions.refresh().deferred()))
        if rng.random() < 0.5:  # replies arrive in any order
            rng.shuffle(replies)
            while replies:
                replies.pop()()
            for seen in (number for number in numbers[-60:] if number <= versions.latest):
                for uid, number in last.items():
                    assert (
                        versions.is_outdated(seen, [uid])
                        or number <= seen
                        or number > versions.latest
                    )
    assert numbers == sorted(set(numbers)) and len(numbers) > 1_000


def test_a_change_is_noticed_after_earlier_ones_were_lost(site: Site) -> None:
    """Lose the versions, as a failover to a replica that lags may."""
    store = PageStore(site)
    for _ in range(3):
        bump_versions(site.db, [5])
    store.lookup(make_key("/@finch"), next(TOKENS))  # reads the versions
    assert store_page(store, make_key())
    site.db.run(("DEL", page_keys.member_versions()))
    bump_versions(site.db, [7])  # a member on the page
    assert store.lookup(make_key(), next(TOKENS)).page is None


def test_the_first_visitor_after_a_change_renders_the_page_again(site: Site) -> None:
    store = PageStore(site)
    assert store_page(store, make_key())
    bump_versions(site.db, [8])  # not a member on the page
    assert store.lookup(make_key(), next(TOKENS)).state is LookupState.FRESH
    bump_versions(site.db, [7])
    expected = [LookupState.LEASED, LookupState.RENDERING]
    assert [store.lookup(make_key(), next(TOKENS)).state for _ in range(2)] == expected


def _cached_uncompressed(db: Db, key: CacheKey) -> list[Any]:
    """Return the cached pages of one path, whose bodies are not compressed."""
    stored = db.run(RawReply(("HGET", page_keys.cached_page(key.path), key.variant)))
    return [SimpleNamespace(page=CachedPage.from_bytes(stored))] if stored else []
