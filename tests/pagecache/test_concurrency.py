"""The page cache while things happen at once: one rendering for all, nothing kept that an event made untrue, everything
bounded, and nobody who waits for somebody that is gone.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, template_rendered

from tests.conftest import make_app
from tests.support import chat, worker
from tests.support.pagecache import TOKENS, alike, ask, keep, kept, page, want
from tests.support.processes import until
from webapp.accounts import lifecycle, profile
from webapp.config import Config
from webapp.core.store.client import Db, RawReply
from webapp.core.store.reads import Read
from webapp.core.text.parser import parse
from webapp.core.web.view_options import public
from webapp.following import store as following
from webapp.pagecache import decorators, member_versions, rendering
from webapp.pagecache import keys as page_keys
from webapp.pagecache import store as store_module
from webapp.pagecache.cached_page import CachedPage
from webapp.pagecache.invalidation import invalidate
from webapp.pagecache.member_versions import MemberVersions, bump_versions
from webapp.pagecache.store import LookupState, PageStore
from webapp.pagecache.variant import CacheKey
from webapp.statuses import store as statuses

People = Callable[..., list[int]]
MANY = 50
LONG = 60.0  # seconds, for what must not happen in a test
POSITION = re.compile(
    rb'data-page="[^"]*"'
)  # in the log, from which a page goes on: an older one does as well


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases and waits that do not end while a test runs."""
    monkeypatch.setattr(rendering, "WAIT_SECONDS", LONG)
    monkeypatch.setattr(store_module, "LEASE_MS", int(LONG * 1000))


# One for all


