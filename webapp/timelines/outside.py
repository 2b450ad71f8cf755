"""What homes take from elsewhere when they are read: what stands under the hashtags that their readers follow, and what
authors write who have too many followers to push to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

from ..config import Config
from ..db import Db
from .merged import Merged, Newest
from .tags import Brought, Pages

TAKEN_MAX = 5_000  # members of one store of whom a process knows what their homes took last
Taken = tuple[tuple[str, ...], tuple[int, ...]]  # the names of tags, and authors
NOTHING: Taken = ((), ())

# For each store: uid → what that member's home took, where it was anything.
_taken: WeakKeyDictionary[Db, dict[int, Taken]] = WeakKeyDictionary()


class Outside:
    """What one page of a home takes. A process knows what a member's home took last, and reads that beside the home,
    which says what it takes now: `commands` to put into a trip, whose replies `read` takes; and once more after `take`.
    """

    def __init__(self, db: Db, config: Config, uid: int, before: int | None) -> None:
        self._uid, self._last = uid, _taken.setdefault(db, {})
        self._pages, self._merged = Pages(db, config, before), Merged(db, config, before, config.page_size + 1)
        self._ask(self._last.get(uid, NOTHING))

    def take(self, names: Sequence[str], authors: Iterable[int]) -> None:
        """What the home takes: `commands` are for what is not known of it by now."""
        taken = (tuple(names), tuple(authors))
        if taken == self._taken == NOTHING:  # as for most
            return
        self._ask(taken)
        if taken == NOTHING:
            self._last.pop(self._uid, None)
        elif taken != self._last.get(self._uid):
            if len(self._last) >= TAKEN_MAX:
                self._last.clear()
            self._last[self._uid] = taken

    def read(self, replies: Sequence[Any]) -> None:
        """Takes the replies to `commands`."""
        if not replies:
            return
        told = iter(replies)
        self._pages.read(list(islice(told, self._of_tags)))
        self._merged.read(list(told))

    def brought(self, hidden: Set[int]) -> Brought:
        """What is known of the tags, without what hidden authors wrote."""
        return self._pages.of(self._taken[0], hidden)

    @property
    def merged(self) -> Newest:
        """What is known of the authors."""
        return self._merged.of(self._taken[1])

    def _ask(self, taken: Taken) -> None:
        self._taken = taken
        of_tags, of_authors = self._pages.ask(taken[0]), self._merged.ask(taken[1])
        self._of_tags, self.commands = len(of_tags), [*of_tags, *of_authors]
