"""Hydrate entries into items, for all pages of statuses.

`hydrate` reads items with their authors, the viewer's state and relationship, in one trip.
`complete` adds the parts that depend on the items: quote cards, names of groups and exact recent
counts. Its commands are few or none, so that most pages need no second trip.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from webapp.core.store import Read, gather

from .boost_refs import BoostedBy, BoostRef, boosted_by
from .items import Boost, Item, status_of
from .lookup import Entry, statuses
from .quotes.cards import quote_cards
from .status import Status
from .values.visibility import Visibility
from .viewer.viewer_reads import recent_counts, viewer_state
from .viewer.viewer_state import EMPTY_STATE, QuoteCard, ViewerState
from .visibility.groups import group_names, memberships
from .visibility.policy import Relationship
from .visibility.relationships import Place, relationship


@dataclass(frozen=True, slots=True)
class Hydrated:
    """Items of entries, each in its place; None for one that is gone, or a boost taken back."""

    items: tuple[Item | None, ...]
    viewer_state: ViewerState
    relationship: Relationship

    @property
    def visible(self) -> tuple[Item, ...]:
        """Return the items that the viewer may open directly, in order."""
        return tuple(item for item in self.items if item and self.relationship.is_visible(item))

    @property
    def visible_in_timelines(self) -> tuple[Item, ...]:
        """Return the items that timelines show the viewer, in order."""
        return self.visible_on_profile(0)

    def in_groups(self, gids: Collection[int]) -> Hydrated:
        """Return a copy whose viewer belongs to these groups too."""
        return replace(self, relationship=self.relationship.in_groups(gids))

    def visible_on_profile(self, uid: int) -> tuple[Item, ...]:
        """Return the items that the profile of `uid` shows the viewer, in order."""
        may_show = self.relationship.is_visible_in_timelines
        return tuple(item for item in self.items if item and may_show(item, uid))


def hydrate(
    entries: Sequence[Entry | BoostRef],
    viewer: int | None,
    *,
    statuses_read: Read[list[Status | None]] | None = None,
    other_statuses: Sequence[Entry] = (),
    other_uids: Collection[int] = (),
    place: Place = "",
) -> Read[Hydrated]:
    """Read the items of entries, the viewer's state of each, and the relationship to authors.

    No post of a closed group is visible until `with_memberships` has read the viewer's groups.
    `statuses_read`: reads the entries' statuses in place of the store, such as a cached read.
    `other_statuses`: statuses of the page that are loaded already; their viewer's state is read.
    `other_uids`: more members whom the relationship covers. `viewer`: None for a visitor.
    `place`: see `relationship`.
    """
    pairs = [status_entry(entry) for entry in entries]
    refs = [entry for entry in entries if isinstance(entry, BoostRef)]
    uids = {author for _, author in pairs}.union((ref.booster_uid for ref in refs), other_uids)
    return gather(
        hydrate_items(entries, statuses_read),
        viewer_state(viewer, [*other_statuses, *pairs]),
        relationship(viewer, uids, place),
    ).map(lambda results: Hydrated(*results))


def with_memberships(found: Hydrated) -> Read[Hydrated]:
    """Read in which closed groups the viewer is, of those whose posts were found.

    It has no commands without such posts. Callers that leave it out show none of them.
    """
    return own_groups(found.relationship, found.items).map(found.in_groups)


def own_groups(relation: Relationship, items: Iterable[Item | None]) -> Read[frozenset[int]]:
    """Read which closed groups, of those that items were posted to, are the viewer's."""
    shown = (status_of(item) for item in items if item)
    closed = {one.group for one in shown if one.visibility is Visibility.GROUP}
    return memberships(relation.viewer, closed - relation.groups)


def hydrate_items(
    entries: Sequence[Entry | BoostRef], statuses_read: Read[list[Status | None]] | None = None
) -> Read[tuple[Item | None, ...]]:
    """Read the items of entries alone, each in its place. `statuses_read`: as for `hydrate`."""
    refs = [entry for entry in entries if isinstance(entry, BoostRef)]
    found = statuses_read or statuses([status_entry(entry) for entry in entries])
    if not refs:
        return found.map(tuple)

    def combine(
        results: tuple[list[Status | None], list[BoostedBy | None]],
    ) -> tuple[Item | None, ...]:
        boosts = iter(results[1])
        return tuple(
            _build_boost(next(boosts), status) if isinstance(entry, BoostRef) else status
            for entry, status in zip(entries, results[0], strict=True)
        )

    return gather(found, boosted_by(refs)).map(combine)


def complete(
    viewer: int | None, items: Iterable[Item], state: ViewerState = EMPTY_STATE
) -> Read[ViewerState]:
    """Complete the viewer's state: quote cards, names of groups, and counts of recent actions.

    It takes the items, so it is a second trip; it has no commands where nothing is missing.
    """
    shown = [status_of(item) for item in items]
    gids = {gid for status in shown for gid in status.gids} - state.group_names.keys()
    quotes = [status for status in shown if status.id not in state.quote_cards]
    found = gather(recent_counts(viewer, state), quote_cards(viewer, quotes), group_names(gids))

    def combine(parts: tuple[ViewerState, Mapping[int, QuoteCard], dict[int, str]]) -> ViewerState:
        counted, cards, names = parts
        return replace(
            counted,
            quote_cards={**state.quote_cards, **cards},
            group_names={**state.group_names, **names},
        )

    return found.map(combine)


def status_entry(entry: Entry | BoostRef) -> Entry:
    """Return the status that an entry shows, with its author."""
    return (entry.status_id, entry.author_uid) if isinstance(entry, BoostRef) else entry


def _build_boost(standing: BoostedBy | None, status: Status | None) -> Boost | None:
    return Boost(standing.id, standing.booster, status) if standing and status else None
