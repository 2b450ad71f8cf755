"""Authors with too many followers to push to: their statuses are merged into a home when it is read."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ..accounts.store import member_command, member_from
from ..config import Config
from ..db import Command, Db
from ..statuses.boosts import Told, newest_command, newest_from
from ..statuses.listed import page_command, page_from
from ..statuses.status import Status

CACHED_MAX = 1_000  # authors whose newest page a process keeps


class Newest(NamedTuple):
    """One page of posts, as many replies and twice as many boosts, as they were read (monotonic seconds). Which of the
    replies a reader is shown is not known here; `end`: the id below which there may be others, 0 for none.
    """

    statuses: list[Status]
    boosts: list[Told]
    end: int = 0
    read_at: float = 0.0


# For each store: author → their newest. Shared by all readers of this process, for MERGED_SECONDS.
_kept: WeakKeyDictionary[Db, dict[int, Newest]] = WeakKeyDictionary()


class Merged:
    """A page of each of some authors, below `before`. All readers follow the authors, and share the pages: what is for
    those whom it names alone is pushed into their homes.
    """

    def __init__(self, db: Db, config: Config, before: int | None, want: int) -> None:
        self._kept, self._fresh = _kept.setdefault(db, {}), time.monotonic() - config.merged_seconds
        self._before, self._want = before, want
        self._known: dict[int, Newest] = {}
        self._asked: list[int] = []

    def ask(self, authors: Iterable[int]) -> list[Command]:
        """The commands that read those of whom nothing is known yet, nor was read just now; their replies go to
        `read`.
        """
        wanted = [uid for uid in authors if uid not in self._known]
        if self._before is None:
            found = {uid: kept for uid in wanted if (kept := self._kept.get(uid)) and kept.read_at > self._fresh}
            self._known |= found
        self._asked = [uid for uid in wanted if uid not in self._known]
        before, want = self._before, self._want
        return [
            command
            for uid in self._asked
            for command in (
                member_command(uid),
                page_command(uid, before, want, True, followers=True),
                newest_command(uid, before, 2 * want),
            )
        ]

    def read(self, replies: Sequence[Any]) -> None:
        """Takes the replies to what was asked last."""
        parts = (replies[at::3] for at in range(3))
        found = {uid: self._read(uid, *told) for uid, *told in zip(self._asked, *parts, strict=True)}
        self._known |= found
        if self._before is None:
            if len(self._kept) + len(found) > CACHED_MAX:
                self._kept.clear()
            self._kept |= found

    def of(self, authors: Iterable[int]) -> Newest:
        """All that is known of these together, down to the highest of their ends."""
        pages = [self._known[uid] for uid in authors if uid in self._known]
        statuses = [status for page in pages for status in page.statuses]
        return Newest(statuses, [told for page in pages for told in page.boosts], max((0, *(one.end for one in pages))))

    def _read(self, uid: int, fields: Any, page: Any, newest: Any) -> Newest:
        author = member_from(uid, fields)
        if author is None or author.suspended:
            return Newest([], [], 0, time.monotonic())
        statuses, boosts = page_from(author, page, True), newest_from(uid, newest)
        posts = [status for status in statuses if not status.to]  # replies would end pages they are not on
        lists = ((posts, self._want), (boosts, 2 * self._want))
        return Newest(statuses, boosts, max(0, *(_end(part, most) for part, most in lists)), time.monotonic())


def _end(part: Sequence[Status | Told], most: int) -> int:
    """Below the last of as many as were asked for, others may be."""
    return part[most - 1].id if len(part) >= most else 0
