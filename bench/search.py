"""Measure search: queries, memory and the cost of indexing, beside SQLite's FTS5.

Posts have about fifteen words, drawn from 30,000 by Zipf's law. A query is two of them; both have
hundreds of posts or more. The store and the index are the site's own; pages are not rendered.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from random import Random
from typing import TypeVar

from webapp.accounts.member import Member
from webapp.core.events.outbox import Event
from webapp.core.search.plan import Plan
from webapp.core.search.syntax import parse
from webapp.core.store.ids import first_id_at
from webapp.core.store.reads import Read, parse_info
from webapp.search import keys
from webapp.search.index.store import write_status
from webapp.search.query.store import Matches, latest, top
from webapp.statuses.status import Status

from .site import OLD_MS, Site, send, site
from .table import Figure

POSTS = 200_000
AUTHORS = 5_000
WORDS, VOCABULARY = 15, 30_000
QUERIES = 400
RANKS = (20, 300)  # the ranks of the words that queries are made of
P99_MS = 50
LIMIT = 62  # matches of a page
T = TypeVar("T")


def measure() -> Iterator[Figure]:
    """Yield the figures of search."""
    random = Random(7)
    texts = list(_texts(random))
    queries = [" ".join(f"word{random.randint(*RANKS)}" for _ in range(2)) for _ in range(QUERIES)]
    fts = _fill_fts(texts)
    with site() as running:
        before = _memory(running)
        seconds = _fill(running, texts)
        used = (_memory(running) - before) / POSTS
        yield Figure("search: indexing, this process and the store", POSTS / seconds, "a second")
        yield Figure("search: memory of the index", used, "bytes a post")
        plans = [parse(query).plan for query in queries]
        ours = _times(lambda plan: running.db.read(_latest(running, plan)), plans)
        ranked = _times(lambda plan: running.db.read(_top(running, plan)), plans)
        theirs = _times(lambda query: fts.execute(SQL, (query, LIMIT)).fetchall(), queries)
    for name, times in (("latest", ours), ("top", ranked), ("latest, FTS5", theirs)):
        yield Figure(f"search: {name}, median", times[len(times) // 2], "ms")
        target = P99_MS if name == "latest" else None
        p99 = times[len(times) * 99 // 100]
        yield Figure(f"search: {name}, p99", p99, "ms", target=target, at_most=True)


SQL = "SELECT rowid FROM posts WHERE posts MATCH ? ORDER BY rowid DESC LIMIT ?"


def _texts(random: Random) -> Iterator[str]:
    weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
    words = [f"word{rank}" for rank in range(1, VOCABULARY + 1)]
    for _ in range(POSTS):
        yield " ".join(random.choices(words, cum_weights=weights, k=WORDS))


def _fill(running: Site, texts: Sequence[str]) -> float:
    """Index the posts, one after another in time. Return the seconds."""
    joined = datetime(2026, 1, 1, tzinfo=UTC)
    authors = [Member(uid, f"m{uid}", f"Member {uid}", joined) for uid in range(1, AUTHORS + 1)]
    start = time.perf_counter()
    send(running.db, (_command(running, authors, place, text) for place, text in enumerate(texts)))
    return time.perf_counter() - start


def _command(running: Site, authors: Sequence[Member], place: int, text: str) -> tuple[object, ...]:
    author = authors[place % AUTHORS]
    status = Status(first_id_at(OLD_MS + place) + author.uid % 64, author, text, (), lang="en")
    partition = author.uid % 64
    event = Event("1-1", partition, "fanout", 1, "posted", "-", {})
    return write_status(running.config, event, (status.id, author.uid), status)


def _fill_fts(texts: Sequence[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE posts USING fts5(text, tokenize='porter')")
    rows = ((place, text) for place, text in enumerate(texts))
    connection.executemany("INSERT INTO posts(rowid, text) VALUES (?, ?)", rows)
    return connection


def _latest(running: Site, plan: Plan) -> Read[Matches]:
    return latest(running.config, keys.POSTS, plan, None, LIMIT)


def _top(running: Site, plan: Plan) -> Read[Matches]:
    return top(running.config, keys.POSTS, plan, LIMIT)


def _times(ask: Callable[[T], object], questions: Sequence[T]) -> list[float]:
    """Return how long each question takes, in ms, the shortest first."""
    times = []
    for question in questions:
        start = time.perf_counter()
        ask(question)
        times.append((time.perf_counter() - start) * 1000)
    return sorted(times)


def _memory(running: Site) -> int:
    return int(parse_info(running.db.run(("INFO", "memory")))["used_memory"])
