"""What a reader did with the statuses of a page: beside the statuses, which are the same for everybody and kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from .. import keys
from ..db import Command


@dataclass(frozen=True, slots=True)
class Acts:
    """The ids of what a reader likes and has bookmarked, as their own lists say; `counted`: where the number of likes
    has theirs in it by now.
    """

    liked: frozenset[int] = frozenset()
    bookmarked: frozenset[int] = frozenset()
    counted: frozenset[int] = frozenset()

    def likes(self, status_id: int, mirrored: int) -> int:
        """How many like a status, of which `mirrored` were counted: the reader is among them if and only if they like
        it at this moment, whatever still waits to be applied.
        """
        liked = status_id in self.liked
        return max(mirrored + liked - (status_id in self.counted), int(liked))


NOBODYS = Acts()


def acts_commands(uid: int | None, status_ids: Sequence[int]) -> list[Command]:
    """The commands whose replies `acts_from` reads, to go in the trip that fetches the statuses; none for a visitor."""
    if not uid or not status_ids:
        return []
    return [*flag_commands(uid, status_ids), *(("ZSCORE", keys.likes(status_id), uid) for status_id in status_ids)]


def acts_from(status_ids: Sequence[int], replies: Sequence[Any]) -> Acts:
    """The acts in the replies to `acts_commands`."""
    counted = [status_id for status_id, at in zip(status_ids, replies[2:], strict=False) if at is not None]
    return flags_from(status_ids, replies[:2], counted)


def flag_commands(uid: int, status_ids: Sequence[int]) -> list[Command]:
    """The commands whose replies `flags_from` reads, where it is known already which likes are counted."""
    return [("ZMSCORE", key, *status_ids) for key in (keys.liked(uid), keys.bookmarks(uid))] if status_ids else []


def flags_from(status_ids: Sequence[int], replies: Sequence[Any], counted: Collection[int]) -> Acts:
    """The acts in the replies to `flag_commands`."""
    if not replies:
        return NOBODYS
    liked, bookmarked = (_there(status_ids, scores) for scores in replies)
    return Acts(liked, bookmarked, frozenset(counted))


def _there(status_ids: Sequence[int], scores: Sequence[Any]) -> frozenset[int]:
    return frozenset(status_id for status_id, score in zip(status_ids, scores, strict=True) if score is not None)
