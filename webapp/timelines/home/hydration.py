"""What a home's entries and its pull authors' posts show, in one trip."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, constant, gather, read
from webapp.following import keys as following_keys
from webapp.statuses.hydration import hydrate_items, status_entry
from webapp.statuses.interactions.boost_refs import BoostRef
from webapp.statuses.interactions.viewer_reads import viewer_state
from webapp.statuses.interactions.viewer_state import ViewerState
from webapp.statuses.items import (
    Item,
    dedupe_boosts,
    member_uids,
    members_shown,
    merge_newest_first,
    status_entries,
)
from webapp.statuses.lookup import Entry
from webapp.statuses.status import Status
from webapp.statuses.status_cache import cached_statuses
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship
from webapp.statuses.visibility.visibility import Visibility
from webapp.timelines.entries import id_of, parse_entry
from webapp.timelines.pull.author_posts import AuthorPosts

from .merging import MergedEntries


@dataclass(frozen=True, slots=True)
class HydratedHome:
    """Items of a home, newest first and each once, down to `complete_to` (0: all).

    `deleted`: entries that are gone or not for the member. `excluded_authors`: members who were
    suspended a moment ago, or who are hidden from the member; their items are left out.
    """

    items: Sequence[Item]
    viewer_state: ViewerState
    deleted: Sequence[str]
    excluded_authors: frozenset[int]
    complete_to: int


def hydrate_home(
    db: Db,
    config: Config,
    uid: int,
    merged: MergedEntries,
    pulled: AuthorPosts,
    home_state: ViewerState,
) -> Read[HydratedHome]:
    """Read the items of a home's entries, merged with posts of its pull authors.

    It has no commands if this process read all of it a moment ago; `db` only selects that cache.
    `home_state`: what the member did with the statuses of the home's own entries.
    """
    entries = list(map(parse_entry, merged.entries))
    followed = {entry[1] for entry in entries} - merged.tag_only_authors
    boosts, boosts_complete_to = _pulled_boosts(config, merged, pulled)
    complete_to = max(boosts_complete_to, merged.complete_to, pulled.complete_to)
    extra_pairs = _statuses_beyond_home(merged, pulled, boosts)
    boost_uids = (uid for boost in boosts for uid in (boost.booster_uid, boost.author_uid))
    related = merged.tag_only_authors.union(boost_uids)

    def combine(results: tuple[Any, ...]) -> HydratedHome:
        own_items, boost_items, extra_state, relation, reply_targets = results
        relation = relation.with_follows(followed)
        visible, deleted, excluded = _filter_visible(relation, merged.entries, own_items)
        if pulled.statuses or boosts:
            visible += _visible_pulled(merged, pulled, boost_items, relation, reply_targets)
            visible = merge_newest_first(list({item.id: item for item in visible}.values()))
        items = [item for item in dedupe_boosts(visible) if item.id >= complete_to]
        state = home_state.merge(extra_state) if extra_pairs else home_state
        return HydratedHome(items, state, deleted, excluded, complete_to)

    return gather(
        _own_items(db, config, uid, entries, followed),
        hydrate_items(boosts),
        viewer_state(uid, extra_pairs),
        relationship(uid, related, for_home=True),
        _visible_reply_targets(uid, pulled.statuses),
    ).map(combine)


def _statuses_beyond_home(
    merged: MergedEntries, pulled: AuthorPosts, boosts: Sequence[BoostRef]
) -> list[Entry]:
    """Return the statuses of which the home's script did not read the member's interactions."""
    return [
        *(status_entry(parse_entry(entry)) for entry in merged.tag_only),
        *status_entries(pulled.statuses),
        *map(status_entry, boosts),
    ]


def _own_items(
    db: Db,
    config: Config,
    uid: int,
    entries: Sequence[Entry | BoostRef],
    followed: Collection[int],
) -> Read[tuple[Item | None, ...]]:
    """Read items of a home's entries, with statuses from this process's cache.

    Authors who are not followed are read again, as they may have become protected.
    """
    pairs = [status_entry(entry) for entry in entries]
    unfollowed = {author for _, author in pairs}.difference(followed)
    cached = cached_statuses(db, pairs, uid, config.status_seconds, unfollowed)
    return hydrate_items(entries, cached)


def _visible_pulled(
    merged: MergedEntries,
    pulled: AuthorPosts,
    boosts: Sequence[Item | None],
    relation: Relationship,
    reply_targets: Set[int],
) -> Iterator[Item]:
    """Yield the boosts and statuses of pull authors that the member may see."""
    for boost in boosts:
        if boost and relation.is_visible_in_timelines(boost):
            yield boost
    for status in pulled.statuses:
        if status.id >= merged.floor and status.reply_to_uid in reply_targets:
            yield status


def _filter_visible(
    relation: Relationship, entries: Sequence[str], items: Sequence[Item | None]
) -> tuple[list[Item], list[str], frozenset[int]]:
    """Return the items that the member may see, the entries that must go, and excluded authors."""
    visible: list[Item] = []
    deleted: list[str] = []
    excluded: set[int] = set()
    is_unrestricted = relation.is_unrestricted
    for entry, item in zip(entries, items, strict=True):
        if is_unrestricted and type(item) is Status and _is_open(item):
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


def _is_open(status: Status) -> bool:
    return status.visibility is Visibility.PUBLIC and not status.author.suspended


def _pulled_boosts(
    config: Config, merged: MergedEntries, pulled: AuthorPosts
) -> tuple[list[BoostRef], int]:
    """Return boosts that may be on the page, and the id below which others are left out (or 0)."""
    if not pulled.boosts:
        return [], 0
    ids = [*map(id_of, merged.entries), *(status.id for status in pulled.statuses)]
    ids += [boost.id for boost in pulled.boosts]
    size = max(config.page_size + 1, len(merged.entries))
    last_on_page = sorted(ids, reverse=True)[:size][-1]
    lowest = max(merged.floor, last_on_page)
    more_below = any(merged.floor <= boost.id < lowest for boost in pulled.boosts)
    boosts = [boost for boost in pulled.boosts if boost.id >= lowest]
    return boosts, lowest if more_below else 0


def _visible_reply_targets(uid: int, statuses: Sequence[Status]) -> Read[frozenset[int]]:
    """Read to whom replies may show: nobody else (0), the member, and members they follow."""
    always = frozenset({0, uid})
    others = sorted({status.reply_to_uid for status in statuses} - always)
    if not others:
        return constant(always)
    return read(
        ("ZMSCORE", following_keys.following(uid), *others),
        lambda scores: always.union(
            other for other, score in zip(others, scores, strict=True) if score
        ),
    )
