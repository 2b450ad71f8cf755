"""Let the groups that members wait for go before the slower ones, within one worker."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

YIELD_SECONDS = 0.2  # longest wait of a group that is behind, before each of its trips


class Precedence:
    """Counts the loops that apply events others wait for.

    Why, measured: the threads of a worker share the interpreter and the store. Before the last of
    100 waiting posts was delivered, `discovery` had used the most processor time of all.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._working = 0

    @contextmanager
    def working(self) -> Iterator[None]:
        """Go before the groups that are behind, while the block runs."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def give_way(self) -> None:
        """Wait until no loop is working, at most YIELD_SECONDS."""
        with self._changed:
            self._changed.wait_for(lambda: not self._working, YIELD_SECONDS)

    def _count(self, change: int) -> None:
        with self._changed:
            self._working += change
            self._changed.notify_all()
