"""Chat beside the book's (`bench.chat.redis_in_action`), on one store that does not write to disk
for either.

Sending: the same clients send as fast as they are answered, into one chat of 500 members and over
1,000 chats: eight threads of one process, as many as a web process of the site has, and then four
processes. The book's messages are only numbered and stored; ours are also checked (does the
sender belong, may they write, was this sent before), bounded, and leave an event for the worker. In
the first figures nobody applies those events, so that sending alone is measured; in the last a
worker does so meanwhile.

Fetching: what a member has not fetched yet of 1, 10, 50 and 200 chats, marked as fetched; one
message in all of them together, or one in each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from random import Random
from statistics import median

from redis import Redis

from bench.site import FREE, add_members, site
from bench.stream.posting import until
from bench.stream.processes import worker
from bench.table import Figure, compare
from webapp.chat import keys as chat_keys
from webapp.chat.api import fetch as api_fetch
from webapp.chat.members import group_chats
from webapp.chat.messages import sending
from webapp.chat.models import Content
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.inline import drain
from webapp.core.store import PARTITIONS, Site
from webapp.core.store.connection import CLIENT_OPTIONS, connect
from webapp.core.text.parser import parse
from webapp.registry import REGISTRY

from . import redis_in_action, screen_latency

THREADS, PROCESSES = 8, 4  # clients that send
HOW = (f"{THREADS} threads", f"{PROCESSES} processes")
CROWD = 500  # members of the one chat
CHATS, EACH, PEOPLE = 1_000, 4, 20  # chats; members of each, drawn from so many
SECONDS, ROUNDS = 1.0, 7  # of sending
LEAST = 3.0  # the target: times the book's messages a second
SIZES = (1, 10, 50, 200)  # chats of a member who fetches
FETCHES, FETCH_ROUNDS = 20, 5
READER, OTHER = 900, 901  # member ids
DRAIN_SECONDS = 120.0  # for the worker to apply what a round has sent
TEXT = (
    "Larks sing while they climb, and I have never heard one stop for breath. https://example.org/"
)
PARSED = parse(TEXT, 2_000)
DRAFT = Content(text=PARSED.text, entities=PARSED.entities)

Place = tuple[str, int]  # a chat, and a member of it who sends


def measure() -> list[Figure]:
    """Measure sending and fetching beside the book's code, then latency to 500 screens."""
    return [*sends(), *fetches(), *screen_latency.measure()]


def sends() -> list[Figure]:
    """Measure messages sent a second."""
    with _ready() as here:
        _connect(here.config)
        ours = {"one chat": _one_chat(here), f"{CHATS:,} chats": _many_chats(here)}
        theirs = {name: _create_book_chats(here, places) for name, places in ours.items()}
        drain(here, REGISTRY)
        spawn = get_context("spawn")
        with (
            ThreadPoolExecutor(THREADS) as threads,
            ProcessPoolExecutor(PROCESSES, spawn, _connect, (here.config,)) as processes,
        ):
            each = Clients(threads, THREADS), Clients(processes, PROCESSES)
            alone = [
                _compare_sending(here, clients, f"{name}, {how}", ours[name], theirs[name], target)
                for clients, how, target in zip(each, HOW, (LEAST, None), strict=True)
                for name in ours
            ]
            with worker(here):
                _wait_until_applied(here)
                how = f"{HOW[0]}, a worker applying them"
                working = [
                    _compare_sending(
                        here, each[0], f"{name}, {how}", ours[name], theirs[name], None
                    )
                    for name in ours
                ]
        return [*alone, *working]


@dataclass(frozen=True, slots=True)
class Clients:
    """Hold threads or processes that send."""

    pool: Executor
    count: int

    def rate(self, act: Callable[[str, int, str], None], places: Sequence[Place]) -> float:
        """Return messages a second of all clients together."""
        begins = time.monotonic() + 0.1
        counts = [
            self.pool.submit(_send_until_end, act, number, places, begins)
            for number in range(self.count)
        ]
        return sum(count.result() for count in counts) / SECONDS


def _compare_sending(
    here: Site,
    clients: Clients,
    name: str,
    ours: Sequence[Place],
    theirs: Sequence[Place],
    target: float | None,
) -> Figure:
    def own() -> float:
        rate = clients.rate(_send, ours)
        _wait_until_applied(here) if "worker" in name else _trim_outboxes(here)
        return rate

    def book() -> float:
        return clients.rate(_send_by_the_book, theirs)

    return compare(
        f"messages sent into {name} (reference: the book's)", "/s", own, book, ROUNDS, target
    )


# In a client


def _connect(config: Config) -> None:
    global _config, _db, _plain
    _config, _db = config, connect(config)
    _plain = Redis.from_url(config.store_url, **CLIENT_OPTIONS)


def _send_until_end(
    act: Callable[[str, int, str], None], number: int, places: Sequence[Place], begins: float
) -> int:
    """Send into random places until the time is over. Return the number of messages."""
    draw, count = Random(number), 0
    time.sleep(max(0.0, begins - time.monotonic()))
    while time.monotonic() < begins + SECONDS:
        act(*draw.choice(places), f"{number}-{begins}-{count}")
        count += 1
    return count


def _send(cid: str, uid: int, key: str) -> None:
    sending.send(Site(_db, _config), uid, cid, DRAFT, key)


def _send_by_the_book(chat: str, member: int, key: str) -> None:
    redis_in_action.send_message(_plain, chat, str(member), TEXT)


# Before and between


@contextmanager
def _ready() -> Iterator[Site]:
    with site() as here:
        config = replace(here.config, outbox_max=100_000_000, limit_chat=FREE)
        add_members(here.db, [*range(1, CROWD + 1), READER, OTHER])
        yield Site(here.db, config)


