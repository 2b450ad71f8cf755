"""Measure queries while members post fifty times a second, as a site and its worker do."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from multiprocessing import get_context
from multiprocessing.synchronize import Event as Flag
from random import Random
from typing import Any

from bench.site import add_members, follow, site
from bench.table import Figure
from webapp import registry
from webapp.config import Config
from webapp.core.events import inline
from webapp.core.store import Site
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses

from . import corpus

POSTS, QUERIES = 200_000, 400
RATE = 50  # posts a second
MEMBERS = range(64, 64 * 101, 64)
FOLLOWERS = range(100_000, 100_100)


def measure() -> Iterator[Figure]:
    """Yield the figures of queries beside posts."""
    random = Random(7)
    with site() as here:
        corpus.index(here, corpus.texts(random, POSTS))
        add_members(here.db, (*MEMBERS, *FOLLOWERS))
        follow(here.db, {uid: list(FOLLOWERS) for uid in MEMBERS})
        plans = corpus.plans(random, QUERIES)
        with _load(here) as posted:
            began, before = time.monotonic(), posted()
            times = corpus.times(lambda plan: here.db.read(corpus.ask_latest(here, plan)), plans)
            rate = (posted() - before) / (time.monotonic() - began)
    yield Figure("search beside posts: posts", rate, "a second")
    yield Figure("search beside posts: latest, median", times[len(times) // 2], "ms")
    p99 = corpus.p99(times)
    yield Figure("search beside posts: latest, p99", p99, "ms", target=corpus.P99_MS, at_most=True)


@contextmanager
def _load(here: Site) -> Iterator[Callable[[], int]]:
    """Post and apply events in two processes. Yields a function that counts the posts."""
    context = get_context("spawn")
    stop, posts = context.Event(), context.Value("q", 0)
    processes = [
        context.Process(target=_post, args=(here.config, stop, posts)),
        context.Process(target=_apply, args=(here.config, stop)),
    ]
    for process in processes:
        process.start()
    while not posts.value:
        time.sleep(0.1)
    try:
        yield lambda: posts.value
    finally:
        stop.set()
        for process in processes:
            process.join()


def _post(config: Config, stop: Flag, posts: Any) -> None:
    """Post fifty times a second, by the clock."""
    db, texts = connect(config), corpus.texts(Random(8), 10**9)
    began = time.monotonic()
    for number in count():
        if stop.wait(max(0.0, began + number / RATE - time.monotonic())):
            break
        uid = MEMBERS[number % len(MEMBERS)]
        statuses.post(Site(db, config), uid, parse(next(texts)), f"bench-load-{number}")
        posts.value += 1
    db.close()


def _apply(config: Config, stop: Flag) -> None:
    """Apply events as they come."""
    db = connect(config)
    while not stop.wait(0.02):
        inline.drain(Site(db, config), registry.REGISTRY)
    db.close()
