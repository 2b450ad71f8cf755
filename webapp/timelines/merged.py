"""Authors with too many followers to push to: their statuses are merged into a home when it is read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from ..accounts.store import member_command, member_from
from ..config import Config
from ..db import Command, Db
from ..statuses.listed import page_command, page_from
from ..statuses.status import Status

CACHED_MAX = 1_000  # authors whose newest page a process keeps

# For each store: author → (when it was read, the newest page). Shared by all readers of this process, for
# MERGED_SECONDS.
_newest: WeakKeyDictionary[Db, dict[int, tuple[float, list[Status]]]] = WeakKeyDictionary()


class Merged:
    """One page of each of some authors, of posts and as many replies: `commands` to put into a trip, whose replies
    `read` turns into statuses; `known` are those for which it needs none. All readers follow the authors, and share the
    pages: what is for those whom it names alone is pushed into their homes. Which of the replies a reader is shown is
    not known here.
    """

    def __init__(self, db: Db, config: Config, authors: Sequence[int], before: int | None, want: int) -> None:
        self._kept = _newest.setdefault(db, {})
        fresh = time.monotonic() - config.merged_seconds
        known = {uid: kept for uid in authors if before is None and (kept := self._kept.get(uid))}
        self.known = [status for read_at, page in known.values() if read_at > fresh for status in page]
        self._authors = [uid for uid in authors if uid not in known or known[uid][0] <= fresh]
        self._newest_page = before is None
        self.commands: list[Command] = [
            command
            for uid in self._authors
            for command in (member_command(uid), page_command(uid, before, want, True, followers=True))
        ]

    def read(self, replies: Sequence[Any]) -> list[Status]:
        """The statuses of all the authors, in no order."""
        found = list(self.known)
        for uid, fields, page in zip(self._authors, replies[::2], replies[1::2], strict=True):
            author = member_from(uid, fields)
            statuses = page_from(author, page, True) if author and not author.suspended else []
            found += statuses
            if self._newest_page:
                self._keep(uid, statuses)
        return found

    def _keep(self, uid: int, page: list[Status]) -> None:
        if len(self._kept) >= CACHED_MAX:
            self._kept.clear()
        self._kept[uid] = (time.monotonic(), page)
