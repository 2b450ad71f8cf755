"""What a reader did with the statuses of a page, and is shown of what these quote: beside the statuses, which are the
same for everybody and kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple

from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.statuses import keys as status_keys
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.polls.poll import Tally, add_vote, includes_option, unpack_tally

from . import keys
from .boosts import zset_member

if TYPE_CHECKING:
    from webapp.statuses.status import Status


class QuoteCard(NamedTuple):
    """What a reader is shown of a quoted status: nothing where it is gone, hidden from them or `detached`, which its
    author has done; `muted`: that there is one, as the reader mutes its author.
    """

    status: Status | None
    muted: bool = False
    detached: bool = False


@dataclass(frozen=True, slots=True)
class ViewerState:
    """The ids of what a reader likes, has bookmarked and boosts, as their own lists say; `others`, `boosting`: how many
    others like or boost what the reader did, or ceased to, within the last minute, when it may wait to be counted;
    `votes`: what they chose in polls (polls.py), `tallies`: what was counted, with their vote, where they gave it
    within that minute; `recent`: those of which all this is still to be looked up; `cards`: by the ids of those that
    quote another, what is shown of that (quotes.py), where that was looked up.
    """

    liked: frozenset[int] = frozenset()
    bookmarked: frozenset[int] = frozenset()
    boosted: frozenset[int] = frozenset()
    other_likes: Mapping[int, int] = field(default_factory=dict)
    other_boosts: Mapping[int, int] = field(default_factory=dict)
    votes: Mapping[int, int] = field(default_factory=dict)
    tallies: Mapping[int, Tally] = field(default_factory=dict)
    quote_cards: Mapping[int, QuoteCard] = field(default_factory=dict)
    recent_ids: tuple[int, ...] = ()

    def interacted_ids(self) -> frozenset[int]:
        """Those with which the reader did, or ceased to do, anything that shows below them."""
        return self.liked.union(self.bookmarked, self.boosted, self.other_likes, self.other_boosts)

    def merge(self, other: ViewerState) -> ViewerState:
        """These, and what the reader did with other statuses."""
        return ViewerState(
            self.liked | other.liked,
            self.bookmarked | other.bookmarked,
            self.boosted | other.boosted,
            votes={**self.votes, **other.votes},
            recent_ids=tuple({*self.recent_ids, *other.recent_ids}),
        )

    def with_interactions_of(self, other: ViewerState) -> ViewerState:
        """What was `read` of some statuses, with what was looked up of these: nothing more is to be."""
        return replace(
            self,
            liked=other.liked,
            bookmarked=other.bookmarked,
            boosted=other.boosted,
            votes=other.votes,
        )

    def like_count(self, status_id: int, projected: int) -> int:
        """How many like a status, of which `mirrored` were counted: the reader is among them if and only if they like
        it at this moment, whatever still waits to be applied.
        """
        return _exact_count(status_id in self.liked, self.other_likes.get(status_id), projected)

    def boost_count(self, status_id: int, projected: int) -> int:
        """How many boost it, in the same way."""
        return _exact_count(status_id in self.boosted, self.other_boosts.get(status_id), projected)

    def tally(self, status_id: int, projected: Tally) -> Tally:
        """What was counted of its poll, of which `mirrored` was read with it: never without what the reader chose."""
        current, vote = self.tallies.get(status_id, projected), self.votes.get(status_id, 0)
        vote_missing = any(
            includes_option(vote, at) and not count for at, count in enumerate(current[:-1])
        )
        return add_vote(current, vote) if vote_missing or not current else current


EMPTY_STATE = ViewerState()


def viewer_state_commands(uid: int | None, entries: Sequence[tuple[int, int]]) -> list[Command]:
    """The commands whose replies `acts_from` reads, for statuses with their authors, to go in the trip that fetches
    them; none for a visitor.
    """
    if not uid or not entries:
        return []
    ids = [status_id for status_id, _ in entries]
    return [
        *(("ZMSCORE", name, *ids) for name in (keys.member_likes(uid), keys.bookmarks(uid))),
        ("ZMSCORE", keys.member_boosts(uid), *starmap(zset_member, entries)),
        ("HMGET", poll_keys.member_votes(uid), *ids),
        ("ZRANGE", keys.recent_interactions(uid), 0, -1),
    ]


def viewer_state_from(
    db: Db, uid: int | None, entries: Sequence[tuple[int, int]], replies: Sequence[Any]
) -> ViewerState:
    """The acts in the replies to `acts_commands`; one more trip when one of them was done within the last minute."""
    return with_recent_counts(db, uid, parse_viewer_state(uid, entries, replies))


def with_recent_counts(db: Db, uid: int | None, state: ViewerState) -> ViewerState:
    """The same acts with what is still to be looked up. One trip, none where that is nothing."""
    return recent_counts_from(state, db.trip(*recent_counts_commands(uid, state)))


def parse_viewer_state(
    uid: int | None, entries: Sequence[tuple[int, int]], replies: Sequence[Any]
) -> ViewerState:
    """The same for who looks up what was done within the last minute in another trip (`lately_commands`)."""
    if not uid or not replies:
        return EMPTY_STATE
    ids = [status_id for status_id, _ in entries]
    liked, bookmarked, boosted = (_ids_with_score(ids, scores) for scores in replies[:3])
    votes = {status_id: int(bits) for status_id, bits in zip(ids, replies[3], strict=True) if bits}
    recent_ids = tuple(status_id for status_id in map(int, replies[4]) if status_id in ids)
    return ViewerState(liked, bookmarked, boosted, votes=votes, recent_ids=recent_ids)


def viewer_state_from_script(reply: Sequence[Sequence[str]]) -> ViewerState:
    """The same as a script looked it up (timelines/lua/includes/viewer_state.lua)."""
    liked, bookmarked, boosted, votes, recent_ids = (list(map(int, part)) for part in reply)
    vote_by_status = dict(zip(votes[::2], votes[1::2], strict=True))
    return ViewerState(
        frozenset(liked),
        frozenset(bookmarked),
        frozenset(boosted),
        votes=vote_by_status,
        recent_ids=tuple(recent_ids),
    )


def recent_counts_commands(uid: int | None, state: ViewerState) -> list[Command]:
    """The commands whose replies `lately_from` reads: how many others like and boost what the reader did within the
    last minute, and what was counted of the votes that they gave within it.
    """
    list_keys = [
        of(status_id) for of in (keys.likers, keys.boosters) for status_id in state.recent_ids
    ]
    voted_ids = _recently_voted(state)
    return [
        *(command for name in list_keys for command in (("ZCARD", name), ("ZSCORE", name, uid))),
        *(("HGET", status_keys.status(status_id), "tally") for status_id in voted_ids),
        *(("HEXISTS", poll_keys.votes(status_id), uid) for status_id in voted_ids),
    ]


def recent_counts_from(state: ViewerState, replies: Sequence[Any]) -> ViewerState:
    """The same acts with what the replies to `lately_commands` tell."""
    if not state.recent_ids:
        return state
    recent_ids, voted_ids, counts_end = (
        state.recent_ids,
        _recently_voted(state),
        4 * len(state.recent_ids),
    )
    counts = [
        count - (own is not None)
        for count, own in zip(replies[:counts_end:2], replies[1:counts_end:2], strict=True)
    ]
    other_likes, other_boosts = (
        dict(zip(recent_ids, part, strict=True))
        for part in (counts[: len(recent_ids)], counts[len(recent_ids) :])
    )
    stored_tallies = zip(
        voted_ids, replies[counts_end:], replies[counts_end + len(voted_ids) :], strict=False
    )
    tallies = {
        one: add_vote(unpack_tally(stored), 0 if own else state.votes[one])
        for one, stored, own in stored_tallies
    }
    return replace(
        state, other_likes=other_likes, other_boosts=other_boosts, tallies=tallies, recent_ids=()
    )


def _recently_voted(state: ViewerState) -> list[int]:
    """The polls in which the reader voted within the last minute."""
    return [status_id for status_id in state.recent_ids if status_id in state.votes]


def _exact_count(by_viewer: bool, by_others: int | None, projected: int) -> int:
    return max(projected if by_others is None else by_others + by_viewer, int(by_viewer))


def _ids_with_score(status_ids: Sequence[int], scores: Sequence[Any]) -> frozenset[int]:
    if scores.count(None) == len(status_ids):  # as for most
        return frozenset()
    return frozenset(
        status_id for status_id, score in zip(status_ids, scores, strict=True) if score is not None
    )
