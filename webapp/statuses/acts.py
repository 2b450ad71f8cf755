"""What a reader did with the statuses of a page: beside the statuses, which are the same for everybody and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import keys
from ..db import Command, Db


@dataclass(frozen=True, slots=True)
class Acts:
    """The ids of what a reader likes and has bookmarked, as their own lists say; `others`: how many others like what
    the reader liked, or ceased to, within the last minute, when it may wait to be counted.
    """

    liked: frozenset[int] = frozenset()
    bookmarked: frozenset[int] = frozenset()
    others: Mapping[int, int] = field(default_factory=dict)

    def likes(self, status_id: int, mirrored: int) -> int:
        """How many like a status, of which `mirrored` were counted: the reader is among them if and only if they like
        it at this moment, whatever still waits to be applied.
        """
        liked = status_id in self.liked
        return max(self.others[status_id] + liked if status_id in self.others else mirrored, int(liked))


NOBODYS = Acts()


def acts_commands(uid: int | None, status_ids: Sequence[int]) -> list[Command]:
    """The commands whose replies `acts_from` reads, to go in the trip that fetches the statuses; none for a visitor."""
    if not uid or not status_ids:
        return []
    lists = (keys.liked(uid), keys.bookmarks(uid))
    return [*(("ZMSCORE", name, *status_ids) for name in lists), ("ZRANGE", keys.acted(uid), 0, -1)]


def acts_from(db: Db, uid: int | None, status_ids: Sequence[int], replies: Sequence[Any]) -> Acts:
    """The acts in the replies to `acts_commands`; one more trip when one of them was done within the last minute."""
    if not uid or not replies:
        return NOBODYS
    liked, bookmarked = (_there(status_ids, scores) for scores in replies[:2])
    recent = [status_id for status_id in map(int, replies[2]) if status_id in status_ids]
    lists = [keys.likes(status_id) for status_id in recent]
    told = db.trip(*(command for name in lists for command in (("ZCARD", name), ("ZSCORE", name, uid))))
    counts = zip(recent, told[::2], told[1::2], strict=True)
    return Acts(liked, bookmarked, {status_id: count - (own is not None) for status_id, count, own in counts})


def _there(status_ids: Sequence[int], scores: Sequence[Any]) -> frozenset[int]:
    return frozenset(status_id for status_id, score in zip(status_ids, scores, strict=True) if score is not None)