def _one_chat(here: Site) -> list[Place]:
    cid = _group(here, 1, range(2, CROWD + 1), "crowd")
    return [(cid, uid) for uid in range(1, THREADS + 1)]


def _many_chats(here: Site) -> list[Place]:
    draw = Random(1)
    members = [draw.sample(range(1, PEOPLE + 1), EACH) for _ in range(CHATS)]
    return [
        (_group(here, uids[0], uids[1:], f"small{at}"), uids[at % EACH])
        for at, uids in enumerate(members)
    ]


def _group(here: Site, uid: int, others: Sequence[int], key: str) -> str:
    return group_chats.create(here, uid, "private", "Larks", list(others), DRAFT, key)


def _create_book_chats(here: Site, ours: Sequence[Place]) -> list[Place]:
    """Create equal chats with the book's code."""
    conn = _redis(here)
    book_chats = {}
    for cid, uid in ours:
        if cid not in book_chats:
            uids = here.db.run(("ZRANGE", chat_keys.chat_members(cid), 0, -1))
            book_chats[cid] = redis_in_action.create_chat(
                conn, str(uid), [member for member in uids if int(member) != uid], TEXT
            )
    return [(book_chats[cid], uid) for cid, uid in ours]


def _redis(here: Site) -> Redis:
    return Redis.from_url(here.config.store_url, **CLIENT_OPTIONS)


def _trim_outboxes(here: Site) -> None:
    """Trim the outboxes, which nobody reads."""
    here.db.trip(*(("XTRIM", event_keys.outbox(p), "MAXLEN", 0) for p in range(PARTITIONS)))


def _wait_until_applied(here: Site) -> None:
    """Wait until the worker has applied all events."""
    if not until(lambda: not _has_pending(here), DRAIN_SECONDS):
        raise RuntimeError("the worker did not keep up")


def _has_pending(here: Site) -> bool:
    groups = here.db.trip_with_errors(
        [("XINFO", "GROUPS", event_keys.outbox(p)) for p in range(PARTITIONS)]
    )
    newest = here.db.trip(
        *(("XREVRANGE", event_keys.outbox(p), "+", "-", "COUNT", 1) for p in range(PARTITIONS))
    )
    for reply, last in zip(groups, newest, strict=True):
        if last and (
            isinstance(reply, Exception) or any(_is_behind(group, last[0][0]) for group in reply)
        ):
            return True
    return False


def _is_behind(group: Sequence[object], newest: str) -> bool:
    facts = dict(zip(group[::2], group[1::2], strict=True))
    return bool(facts["pending"]) or facts["last-delivered-id"] != newest


# Fetching


def fetches() -> list[Figure]:
    """Measure fetches a second by number of chats, and the trips of each."""
    figures, least_trips = [], 0.0
    for size in SIZES:
        with _ready() as here:
            case = Fetching(here, size)
            for each in (False, True) if size > 1 else (True,):
                how = (
                    f"{size} chats, a message in each"
                    if each
                    else f"{size} chats, one message in all"
                )
                figures.append(
                    compare(
                        f"fetches, {how} (reference: the book's)",
                        "/s",
                        lambda c=case, e=each: c.ours(e),  # type: ignore[misc]
                        lambda c=case, e=each: c.reference(e),  # type: ignore[misc]
                        FETCH_ROUNDS,
                    )
                )
            least_trips = least_trips or case.trips
            figures.append(
                Figure(
                    f"trips of a fetch, {size} chats",
                    case.trips,
                    "",
                    target=least_trips,
                    at_most=True,
                )
            )
    return figures


class Fetching:
    """Hold a member of chats of both kinds, in which another member writes."""

    def __init__(self, here: Site, size: int) -> None:
        self._here, self._conn = here, _redis(here)
        self._ours = [_group(here, OTHER, [READER], f"chat{at}") for at in range(size)]
        self._books = [
            redis_in_action.create_chat(self._conn, str(OTHER), [str(READER)], TEXT)
            for _ in range(size)
        ]
        self._sent = 0
        self.trips = 0.0  # of one fetch, the median

    def ours(self, each: bool) -> float:
        """Return fetches a second."""
        site = self._here
        seconds, trips = 0.0, []
        for _ in range(FETCHES):
            cids = self._chosen(self._ours, each)
            for cid in cids:
                sending.send(site, OTHER, cid, DRAFT, f"fetch{self._sent}-{cid}")
            drain(site, REGISTRY)
            before, began = site.db.trips, time.perf_counter()
            fetched = api_fetch.fetch_pending(site, READER)
            seconds += time.perf_counter() - began
            trips.append(site.db.trips - before)
            assert {one.chat.id for one in fetched} >= set(cids), "a message was not fetched"
        self.trips = median(trips)
        return FETCHES / seconds

    def reference(self, each: bool) -> float:
        """Return fetches a second with the book's code."""
        seconds = 0.0
        for _ in range(FETCHES):
            chats = self._chosen(self._books, each)
            for chat in chats:
                redis_in_action.send_message(self._conn, chat, str(OTHER), TEXT)
            began = time.perf_counter()
            fetched = redis_in_action.fetch_pending(self._conn, str(READER))
            seconds += time.perf_counter() - began
            assert {chat for chat, _ in fetched} >= set(chats), "a message was not fetched"
        return FETCHES / seconds

    def _chosen(self, chats: Sequence[str], each: bool) -> Sequence[str]:
        self._sent += 1
        return chats if each else [chats[self._sent % len(chats)]]
