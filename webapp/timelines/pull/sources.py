"""What homes take from elsewhere when they are read: what stands under the hashtags that their readers follow, and what
authors write who have too many followers to push to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.timelines.tags.store import TagEntries, TagPages

from .authors import AuthorPages, PullAuthors

CACHED_MAX = 5_000  # members of one store of whom a process knows what their homes took last
Sources = tuple[tuple[str, ...], tuple[int, ...]]  # the names of tags, and authors
NO_SOURCES: Sources = ((), ())

# For each store: uid → what that member's home took, where it was anything.
_cache: WeakKeyDictionary[Db, dict[int, Sources]] = WeakKeyDictionary()


class PullSources:
    """What one page of a home takes. A process knows what a member's home took last, and reads that beside the home,
    which says what it takes now: `commands` to put into a trip, whose replies `read` takes; and once more after `take`.
    """

    def __init__(self, db: Db, config: Config, uid: int, before: int | None) -> None:
        self._uid, self._cached_sources = uid, _cache.setdefault(db, {})
        self._tag_pages, self._pull_authors = (
            TagPages(db, config, before),
            PullAuthors(db, config, before, config.page_size + 1),
        )
        self._prepare(self._cached_sources.get(uid, NO_SOURCES))

    def update(self, names: Sequence[str], authors: Iterable[int]) -> None:
        """What the home takes: `commands` are for what is not known of it by now."""
        sources = (tuple(names), tuple(authors))
        if sources == self._sources == NO_SOURCES:  # as for most
            return
        self._prepare(sources)
        if sources == NO_SOURCES:
            self._cached_sources.pop(self._uid, None)
        elif sources != self._cached_sources.get(self._uid):
            if len(self._cached_sources) >= CACHED_MAX:
                self._cached_sources.clear()
            self._cached_sources[self._uid] = sources

    def accept(self, replies: Sequence[Any]) -> None:
        """Takes the replies to `commands`."""
        if not replies:
            return
        remaining = iter(replies)
        self._tag_pages.accept(list(islice(remaining, self._tag_command_count)))
        self._pull_authors.accept(list(remaining))

    def entries(self, hidden: Set[int]) -> TagEntries:
        """What is known of the tags, without what hidden authors wrote."""
        return self._tag_pages.combine(self._sources[0], hidden)

    @property
    def author_pages(self) -> AuthorPages:
        """What is known of the authors."""
        return self._pull_authors.combine(self._sources[1])

    def _prepare(self, sources: Sources) -> None:
        self._sources = sources
        tag_commands, author_commands = (
            self._tag_pages.commands_for(sources[0]),
            self._pull_authors.commands_for(sources[1]),
        )
        self._tag_command_count, self.commands = (
            len(tag_commands),
            [*tag_commands, *author_commands],
        )
