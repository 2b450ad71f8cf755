"""Measure queries of two words and the index's memory, beside SQLite's FTS5.

The store and the index are the site's own; pages are not rendered.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from random import Random

from bench.site import site
from bench.table import Figure

from . import corpus

POSTS, QUERIES = 200_000, 400
SQL = "SELECT rowid FROM posts WHERE posts MATCH ? ORDER BY rowid DESC LIMIT ?"


def measure() -> Iterator[Figure]:
    """Yield the figures of search on a quiet site."""
    random = Random(7)
    texts = list(corpus.texts(random, POSTS))
    queries = corpus.queries(random, QUERIES)
    fts = _fill_fts(texts)
    with site() as here:
        before = corpus.used_memory(here)
        seconds = corpus.index(here, texts)
        used = (corpus.used_memory(here) - before) / POSTS
        yield Figure("search: indexing, this process and the store", POSTS / seconds, "a second")
        yield Figure("search: memory of the index", used, "bytes a post")
        plans = [corpus.parse(query).plan for query in queries]
        ours = corpus.times(lambda plan: here.db.read(corpus.ask_latest(here, plan)), plans)
        ranked = corpus.times(lambda plan: here.db.read(corpus.ask_top(here, plan)), plans)
    theirs = corpus.times(lambda query: fts.execute(SQL, (query, corpus.LIMIT)).fetchall(), queries)
    for name, times in (("latest", ours), ("top", ranked), ("latest, FTS5", theirs)):
        yield Figure(f"search: {name}, median", times[len(times) // 2], "ms")
        target = corpus.P99_MS if name == "latest" else None
        yield Figure(f"search: {name}, p99", corpus.p99(times), "ms", target=target, at_most=True)


def _fill_fts(texts: Sequence[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE posts USING fts5(text, tokenize='porter')")
    rows = ((place, text) for place, text in enumerate(texts))
    connection.executemany("INSERT INTO posts(rowid, text) VALUES (?, ?)", rows)
    return connection
