"""What a reader did with the statuses of a page, and is shown of what these quote: beside the statuses, which are the
same for everybody and kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import keys
from ..db import Command, Db
from .boosts import member_of
from .polls import Tally, chose, unpack_tally, with_vote

if TYPE_CHECKING:
    from .status import Status


class Card(NamedTuple):
    """What a reader is shown of a quoted status: nothing where it is gone, hidden from them or `detached`, which its
    author has done; `muted`: that there is one, as the reader mutes its author.
    """

    status: Status | None
    muted: bool = False
    detached: bool = False


@dataclass(frozen=True, slots=True)
class Acts:
    """The ids of what a reader likes, has bookmarked and boosts, as their own lists say; `others`, `boosting`: how many
    others like or boost what the reader did, or ceased to, within the last minute, when it may wait to be counted;
    `votes`: what they chose in polls (polls.py), `tallies`: what was counted, with their vote, where they gave it
    within that minute; `recent`: those of which all this is still to be looked up; `cards`: by the ids of those that
    quote another, what is shown of that (quotes.py), where that was looked up.
    """

    liked: frozenset[int] = frozenset()
    bookmarked: frozenset[int] = frozenset()
    boosted: frozenset[int] = frozenset()
    others: Mapping[int, int] = field(default_factory=dict)
    boosting: Mapping[int, int] = field(default_factory=dict)
    votes: Mapping[int, int] = field(default_factory=dict)
    tallies: Mapping[int, Tally] = field(default_factory=dict)
    cards: Mapping[int, Card] = field(default_factory=dict)
    recent: tuple[int, ...] = ()

    def touched(self) -> frozenset[int]:
        """Those with which the reader did, or ceased to do, anything that shows below them."""
        return self.liked.union(self.bookmarked, self.boosted, self.others, self.boosting)

    def joined(self, others: Acts) -> Acts:
        """These, and what the reader did with other statuses."""
        return Acts(
            self.liked | others.liked,
            self.bookmarked | others.bookmarked,
            self.boosted | others.boosted,
            votes={**self.votes, **others.votes},
            recent=tuple({*self.recent, *others.recent}),
        )

    def beside(self, read: Acts) -> Acts:
        """What was `read` of some statuses, with what was looked up of these: nothing more is to be."""
        return replace(self, liked=read.liked, bookmarked=read.bookmarked, boosted=read.boosted, votes=read.votes)

    def likes(self, status_id: int, mirrored: int) -> int:
        """How many like a status, of which `mirrored` were counted: the reader is among them if and only if they like
        it at this moment, whatever still waits to be applied.
        """
        return _counted(status_id in self.liked, self.others.get(status_id), mirrored)

    def boosts(self, status_id: int, mirrored: int) -> int:
        """How many boost it, in the same way."""
        return _counted(status_id in self.boosted, self.boosting.get(status_id), mirrored)

    def tally(self, status_id: int, mirrored: Tally) -> Tally:
        """What was counted of its poll, of which `mirrored` was read with it: never without what the reader chose."""
        counted, bits = self.tallies.get(status_id, mirrored), self.votes.get(status_id, 0)
        lacking = any(chose(bits, at) and not count for at, count in enumerate(counted[:-1]))
        return with_vote(counted, bits) if lacking or not counted else counted


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
        ("ZMSCORE", keys.boosts(uid), *starmap(member_of, entries)),
        ("HMGET", keys.voted(uid), *ids),
        ("ZRANGE", keys.acted(uid), 0, -1),
    ]


def acts_from(db: Db, uid: int | None, entries: Sequence[tuple[int, int]], replies: Sequence[Any]) -> Acts:
    """The acts in the replies to `acts_commands`; one more trip when one of them was done within the last minute."""
    return acts_now(db, uid, acts_read(uid, entries, replies))


def acts_now(db: Db, uid: int | None, acts: Acts) -> Acts:
    """The same acts with what is still to be looked up. One trip, none where that is nothing."""
    return lately_from(acts, db.trip(*lately_commands(uid, acts)))


def acts_read(uid: int | None, entries: Sequence[tuple[int, int]], replies: Sequence[Any]) -> Acts:
    """The same for who looks up what was done within the last minute in another trip (`lately_commands`)."""
    if not uid or not replies:
        return NOBODYS
    ids = [status_id for status_id, _ in entries]
    liked, bookmarked, boosted = (_there(ids, scores) for scores in replies[:3])
    votes = {status_id: int(bits) for status_id, bits in zip(ids, replies[3], strict=True) if bits}
    recent = tuple(status_id for status_id in map(int, replies[4]) if status_id in ids)
    return Acts(liked, bookmarked, boosted, votes=votes, recent=recent)


def acts_told(reply: Sequence[Sequence[str]]) -> Acts:
    """The same as a script looked it up (timelines/acts.lua)."""
    liked, bookmarked, boosted, votes, lately = (list(map(int, part)) for part in reply)
    given = dict(zip(votes[::2], votes[1::2], strict=True))
    return Acts(frozenset(liked), frozenset(bookmarked), frozenset(boosted), votes=given, recent=tuple(lately))


def lately_commands(uid: int | None, acts: Acts) -> list[Command]:
    """The commands whose replies `lately_from` reads: how many others like and boost what the reader did within the
    last minute, and what was counted of the votes that they gave within it.
    """
    lists = [of(status_id) for of in (keys.likes, keys.boosters) for status_id in acts.recent]
    cast = _cast(acts)
    return [
        *(command for name in lists for command in (("ZCARD", name), ("ZSCORE", name, uid))),
        *(("HGET", keys.status(status_id), "tally") for status_id in cast),
        *(("HEXISTS", keys.votes(status_id), uid) for status_id in cast),
    ]


def lately_from(acts: Acts, told: Sequence[Any]) -> Acts:
    """The same acts with what the replies to `lately_commands` tell."""
    if not acts.recent:
        return acts
    recent, cast, at = acts.recent, _cast(acts), 4 * len(acts.recent)
    counts = [count - (own is not None) for count, own in zip(told[:at:2], told[1:at:2], strict=True)]
    others, boosting = (dict(zip(recent, part, strict=True)) for part in (counts[: len(recent)], counts[len(recent) :]))
    mirrored = zip(cast, told[at:], told[at + len(cast) :], strict=False)
    tallies = {one: with_vote(unpack_tally(stored), 0 if own else acts.votes[one]) for one, stored, own in mirrored}
    return replace(acts, others=others, boosting=boosting, tallies=tallies, recent=())


def _cast(acts: Acts) -> list[int]:
    """The polls in which the reader voted within the last minute."""
    return [status_id for status_id in acts.recent if status_id in acts.votes]


def _counted(own: bool, others: int | None, mirrored: int) -> int:
    return max(mirrored if others is None else others + own, int(own))


def _there(status_ids: Sequence[int], scores: Sequence[Any]) -> frozenset[int]:
    if scores.count(None) == len(status_ids):  # as for most
        return frozenset()
    return frozenset(status_id for status_id, score in zip(status_ids, scores, strict=True) if score is not None)
