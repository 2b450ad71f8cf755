"""Entries too large for a stream, and a store that is down."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.processes import RunningSite

LARGE = 50_000  # characters of a status that soon fills a connection


@contextmanager
def store_down(site: RunningSite) -> Iterator[None]:
    """Kill the store; start it again after the block."""
    site.kill_store()
    try:
        yield
    finally:
        site.start_store()
