"""Authors with too many followers to push to: their statuses are merged into a home when it is read."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from webapp.accounts.store import member_command, member_from
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.statuses.author_page import author_page_command, author_page_from
from webapp.statuses.interactions.boosts import BoostRef, newest_boosts_command, newest_boosts_from
from webapp.statuses.status import Status

CACHED_MAX = 1_000  # authors whose newest page a process keeps


class AuthorPages(NamedTuple):
    """One page of posts, as many replies and twice as many boosts, as they were read (monotonic seconds). Which of the
    replies a reader is shown is not known here; `end`: the id below which there may be others, 0 for none.
    """

    statuses: list[Status]
    boosts: list[BoostRef]
    complete_to: int = 0
    read_at: float = 0.0


# For each store: author → their newest. Shared by all readers of this process, for MERGED_SECONDS.
_cache: WeakKeyDictionary[Db, dict[int, AuthorPages]] = WeakKeyDictionary()


class PullAuthors:
    """A page of each of some authors, below `before`. All readers follow the authors, and share the pages: what is for
    those whom it names alone is pushed into their homes.
    """

    def __init__(self, db: Db, config: Config, before: int | None, size: int) -> None:
        self._cached_pages, self._fresh_since = (
            _cache.setdefault(db, {}),
            time.monotonic() - config.merged_seconds,
        )
        self._before, self._size = before, size
        self._pages: dict[int, AuthorPages] = {}
        self._missing: list[int] = []

    def commands_for(self, authors: Iterable[int]) -> list[Command]:
        """The commands that read those of whom nothing is known yet, nor was read just now; their replies go to
        `read`.
        """
        wanted = [uid for uid in authors if uid not in self._pages]
        if self._before is None:
            cached = {
                uid: page
                for uid in wanted
                if (page := self._cached_pages.get(uid)) and page.read_at > self._fresh_since
            }
            self._pages |= cached
        self._missing = [uid for uid in wanted if uid not in self._pages]
        before, size = self._before, self._size
        return [
            command
            for uid in self._missing
            for command in (
                member_command(uid),
                author_page_command(uid, before, size, True, is_follower=True),
                newest_boosts_command(uid, before, 2 * size),
            )
        ]

    def accept(self, replies: Sequence[Any]) -> None:
        """Takes the replies to what was asked last."""
        columns = (replies[at::3] for at in range(3))
        pages = {
            uid: self._parse(uid, *values)
            for uid, *values in zip(self._missing, *columns, strict=True)
        }
        self._pages |= pages
        if self._before is None:
            if len(self._cached_pages) + len(pages) > CACHED_MAX:
                self._cached_pages.clear()
            self._cached_pages |= pages

    def combine(self, authors: Iterable[int]) -> AuthorPages:
        """All that is known of these together, down to the highest of their ends."""
        pages = [self._pages[uid] for uid in authors if uid in self._pages]
        statuses = [status for page in pages for status in page.statuses]
        return AuthorPages(
            statuses,
            [boost for page in pages for boost in page.boosts],
            max((0, *(one.complete_to for one in pages))),
        )

    def _parse(self, uid: int, fields: Any, page: Any, newest: Any) -> AuthorPages:
        author = member_from(uid, fields)
        if author is None or author.suspended:
            return AuthorPages([], [], 0, time.monotonic())
        statuses, boosts = author_page_from(author, page, True), newest_boosts_from(uid, newest)
        posts = [
            status for status in statuses if not status.reply_to_uid
        ]  # replies would end pages they are not on
        lists = ((posts, self._size), (boosts, 2 * self._size))
        return AuthorPages(
            statuses,
            boosts,
            max(0, *(_complete_to(items, limit) for items, limit in lists)),
            time.monotonic(),
        )


def _complete_to(items: Sequence[Status | BoostRef], limit: int) -> int:
    """Below the last of as many as were asked for, others may be."""
    return items[limit - 1].id if len(items) >= limit else 0
