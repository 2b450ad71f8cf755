"""Who may see whose statuses: the one place that decides it, from what lies in the viewer's own partition. It asks the
store nothing by itself: it tells what to ask, to go in a trip that is made anyway, and reads the replies.

(home.lua says the same of homes, which it reads in that partition.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Any

from .. import keys
from ..db import Command
from ..errors import Forbidden
from ..following.mutes import lasts
from ..following.store import Relation


class Sight(Enum):
    """Whether a viewer is shown what an author writes."""

    SHOWN = "everywhere"
    ASKED = "only when they ask for it: on the author's profile, at its own address, among their bookmarks"
    HIDDEN = "nowhere"


@dataclass(frozen=True, slots=True)
class Between:
    """What is known between a viewer (0: a visitor) and some authors: whom of these the viewer blocks, who of them
    blocks the viewer, and whom the viewer mutes.
    """

    viewer: int = 0
    blocks: frozenset[int] = frozenset()
    blocked_by: frozenset[int] = frozenset()
    mutes: frozenset[int] = frozenset()

    def sight(self, author: int) -> Sight:
        """The decision, of one author."""
        if author in self.blocks or author in self.blocked_by:
            return Sight.HIDDEN
        return Sight.ASKED if author in self.mutes else Sight.SHOWN

    def unasked(self, author: int) -> bool:
        """Whether timelines show the viewer what this author writes."""
        return self.sight(author) is Sight.SHOWN

    def asked(self, author: int) -> bool:
        """Whether the viewer is shown it who asks for it."""
        return self.sight(author) is not Sight.HIDDEN

    def admit(self, author: int) -> None:
        """Raises Forbidden, with the reason, for a viewer who asks for what they are not shown."""
        if not self.asked(author):
            raise Forbidden("you_block" if author in self.blocks else "not_for_you")


VISITORS = Between()


def between_commands(viewer: int | None, authors: Iterable[int]) -> list[Command]:
    """The commands whose replies `between_from` reads; none for a visitor, or where the viewer is the only author."""
    others = _others(viewer, authors)
    lists = (keys.blocks, keys.blockers, keys.mutes) if viewer and others else ()
    return [("ZMSCORE", of(viewer or 0), *others) for of in lists]


def between_from(viewer: int | None, authors: Iterable[int], replies: Sequence[Any]) -> Between:
    """What the replies to `between_commands` for the same authors tell."""
    if not replies:
        return Between(viewer or 0)
    others = _others(viewer, authors)
    blocks, blocked_by, until = (dict(zip(others, scores, strict=True)) for scores in replies)
    muted = frozenset(uid for uid, at in until.items() if at is not None and lasts(at))
    return Between(viewer or 0, _listed(blocks), _listed(blocked_by), muted)


def between_two(viewer: int, author: int, relation: Relation | None) -> Between:
    """The same of one author, from the relation that their profile shows; None for oneself or a visitor."""
    if relation is None:
        return Between(viewer)
    told = (relation.blocking, relation.blocked_by, relation.mute)
    return Between(viewer, *(frozenset({author} if one else ()) for one in told))


def hidden_commands(viewer: int) -> list[Command]:
    """The commands whose replies `hidden_from` reads: the viewer's lists as a whole, for what stays open."""
    return [
        ("ZRANGE", keys.blocks(viewer), 0, -1),
        ("ZRANGE", keys.blockers(viewer), 0, -1),
        ("ZRANGE", keys.mutes(viewer), 0, -1, "WITHSCORES"),
    ]


def hidden_from(replies: Sequence[Any], asked: Collection[int] = ()) -> Mapping[int, float]:
    """All authors who are hidden from a viewer, until when (unix seconds). `asked`: those whom the viewer asks for."""
    blocks, blocked_by, mutes = replies
    ends = zip(map(int, mutes[::2]), map(float, mutes[1::2]), strict=True)
    muted = {uid: until for uid, until in ends if uid not in asked and lasts(until)}
    return muted | dict.fromkeys(map(int, (*blocks, *blocked_by)), inf)


def _others(viewer: int | None, authors: Iterable[int]) -> list[int]:
    return sorted(set(authors) - {viewer or 0})


def _listed(scores: Mapping[int, Any]) -> frozenset[int]:
    return frozenset(uid for uid, score in scores.items() if score is not None)
