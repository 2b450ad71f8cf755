"""What a reader did with the statuses of a page: beside the statuses, which are the same for everybody and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import keys
from ..db import Command, Db
from .boosts import member_of


@dataclass(frozen=True, slots=True)
class Acts:
    """The ids of what a reader likes, has bookmarked and boosts, as their own lists say; `others`, `boosting`: how many
    others like or boost what the reader did, or ceased to, within the last minute, when it may wait to be counted.
    """

    liked: frozenset[int] = frozenset()
    bookmarked: frozenset[int] = frozenset()
    boosted: frozenset[int] = frozenset()
    others: Mapping[int, int] = field(default_factory=dict)
    boosting: Mapping[int, int] = field(default_factory=dict)

    def likes(self, status_id: int, mirrored: int) -> int:
        """How many like a status, of which `mirrored` were counted: the reader is among them if and only if they like
        it at this moment, whatever still waits to be applied.
        """
        return _counted(status_id in self.liked, self.others.get(status_id), mirrored)

    def boosts(self, status_id: int, mirrored: int) -> int:
        """How many boost it, in the same way."""
        return _counted(status_id in self.boosted, self.boosting.get(status_id), mirrored)


NOBODYS = Acts()


def acts_commands(uid: int | None, entries: Sequence[tuple[int, int]]) -> list[Command]:
    """The commands whose replies `acts_from` reads, for statuses with their authors, to go in the trip that fetches
    them; none for a visitor.
    """
    if not uid or not entries:
        return []
    ids = [status_id for status_id, _ in entries]
    return [
        *(("ZMSCORE", name, *ids) for name in (keys.liked(uid), keys.bookmarks(uid))),
        ("ZMSCORE", keys.boosts(uid), *(member_of(*entry) for entry in entries)),
        ("ZRANGE", keys.acted(uid), 0, -1),
    ]


def acts_from(db: Db, uid: int | None, entries: Sequence[tuple[int, int]], replies: Sequence[Any]) -> Acts:
    """The acts in the replies to `acts_commands`; one more trip when one of them was done within the last minute."""
    if not uid or not replies:
        return NOBODYS
    ids = [status_id for status_id, _ in entries]
    liked, bookmarked, boosted = (_there(ids, scores) for scores in replies[:3])
    recent = [status_id for status_id in map(int, replies[3]) if status_id in ids]
    lists = [of(status_id) for of in (keys.likes, keys.boosters) for status_id in recent]
    told = db.trip(*(command for name in lists for command in (("ZCARD", name), ("ZSCORE", name, uid))))
    counts = [count - (own is not None) for count, own in zip(told[::2], told[1::2], strict=True)]
    others, boosting = (dict(zip(recent, part, strict=True)) for part in (counts[: len(recent)], counts[len(recent) :]))
    return Acts(liked, bookmarked, boosted, others, boosting)


def _counted(own: bool, others: int | None, mirrored: int) -> int:
    return max(mirrored if others is None else others + own, int(own))


def _there(status_ids: Sequence[int], scores: Sequence[Any]) -> frozenset[int]:
    return frozenset(status_id for status_id, score in zip(status_ids, scores, strict=True) if score is not None)
