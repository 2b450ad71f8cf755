"""Measure suggestions on a site of a million members beside one of a thousand.

The index and the members are written in the shape of the site's own scripts. Names have one to
three words, a third of them Chinese; how many follow each is distributed as on large sites. Whole
requests, sessions and rate limits too, run in this process for a viewer with as many contacts and
follows as are looked at. Times are processor time, so that whatever else runs counts for little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import cycle
from random import Random
from time import process_time
from urllib.parse import quote

from webapp import create_app
from webapp.accounts import keys as account_keys, registration
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.autocomplete import keys
from webapp.autocomplete.name_projections import sync_names
from webapp.autocomplete.ranks import rank_of
from webapp.autocomplete.words import words_of
from webapp.core.events.inline import drain
from webapp.core.events.registry import Registry
from webapp.core.store import Command, partition_of
from webapp.core.store.reads import parse_info
from webapp.following import keys as following_keys
from webapp.registry import REGISTRY

from .site import FREE, OLD_MS, Site, send, site
from .table import Figure, compare

SMALL, LARGE = 1_000, 1_000_000  # members
FIRST = 1_000_000  # member id
BATCH = 20_000  # members whose entries are written together
CONTACTS = 100
QUERIES, ROUNDS = 200, 5
SIGN_UPS = 200
FLAT = 0.5  # at least: a thousand times the members may not cost twice
SLOWEST_MS = 30.0  # at most, of 99 in 100 requests
SYLLABLES = (
    "an be ca da el fi go ha is jo ka lu ma ne ol pe ra sa ti va wi ya zo bri chu den fro gil hal"
).split()
SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗"
GIVEN = "伟芳娜敏静秀丽强磊洋艳勇军杰娟涛明超霞平刚桂英华文玉辉鹏飞"


def measure() -> list[Figure]:
    """Measure requests beside those of a small site, memory, and what a sign-up costs."""
    with ExitStack() as stack:
        small, large = (stack.enter_context(site(limit_autocomplete=FREE)) for _ in range(2))
        few, many = Names(small, SMALL), Names(large, LARGE)
        figures = [
            compare(
                f"suggestions, {LARGE:,} members instead of {SMALL:,}",
                "/s",
                many.rate,
                few.rate,
                ROUNDS,
                FLAT,
            ),
            *many.latencies(),
            Figure("memory: a member in the index of names", many.bytes_each, "bytes"),
        ]
        return [*figures, sign_up_figure(small)]


class Names:
    """A site of many members, and one who asks for suggestions."""

    def __init__(self, here: Site, count: int) -> None:
        self._here, self._draw = here, Random(count)
        people = self._write_members(count)
        before = self._used()
        self._write_index(people)
        self.bytes_each = (self._used() - before) / count
        self._typed = cycle(
            word[: 1 + number % 6]
            for number, (_, _, name) in enumerate(self._draw.choices(people, k=1_000))
            for word in [name.split()[-1].lower()]
        )
        self._client = create_app(here.config).test_client()
        viewer = self._write_viewer(people)
        self._client.set_cookie(COOKIE_NAME, sessions.start(here, viewer))

    def rate(self) -> float:
        """Return requests a second of processor time, the app's and the store's."""
        began = process_time() + self._store_time()
        for _ in range(QUERIES):
            self.ask()
        return QUERIES / (process_time() + self._store_time() - began)

    def latencies(self) -> Iterator[Figure]:
        """Yield the times of requests: the whole, without waiting, and the parts of it."""
        count, stored = QUERIES * ROUNDS, self._store_time()
        times = sorted(self.ask() * 1000 for _ in range(count))
        store_ms = (self._store_time() - stored) * 1000 / count
        slow = times[count * 99 // 100] + store_ms
        yield Figure("suggestions: median of the app", times[count // 2], "ms")
        yield Figure("suggestions: mean of the store", store_ms, "ms")
        yield Figure("suggestions: 99 of 100", slow, "ms", target=SLOWEST_MS, at_most=True)

    def ask(self) -> float:
        """Ask for suggestions for what members type. Return the app's seconds."""
        path = f"/autocomplete/members?q={quote(next(self._typed))}"
        began = process_time()
        response = self._client.get(path)
        assert response.status_code == 200 and 'role="option"' in response.text, path
        return process_time() - began

    def _store_time(self) -> float:
        used = info_of(self._here, "cpu")
        return sum(float(used[f"used_cpu_{kind}_main_thread"]) for kind in ("user", "sys"))

    def _used(self) -> int:
        return int(info_of(self._here, "memory")["used_memory_dataset"])

    def _write_members(self, count: int) -> list[tuple[int, str, str]]:
        people = [(FIRST + step, f"m{FIRST + step}", self._name()) for step in range(count)]
        send(self._here.db, (one for person in people for one in _member(*person)))
        return people

    def _write_index(self, people: list[tuple[int, str, str]]) -> None:
        for start in range(0, len(people), BATCH):
            entries = defaultdict[str, list[object]](list)
            records = defaultdict[str, list[object]](list)
            for uid, login, name in people[start : start + BATCH]:
                rank, words = rank_of(int(self._draw.paretovariate(0.6)) - 1), words_of(login, name)
                records[keys.indexed_names(partition_of(uid))] += (uid, f"{rank} {' '.join(words)}")
                for word in words:
                    index = keys.name_index(keys.index_partition(word), rank)
                    entries[index] += (0, f"{word} {uid}")
            send(self._here.db, (("ZADD", key, *parts) for key, parts in entries.items()))
            send(self._here.db, (("HSET", key, *parts) for key, parts in records.items()))

    def _write_viewer(self, people: list[tuple[int, str, str]]) -> int:
        viewer = FIRST + len(people)
        others = self._draw.sample(range(FIRST, viewer), CONTACTS)
        scored = [part for step, other in enumerate(others) for part in (OLD_MS + step, other)]
        send(self._here.db, _member(viewer, "viewer", "Viewer"))
        self._here.db.run(("ZADD", keys.contacts(viewer), *scored))
        self._here.db.run(("ZADD", following_keys.following(viewer), *scored))
        return viewer

    def _name(self) -> str:
        draw = self._draw
        if draw.random() < 1 / 3:
            return draw.choice(SURNAMES) + "".join(draw.choices(GIVEN, k=draw.randint(1, 2)))
        words = ["".join(draw.choices(SYLLABLES, k=draw.randint(1, 3))).title() for _ in range(3)]
        return " ".join(words[: draw.randint(1, 3)])