def test_fifty_who_ask_at_once_are_given_one_rendering(
    app: Flask, patient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors, rendered, lookup = set[str](), Counter[str](), PageStore.lookup

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
    replies = chat.together(
        MANY, lambda number: ask(app, "/reeds", headers={"Accept-Encoding": "gzip"})
    )
    assert rendered == {"/reeds": 1}
    assert {(reply.status, reply.page, reply.headers["ETag"]) for reply in replies} == {
        (200, b"<p>Reed 1</p>", replies[0].headers["ETag"])
    }


def test_what_is_not_to_be_kept_holds_nobody_up(app: Flask, patient: None) -> None:
    app.add_url_rule("/gone", "gone", public(decorators.cached()(lambda: ("gone", 404))))
    assert [reply.status for reply in chat.together(MANY, lambda number: ask(app, "/gone"))] == [
        404
    ] * MANY
    assert not kept(app.extensions["linnet.db"])


def test_whoever_renders_and_dies_holds_others_up_for_its_lease_at_most(
    db: Db, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead, other, wanted = PageStore(db, config), PageStore(db, config), want()
    monkeypatch.setattr(store_module, "LEASE_MS", 300)
    assert keep(
        other, want(language="zh")
    )  # so that what is kept of the path lasts longer than the lease
    assert dead.lookup(wanted, "dead").state is LookupState.LEASED
    [seconds, micros] = db.run(("TIME",))
    _, till = db.run(("HGET", page_keys.cached_page(wanted.path), f"={wanted.variant}")).split()
    assert int(till) <= int(seconds) * 1000 + int(micros) // 1000 + 300
    until(lambda: other.lookup(wanted, "other").state is LookupState.LEASED)
    assert not dead.store(wanted, "dead", page(b"late"))
    assert other.store(wanted, "other", page(b"new"))
    assert not dead.store(wanted, "dead", page(b"late"))
    assert [found.page.body for found in _kept_raw(db, wanted)] == [b"new"]


def test_whoever_has_waited_long_enough_renders_alone(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "LEASE_MS", int(LONG * 1000))
    monkeypatch.setattr(rendering, "WAIT_SECONDS", 0.0)
    db = app.extensions["linnet.db"]
    cache = app.extensions["linnet.pages"]
    assert cache._store.lookup(want("/public", encoding="gzip"), "dead").state is LookupState.LEASED
    assert ask(app, "/public", headers={"Accept-Encoding": "gzip"}).status == 200
    assert not kept(db)


# Events


PATHS = [
    "/",
    "/public",
    "/public.atom",
    "/@wren",
    "/@wren/feed.atom",
    "/@wren/followers",
    "/@wren/following",
]
PATHS += ["/@finch/followers", "/about/streaming"]


class Scene:
    """Two members who follow each other; a site with a page cache and one without, on one store."""

    def __init__(self, db: Db, config: Config, people: People) -> None:
        self.db, self.config = db, replace(config, inline_projections=False)
        configs = (replace(self.config, page_cache_bytes=size) for size in (1 << 26, 0))
        self.keeping, self.bare = (make_app(one, WTF_CSRF_ENABLED=True) for one in configs)
        self.wren, self.finch = people("wren", "finch")
        self.forms = count()
        for uid, login in ((self.wren, "finch"), (self.finch, "wren")):
            following.follow(db, config, uid, login)
        self.status = self.post()
        self.settle()

    @property
    def addresses(self) -> list[tuple[str, str]]:
        own = [(f"/@wren/{self.status}", ""), ("/statuses", f"ids={self.status}")]
        return [*((path, "") for path in PATHS), *own]

    def post(self) -> int:
        text = parse(f"wren sings {next(self.forms)}", 280)
        return statuses.post(self.db, self.config, self.wren, text, f"form-{next(self.forms)}")

    def check(self, address: tuple[str, str]) -> None:
        """Fails where a visitor is shown anything but what is true."""
        shown, true = (ask(app, *address) for app in (self.keeping, self.bare))
        shown, true = (
            reply._replace(body=POSITION.sub(b"", reply.body)) for reply in (shown, true)
        )
        assert alike(shown) == alike(true), address

    def settle(self) -> None:
        worker.drain(self.db, self.config)

    def act(self, kind: str) -> None:
        """Something happens, and is applied."""
        match kind:
            case "post":
                self.post()
            case "delete":
                statuses.delete(self.db, self.config, self.wren, self.status)
            case "edit":
                profile.edit(self.db, self.config, self.wren, {"name": f"Wren {next(self.forms)}"})
            case "suspend" | "restore":
                lifecycle.suspend(self.db, self.config, self.wren, kind == "suspend")
            case "remove":
                lifecycle.delete_account(self.db, self.config, self.wren, None)
            case "unfollow":
                following.unfollow(self.db, self.config, self.finch, "wren")
            case "follow":
                following.follow(self.db, self.config, self.finch, "wren")
        self.settle()

    def close(self) -> None:
        for app in (self.keeping, self.bare):
            app.extensions["linnet.db"].close()


@pytest.fixture
def scene(db: Db, config: Config, people: People) -> Iterator[Scene]:
    scene = Scene(db, config, people)
    yield scene
    scene.close()


@pytest.mark.parametrize("kind", ["post", "delete", "edit", "suspend", "remove", "unfollow"])
def test_what_was_rendered_before_an_event_is_never_shown_after_it(scene: Scene, kind: str) -> None:
    """The event comes while every page of the site is rendered, and all they show has been read."""
    addresses, pending = scene.addresses, [kind]

    def happen(sender: Flask, **rest: object) -> None:
        if sender is scene.keeping and nested:
            address = nested.pop()
            ask(scene.keeping, *address)
            if not nested and pending:
                scene.act(pending.pop())

    nested = list(
        addresses
    )  # each page is asked for while the one before is rendered: all are under way at once
    with template_rendered.connected_to(happen):
        ask(scene.keeping, "/about/streaming")
    assert not pending
    for address in addresses * 2:
        scene.check(address)


@pytest.mark.parametrize("kind", ["post", "delete", "edit", "suspend", "remove", "unfollow"])
def test_what_was_kept_before_an_event_is_never_shown_after_it(scene: Scene, kind: str) -> None:
    addresses = scene.addresses
    for address in addresses:
        ask(scene.keeping, *address)
    scene.act(kind)
    for address in addresses:
        scene.check(address)


def test_an_address_in_other_letters_shows_no_more_than_the_one_that_is_dropped(
    scene: Scene,
) -> None:
    others = [
        ("/@WREN", ""),
        ("/@Wren/feed.atom", ""),
        ("/@Wren/followers", ""),
        ("/@FINCH/following", ""),
    ]
    others.append((f"/@WREN/{scene.status}", ""))
    for address in others:
        ask(scene.keeping, *address)
    scene.act("unfollow")
    scene.act("delete")
    for address in others:
        scene.check(address)


def test_what_was_not_shown_is_shown_on_its_own_pages_at_once(scene: Scene) -> None:
    for before, after in (("suspend", "restore"), ("unfollow", "follow")):
        scene.act(before)
        for address in scene.addresses:
            ask(scene.keeping, *address)
        scene.act(after)
        for address in scene.addresses:
            if (
                "finch" not in address[0] or after == "follow"
            ):  # on lists of others it may take as long as pages last
                scene.check(address)


# Every order of two visitors' and an event's steps


class Walk:
    """One order of two visitors, each with a process, and one event. The truth goes from 0 to 1."""

    def __init__(self, db: Db, config: Config, start: str, event: str) -> None:
        self.db, self.event, self.wanted = db, event, want()
        self.stores = [PageStore(db, config) for _ in range(2)]
        self.true, self.applied, self.answers = 0, False, list[tuple[bool, int]]()
        db.trip(
            ("DEL", page_keys.cached_page(self.wanted.path)), ("DEL", page_keys.member_versions())
        )
        if start != "cold":
            assert keep(self.stores[0], self.wanted, b"0")
        if start == "over":
            [found] = _kept_raw(db, self.wanted)
            db.run(
                (
                    "HSET",
                    page_keys.cached_page(self.wanted.path),
                    self.wanted.variant,
                    b"1 " + found.page.to_bytes(),
                )
            )
        self.actors: dict[str, Iterator[None]] = {
            "a": self.visit(0),
            "b": self.visit(1),
            "event": self.happen(),
        }

    def visit(self, number: int) -> Iterator[None]:
        store, token, late = self.stores[number], next(TOKENS), self.applied
        yield
        late = self.applied  # whether the event was over when it asked
        taken = store.lookup(self.wanted, token)
        if taken.page:
            self.answers.append((late, int(taken.page.body)))
        if taken.state is not LookupState.LEASED:
            return
        seen = store.member_versions.latest
        yield
        rendered = page(b"%d" % self.true, seen)
        yield
        store.store(self.wanted, token, rendered)
        self.answers.append((late, int(rendered.body)))

    def happen(self) -> Iterator[None]:
        yield
        self.true = 1
        yield
        if self.event == "change":
            bump_versions(self.db, [7])
        else:
            invalidate(self.db, [self.wanted.path], hard=self.event == "hard")
        self.applied = True

    def run(self, choices: list[int]) -> list[int]:
        """Goes on by `choices`, then by the first who can; how many could at each step."""
        live, could = list(self.actors), list[int]()
        for actor in self.actors.values():
            next(actor)
        while live:
            chosen = choices[len(could)] if len(could) < len(choices) else 0
            could.append(len(live))
            if next(self.actors[live[chosen]], live) is live:
                live.pop(chosen)
        return could


@pytest.mark.parametrize("event", ["soft", "change"])
@pytest.mark.parametrize("start", ["cold", "kept", "over"])
def test_in_every_order_nobody_who_asks_after_an_event_sees_what_was_before(
    db: Db, config: Config, start: str, event: str
) -> None:
    choices, orders = list[int](), 0
    while True:
        walk = Walk(db, config, start, event)
        could = walk.run(choices)
        orders += 1
        for late, answer in walk.answers:
            assert answer == 1 or not late, (choices, walk.answers)
        for store in [*walk.stores, PageStore(db, config)]:  # whoever comes later
            taken = store.lookup(walk.wanted, next(TOKENS))
            assert taken.page is None or taken.page.body == b"1", choices
        choices += [0] * (len(could) - len(choices))
        while choices and choices[-1] == could[len(choices) - 1] - 1:
            choices.pop()
        if not choices:
            break
        choices[-1] += 1
    assert orders >= 12


def test_a_process_that_hears_of_changes_in_another_order_trusts_no_page_too_much(
    db: Db, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(member_versions, "MEMBER_VERSIONS_MAX", 8)
    chance = random.Random(7)
    versions, replies, last, numbers = (
        MemberVersions(),
        list[Callable[[], None]](),
        dict[int, int](),
        [0],
    )
    for _ in range(400):
        for uid in {chance.randrange(20) for _ in range(chance.randrange(1, 14))}:
            bump_versions(db, [uid])
            last[uid] = int(db.run(("ZSCORE", page_keys.member_versions(), uid)))
            numbers.append(last[uid])
        replies.append(db.read(versions.refresh().deferred()))
        if chance.random() < 0.5:  # requests that were sent together are answered in any order
            chance.shuffle(replies)
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


def test_a_change_is_heard_of_though_those_before_were_lost(db: Db, config: Config) -> None:
    """As when another server takes over that had not heard of the last ones."""
    store = PageStore(db, config)
    for _ in range(3):
        bump_versions(db, [5])
    store.lookup(want("/@finch"), next(TOKENS))  # which tells of them
    assert keep(store, want())
    db.run(("DEL", page_keys.member_versions()))
    bump_versions(db, [7])  # who is on the page
    assert store.lookup(want(), next(TOKENS)).page is None


def test_a_page_that_a_change_touched_is_rendered_anew_by_whoever_asks_first(
    db: Db, config: Config
) -> None:
    store = PageStore(db, config)
    assert keep(store, want())
    bump_versions(db, [8])  # who is not on it
    assert store.lookup(want(), next(TOKENS)).state is LookupState.FRESH
    bump_versions(db, [7])
    assert [store.lookup(want(), next(TOKENS)).state for _ in range(2)] == [
        LookupState.LEASED,
        LookupState.RENDERING,
    ]


def _kept_raw(db: Db, wanted: CacheKey) -> list[Any]:
    """The pages of one path, whose bodies are not packed."""
    stored = db.run(RawReply(("HGET", page_keys.cached_page(wanted.path), wanted.variant)))
    return [SimpleNamespace(page=CachedPage.from_bytes(stored))] if stored else []
