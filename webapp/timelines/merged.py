"""Authors with too many followers to push to: their statuses are merged into a home when it is read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from ..accounts.store import member_command, member_from
from ..config import Config
from ..db import Command, Db
from ..statuses.boosts import Told, newest_command, newest_from
from ..statuses.listed import page_command, page_from
from ..statuses.status import Status

CACHED_MAX = 1_000  # authors whose newest page a process keeps

# For each store: author → (when it was read, the newest page, the newest boosts). Shared by all readers of this
# process, for MERGED_SECONDS.
_newest: WeakKeyDictionary[Db, dict[int, tuple[float, list[Status], list[Told]]]] = WeakKeyDictionary()


class Merged:
    """One page of each of some authors, of posts, as many replies and twice as many boosts: `commands` to put into a
    trip, whose replies `read` turns into statuses, and into `boosts`; `known` are those for which it needs none. All
    readers follow the authors, and share the pages: what is for those whom it names alone is pushed into their homes.
    Which of the replies a reader is shown is not known here. Once it is read it is all known, down to `end` (0: all
    there is).
    """

    def __init__(self, db: Db, config: Config, authors: Sequence[int], before: int | None, want: int) -> None:
        self._kept = _newest.setdefault(db, {})
        fresh = time.monotonic() - config.merged_seconds
        known = {uid: kept for uid in authors if before is None and (kept := self._kept.get(uid))}
        kept_now = [(page, boosts) for read_at, page, boosts in known.values() if read_at > fresh]
        self.known = [status for page, _ in kept_now for status in page]
        self.boosts = [told for _, boosts in kept_now for told in boosts]
        self._want, self.end = want, 0
        for page, boosts in kept_now:
            self._look(page, boosts)
        self._authors = [uid for uid in authors if uid not in known or known[uid][0] <= fresh]
        self._newest_page = before is None
        self.commands: list[Command] = [
            command
            for uid in self._authors
            for command in (
                member_command(uid),
                page_command(uid, before, want, True, followers=True),
                newest_command(uid, before, 2 * want),
            )
        ]

    def read(self, replies: Sequence[Any]) -> None:
        """Takes the replies to `commands`: all is known then."""
        for uid, fields, page, newest in zip(self._authors, *(replies[at::3] for at in range(3)), strict=True):
            author = member_from(uid, fields)
            shown = author is not None and not author.suspended
            statuses = page_from(author, page, True) if author and shown else []
            boosts = newest_from(uid, newest) if shown else []
            self.known += statuses
            self.boosts += boosts
            self._look(statuses, boosts)
            if self._newest_page:
                self._keep(uid, statuses, boosts)

    def _look(self, page: Sequence[Status], boosts: Sequence[Told]) -> None:
        """Below the last of as many as were asked for, others may be. (Replies would end pages they are not on.)"""
        posts = [status for status in page if not status.to]
        lists = ((posts, self._want), (boosts, 2 * self._want))
        self.end = max(self.end, 0, *(part[most - 1].id for part, most in lists if len(part) >= most))

    def _keep(self, uid: int, page: list[Status], boosts: list[Told]) -> None:
        if len(self._kept) >= CACHED_MAX:
            self._kept.clear()
        self._kept[uid] = (time.monotonic(), page, boosts)