def sign_up_figure(here: Site) -> Figure:
    """Compare what sign-ups cost, worker included, with what they cost without the index."""
    numbers = iter(range(10**9))
    log = REGISTRY.projections["log"]
    kept = {"joined": [one for one in log["joined"] if one is not sync_names]}
    without = replace(REGISTRY, projections={**REGISTRY.projections, "log": {**log, **kept}})

    def sign_ups(registry: Registry) -> float:
        began = process_time()
        for _ in range(SIGN_UPS):
            number = next(numbers)
            registration.sign_up(here, f"new{number}", "Ann 王小明 Lark", "correct horse")
        drain(here, registry)
        return SIGN_UPS / (process_time() - began)

    return compare(
        "sign-ups with the index of names, instead of without",
        "/s",
        lambda: sign_ups(REGISTRY),
        lambda: sign_ups(without),
        ROUNDS,
    )


def info_of(here: Site, section: str) -> dict[str, str]:
    """Return what the store says of itself."""
    return parse_info(here.db.on_every_primary("INFO", section)[0])


def _member(uid: int, login: str, name: str) -> Iterator[Command]:
    fields = ("login", login, "name", name, "joined", OLD_MS)
    yield ("HSET", account_keys.user(uid), *fields)
    yield ("SET", account_keys.login(login), f"{uid}:{OLD_MS}")
