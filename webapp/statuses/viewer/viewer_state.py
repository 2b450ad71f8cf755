"""A viewer's interactions with the statuses of a page, separate from the statuses.

Statuses are the same for everybody and cached; a viewer's state is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from webapp.statuses.status import Status
from webapp.statuses.values.poll import Tally, add_vote, includes_option


class QuoteCard(NamedTuple):
    """A quoted status as a viewer sees it. `status`: None if it is gone, hidden or detached."""

    status: Status | None
    muted: bool = False  # the viewer mutes its author: the card only says that there is one
    detached: bool = False  # its author has taken it out of the quote


@dataclass(frozen=True, slots=True)
class ViewerState:
    """A viewer's likes, bookmarks, boosts and votes among some statuses, by status id.

    Projections count an interaction a moment after it happens. So for the viewer's actions within
    the last minute, the counts of others are read as well, and the viewer is added to them.
    """

    liked: frozenset[int] = frozenset()
    bookmarked: frozenset[int] = frozenset()
    boosted: frozenset[int] = frozenset()
    other_likes: Mapping[int, int] = field(default_factory=dict)  # how many others like it
    other_boosts: Mapping[int, int] = field(default_factory=dict)
    votes: Mapping[int, int] = field(default_factory=dict)  # bits, see values/poll.py
    tallies: Mapping[int, Tally] = field(default_factory=dict)  # exact, with the viewer's vote
    quote_cards: Mapping[int, QuoteCard] = field(default_factory=dict)
    group_names: Mapping[int, str] = field(default_factory=dict)  # by gid; "" once it is gone
    recent_ids: tuple[int, ...] = ()  # their exact counts are still to be read

    def interacted_ids(self) -> frozenset[int]:
        """Return the statuses whose counts or buttons differ for the viewer."""
        return self.liked.union(self.bookmarked, self.boosted, self.other_likes, self.other_boosts)

    def groups_of(self, status: Status) -> tuple[tuple[int, str], ...]:
        """Return the numbers and names of the groups that a status was posted to."""
        return tuple((gid, self.group_names.get(gid, "")) for gid in status.gids)

    def merge(self, other: ViewerState) -> ViewerState:
        """Return the state of these statuses and of other ones."""
        return ViewerState(
            self.liked | other.liked,
            self.bookmarked | other.bookmarked,
            self.boosted | other.boosted,
            {**self.other_likes, **other.other_likes},
            {**self.other_boosts, **other.other_boosts},
            {**self.votes, **other.votes},
            {**self.tallies, **other.tallies},
            {**self.quote_cards, **other.quote_cards},
            {**self.group_names, **other.group_names},
            tuple({*self.recent_ids, *other.recent_ids}),
        )

    def with_interactions_of(self, other: ViewerState) -> ViewerState:
        """Return this state with the interactions of another one, read for more statuses."""
        return replace(
            self,
            liked=other.liked,
            bookmarked=other.bookmarked,
            boosted=other.boosted,
            votes=other.votes,
        )

    def like_count(self, status_id: int, projected: int) -> int:
        """Return how many like a status, of which `projected` are counted.

        The viewer is among them exactly if they like it at this moment.
        """
        return _exact_count(status_id in self.liked, self.other_likes.get(status_id), projected)

    def boost_count(self, status_id: int, projected: int) -> int:
        """Return how many boost a status, by the same rule."""
        return _exact_count(status_id in self.boosted, self.other_boosts.get(status_id), projected)

    def tally(self, status_id: int, projected: Tally) -> Tally:
        """Return the tally of a poll, of which `projected` is counted, with the viewer's vote."""
        current, vote = self.tallies.get(status_id, projected), self.votes.get(status_id, 0)
        vote_missing = any(
            includes_option(vote, index) and not count for index, count in enumerate(current[:-1])
        )
        return add_vote(current, vote) if vote_missing or not current else current


EMPTY_STATE = ViewerState()


def viewer_state_from_script(reply: Sequence[Sequence[str]]) -> ViewerState:
    """Parse the reply of `timelines/home/lua/includes/viewer_state.lua`."""
    liked, bookmarked, boosted, votes, recent_ids = (list(map(int, part)) for part in reply)
    return ViewerState(
        frozenset(liked),
        frozenset(bookmarked),
        frozenset(boosted),
        votes=dict(zip(votes[::2], votes[1::2], strict=True)),
        recent_ids=tuple(recent_ids),
    )


def _exact_count(by_viewer: bool, by_others: int | None, projected: int) -> int:
    return max(projected if by_others is None else by_others + by_viewer, int(by_viewer))
