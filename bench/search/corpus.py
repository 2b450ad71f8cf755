"""Fill the index with posts whose words follow Zipf's law, and draw queries for them."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from random import Random
from typing import TypeVar

from bench.site import OLD_MS, Site, send
from webapp.accounts.member import Member
from webapp.core.events.outbox import Event
from webapp.core.search.plan import Plan
from webapp.core.search.syntax import parse
from webapp.core.store import PARTITIONS, Read, first_id_at
from webapp.core.store.reads import parse_info
from webapp.search import keys
from webapp.search.index.store import status_write, write_commands
from webapp.search.query.store import Matches, latest, top
from webapp.statuses import Status

AUTHORS = 5_000
WORDS, VOCABULARY = 15, 30_000
RANKS = (20, 300)  # the ranks of the words that queries are made of
LIMIT = 62  # matches of a page
P99_MS = 50
T = TypeVar("T")
_WEIGHTS = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
_VOCABULARY = [f"word{rank}" for rank in range(1, VOCABULARY + 1)]
_JOINED = datetime(2026, 1, 1, tzinfo=UTC)
_MEMBERS = [Member(uid, f"m{uid}", f"Member {uid}", _JOINED) for uid in range(1, AUTHORS + 1)]


def texts(random: Random, count: int) -> Iterator[str]:
    """Yield texts of fifteen words."""
    for _ in range(count):
        yield " ".join(random.choices(_VOCABULARY, cum_weights=_WEIGHTS, k=WORDS))


def queries(random: Random, count: int) -> list[str]:
    """Return queries of two words that hundreds of posts or more have."""
    return [" ".join(f"word{random.randint(*RANKS)}" for _ in range(2)) for _ in range(count)]


def plans(random: Random, count: int) -> list[Plan]:
    """Return the plans of queries."""
    return [parse(query).plan for query in queries(random, count)]


def index(here: Site, posts: Iterator[str] | Sequence[str], first: int = 0) -> float:
    """Index posts, one millisecond apart. Return the seconds.

    `first`: how many were indexed before.
    """
    start = time.perf_counter()
    send(here.db, (_command(here, place, text) for place, text in enumerate(posts, first)))
    return time.perf_counter() - start


def _command(here: Site, place: int, text: str) -> tuple[object, ...]:
    author = _MEMBERS[place % AUTHORS]
    partition = author.uid % PARTITIONS
    status = Status(first_id_at(OLD_MS + place) + partition, author, text, (), lang="en")
    event = Event("1-1", partition, "fanout", 1, "posted", "-", {})
    [command] = write_commands(here.config, [status_write(event, (status.id, author.uid), status)])
    return command


def ask_latest(here: Site, plan: Plan) -> Read[Matches]:
    """Read the newest matches."""
    return latest(here.config, keys.POSTS, plan, None, LIMIT)


def ask_top(here: Site, plan: Plan) -> Read[Matches]:
    """Read the best matches."""
    return top(here.config, keys.POSTS, plan, LIMIT)


def times(ask: Callable[[T], object], questions: Sequence[T]) -> list[float]:
    """Return how long each question takes, in ms, the shortest first."""
    seconds = []
    for question in questions:
        start = time.perf_counter()
        ask(question)
        seconds.append((time.perf_counter() - start) * 1000)
    return sorted(seconds)


def p99(sorted_times: Sequence[float]) -> float:
    """Return the time that one in a hundred exceeds."""
    return sorted_times[len(sorted_times) * 99 // 100]


def used_memory(here: Site) -> int:
    """Return the bytes that the store uses."""
    return int(parse_info(here.db.run(("INFO", "memory")))["used_memory"])
