"""Hydrate a home: load the items of its entries and of its pull authors' posts in one trip."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.core.store import Read, Site, gather
from webapp.statuses import BoostRef, Entry, Item, Relationship, Status, ViewerState, Visibility
from webapp.statuses.hydration import hydrate_items, status_entry
from webapp.statuses.items import dedupe_boosts, member_uids, members_shown, merge_newest_first
from webapp.statuses.viewer.viewer_reads import viewer_state
from webapp.statuses.visibility.groups import memberships
from webapp.statuses.visibility.relationships import relationship
from webapp.timelines.entries import parse_entry
from webapp.timelines.pull.pulled_entries import AuthorPosts

from .merging import MergedEntries
from .pulled import pulled_boosts, statuses_beyond_home, visible_pulled, visible_reply_targets
from .status_cache import cached_statuses


@dataclass(frozen=True, slots=True)
class HydratedHome:
    """Items of a home, newest first and each once, down to `complete_to` (0: all).

    `deleted`: entries that are gone or not for the member. `excluded_authors`: members who were
    suspended a moment ago, or who are hidden from the member; their items are left out.
    `left_out`: how many of the entries are not among the items for one of these reasons.
    """

    items: Sequence[Item]
    viewer_state: ViewerState
    deleted: Sequence[str]
    excluded_authors: frozenset[int]
    left_out: int
    complete_to: int


def hydrate_home(
    site: Site,
    uid: int,
    merged: MergedEntries,
    pulled: AuthorPosts,
    home_state: ViewerState,
    gids: Collection[int],
) -> Read[HydratedHome]:
    """Read the items of a home's entries, merged with posts of its pull authors.

    It has no commands if this process read all of it a moment ago; `db` only selects that cache.
    `home_state`: the member's actions on the home's own entries. `gids`: groups of the entries.
    """
    entries = list(map(parse_entry, merged.entries))
    followed = {entry[1] for entry in entries} - merged.tag_only_authors
    boosts, boosts_complete_to = pulled_boosts(site.config, merged, pulled)
    complete_to = max(boosts_complete_to, merged.complete_to, pulled.complete_to)
    extra_pairs = statuses_beyond_home(merged, pulled, boosts)
    boost_uids = (uid for boost in boosts for uid in (boost.booster_uid, boost.author_uid))
    related = merged.tag_only_authors.union(boost_uids)

    def combine(results: tuple[Any, ...]) -> HydratedHome:
        own_items, boost_items, extra_state, relation, reply_targets = results
        visible, deleted, excluded = _filter_visible(relation, merged.entries, own_items)
        left_out = len(own_items) - len(visible)
        if pulled.statuses or boosts:
            visible += visible_pulled(merged, pulled, boost_items, relation, reply_targets)
            visible = merge_newest_first(list({item.id: item for item in visible}.values()))
        items = [item for item in dedupe_boosts(visible) if item.id >= complete_to]
        state = home_state.merge(extra_state) if extra_pairs else home_state
        return HydratedHome(items, state, deleted, excluded, left_out, complete_to)

    return gather(
        _own_items(site, uid, entries, followed),
        hydrate_items(boosts),
        viewer_state(uid, extra_pairs),
        _relation(uid, related, followed, gids),
        visible_reply_targets(uid, pulled.statuses),
    ).map(combine)


def _relation(
    uid: int, related: Collection[int], followed: Collection[int], gids: Collection[int]
) -> Read[Relationship]:
    """Read the relationship to authors, and which of the entries' groups the member belongs to."""
    return gather(relationship(uid, related, place="home"), memberships(uid, gids)).map(
        lambda found: found[0].with_follows(followed, found[1])
    )


def _own_items(
    site: Site, uid: int, entries: Sequence[Entry | BoostRef], followed: Collection[int]
) -> Read[tuple[Item | None, ...]]:
    """Read items of a home's entries, with statuses from this process's cache.

    Authors who are not followed are read again, as they may have become protected.
    """
    pairs = [status_entry(entry) for entry in entries]
    unfollowed = {author for _, author in pairs}.difference(followed)
    cached = cached_statuses(site.db, pairs, uid, site.config.status_seconds, unfollowed)
    return hydrate_items(entries, cached)


def _filter_visible(
    relation: Relationship, entries: Sequence[str], items: Sequence[Item | None]
) -> tuple[list[Item], list[str], frozenset[int]]:
    """Return the items that the member may see, the entries that must go, and excluded authors."""
    visible: list[Item] = []
    deleted: list[str] = []
    excluded: set[int] = set()
    is_unrestricted = relation.is_unrestricted
    for entry, item in zip(entries, items, strict=True):
        if (
            is_unrestricted
            and type(item) is Status
            and item.visibility is Visibility.PUBLIC
            and not item.author.suspended
        ):
            visible.append(item)  # as most items are
        elif item is None or not relation.may_see_item(item):
            deleted.append(entry)
        else:
            visible.append(item)
            excluded.update(
                member.uid
                for member in members_shown(item)
                if member.suspended or not relation.visible_in_timelines(member.uid)
            )
    if excluded:
        visible = [item for item in visible if not excluded & member_uids(item)]
    return visible, deleted, frozenset(excluded)
