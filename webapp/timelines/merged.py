"""Authors with too many followers to push to: their statuses are merged into a home when it is read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from ..accounts.store import member_command, member_from
from ..config import Config
from ..db import Command
from ..statuses.store import Status, page_command, page_from

CACHED_MAX = 1_000  # authors whose newest page a process keeps

# author → (when it was read, the newest page): shared by all readers of this process, for MERGED_SECONDS at most.
_newest: dict[int, tuple[float, list[Status]]] = {}


class Merged:
    """One page of each of some authors: `commands` to put into a trip, whose replies `read` turns into statuses."""

    def __init__(self, config: Config, authors: Sequence[int], before: int | None, want: int) -> None:
        fresh = time.monotonic() - config.merged_seconds
        known = {uid: kept for uid in authors if before is None and (kept := _newest.get(uid))}
        self._known = [status for read_at, page in known.values() if read_at > fresh for status in page]
        self._authors = [uid for uid in authors if uid not in known or known[uid][0] <= fresh]
        self._newest_page = before is None
        self.commands: list[Command] = [
            command for uid in self._authors for command in (member_command(uid), page_command(uid, before, want))
        ]

    def read(self, replies: Sequence[Any]) -> list[Status]:
        """The statuses of all the authors, in no order."""
        found = list(self._known)
        for uid, fields, page in zip(self._authors, replies[::2], replies[1::2], strict=True):
            author = member_from(uid, fields)
            statuses = page_from(author, page) if author else []
            found += statuses
            if self._newest_page:
                _keep(uid, statuses)
        return found


def _keep(uid: int, page: list[Status]) -> None:
    if len(_newest) >= CACHED_MAX:
        _newest.clear()
    _newest[uid] = (time.monotonic(), page)
