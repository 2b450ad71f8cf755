"""The statuses and boosts of a profile, merged into a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from webapp.core.store.reads import Read, constant, gather
from webapp.statuses.boost_refs import BoostRef
from webapp.statuses.hydration import hydrate_items
from webapp.statuses.items import Boost, Item, dedupe_boosts, merge_newest_first, status_entries
from webapp.statuses.status import Status
from webapp.statuses.viewer.viewer_reads import viewer_state
from webapp.statuses.viewer.viewer_state import ViewerState
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship


@dataclass(frozen=True, slots=True)
class ProfileMix:
    """Posts and boosts to merge into a profile page, newest first. `viewer`: 0 for a visitor.

    `posts`: statuses to show, possibly more than `size`. `boosts`: some of them may be hidden.
    `posts_complete_to`, `boosts_complete_to`: there may be others below this id; 0 if there are
    none.
    """

    viewer: int
    uid: int
    posts: Sequence[Status]
    posts_complete_to: int
    pinned: Sequence[Status]
    boosts: Sequence[BoostRef]
    boosts_complete_to: int
    size: int


@dataclass(frozen=True, slots=True)
class ProfileItems:
    """Items of a profile down to `floor` (0: all of them), newest first.

    `relationship`: between the viewer and everybody whom the boosts show.
    """

    items: Sequence[Item]
    viewer_state: ViewerState
    relationship: Relationship
    floor: int


def profile_items(mix: ProfileMix, boosts_max: int) -> Read[ProfileItems]:
    """Read the items of a page, with the first `boosts_max` boosts that may be on it."""
    mix = _without_lower_boosts(mix)
    boosts = mix.boosts[:boosts_max]
    # The order is not known below the last boost that is read.
    floor = boosts[-1].id if len(mix.boosts) > boosts_max else mix.boosts_complete_to
    floor = max(floor, mix.posts_complete_to)
    pairs = status_entries([*mix.pinned, *mix.posts[: mix.size + 1]])
    pairs += [(boost.status_id, boost.author_uid) for boost in boosts]
    uids = {uid for boost in mix.boosts for uid in (boost.booster_uid, boost.author_uid)}

    def combine(results: tuple[Any, ...]) -> ProfileItems:
        loaded, state, relation = results
        return ProfileItems(_merge(mix, loaded, relation, floor), state, relation, floor)

    return gather(
        hydrate_items(boosts),
        viewer_state(mix.viewer, pairs),
        relationship(mix.viewer, uids),
    ).map(combine)


def further_items(mix: ProfileMix, found: ProfileItems) -> Read[ProfileItems]:
    """Read all boosts that are not hidden, if the page would be short without them.

    It has no commands if the page is full, or there are no further boosts.
    """
    mix = _without_lower_boosts(mix)
    lowest_floor = max(mix.boosts_complete_to, mix.posts_complete_to)
    if len(found.items) > mix.size or found.floor == lowest_floor:
        return constant(found)
    may_show = found.relationship.are_visible
    visible = [
        boost for boost in mix.boosts if may_show((boost.booster_uid, boost.author_uid), mix.uid)
    ]
    return profile_items(replace(mix, boosts=visible), len(visible))


def _without_lower_boosts(mix: ProfileMix) -> ProfileMix:
    """Leave out boosts below the first page of posts."""
    if len(mix.posts) <= mix.size:
        return mix
    lowest = mix.posts[mix.size].id
    boosts = [boost for boost in mix.boosts if boost.id > lowest]
    complete_to = mix.boosts_complete_to
    return replace(
        mix, boosts=boosts, boosts_complete_to=complete_to if complete_to > lowest else 0
    )


def _merge(
    mix: ProfileMix, boosts: Sequence[Item | None], relation: Relationship, floor: int
) -> list[Item]:
    visible = [
        boost for boost in boosts if boost and relation.is_visible_in_timelines(boost, mix.uid)
    ]
    pinned_ids = {status.id for status in mix.pinned}
    return [
        item
        for item in dedupe_boosts(merge_newest_first(mix.posts, visible))
        if item.id >= floor and not (isinstance(item, Boost) and item.status.id in pinned_ids)
    ]
