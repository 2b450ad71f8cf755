"""Do the steps of several workers in any order, one trip of one of them at a time."""

from collections.abc import Iterator
from typing import Any

from webapp.core.store import Site, Steps


def trip_by_trip(site: Site, steps: Steps[None]) -> Iterator[None]:
    """Do steps as a worker does, one trip at a time."""
    replies: Any = None
    while True:
        try:
            is_refused = isinstance(replies, Exception)
            commands = steps.throw(replies) if is_refused else steps.send(replies)
        except StopIteration:
            return
        [replies] = site.db.trip_apart([commands])
        yield
