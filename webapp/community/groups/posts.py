"""The timeline of a group: its newest posts, or those on top by time and votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.core.site import Site
from webapp.core.store.reads import Read, read
from webapp.core.store.scripts import script
from webapp.core.store.steps import ask, results_of
from webapp.core.web.pagination import max_bound
from webapp.statuses.filters.filter_set import NO_FILTERS, FilterSet
from webapp.statuses.hydration import Hydrated, hydrate
from webapp.statuses.items import Item
from webapp.statuses.listings.pipeline import Listing, Skeleton, page
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.lookup import Entry, entries_of
from webapp.statuses.visibility import keys as group_keys

from .models import Group
from .voting import Votes, votes_of

READ_TOP = script("community/groups/lua/read_top.lua")
DROP_POST = script("community/groups/lua/drop_post.lua")
UNITS_PER_SECOND = 4_096_000  # of ids: see webapp/core/store/ids.py
TOP_SECONDS = 60  # for which the order of Top is kept
PAGES_READ = 2  # pages of entries that are read: some may be hidden


@dataclass(frozen=True, slots=True)
class GroupPage:
    """A page of a group's posts, with their votes by id."""

    page: Timeline[Item]
    votes: Mapping[int, Votes]


def entries_read(site: Site, gid: int, is_top: bool, before: int | None) -> Read[Skeleton[Entry]]:
    """Read the entries of a page below the cursor `before`: an id, or a score of Top.

    They are for those who may read the group.
    """
    limit = PAGES_READ * (site.config.page_size + 1)
    if not is_top:
        newest = (
            "ZRANGE",
            group_keys.group_posts(gid),
            max_bound(before),
            "-inf",
            "BYSCORE",
            "REV",
        )
        command: Any = (*newest, "LIMIT", 0, limit, "WITHSCORES")
    else:
        command = READ_TOP(
            gid=gid,
            weight=site.config.group_vote_seconds * UNITS_PER_SECOND,
            bound=max_bound(before),
            limit=limit,
            seconds=TOP_SECONDS,
        )
    return read(command, lambda flat: _skeleton(flat, limit))


def drop_post(site: Site, uid: int, gid: int, status_id: int) -> None:
    """Take a post off the timeline of a group, as an owner. The post stays. Two trips.

    Raises NotFound, Forbidden.
    """
    entries = site.db.read(entries_of([status_id]))
    author = entries[0][1] if entries else 0  # of what is gone; it is refused as what is elsewhere
    site.db.run(DROP_POST(gid=gid, uid=uid, id=status_id, author=author))


def _skeleton(flat: Sequence[str], limit: int) -> Skeleton[Entry]:
    pairs = [
        (tuple(map(int, entry.split(":"))), int(float(score)))
        for entry, score in zip(flat[::2], flat[1::2], strict=True)
    ]
    entries = [(status_id, author) for (status_id, author), _ in pairs]
    cursors = {entry[0]: score for entry, score in pairs}
    return Skeleton(entries, entries[-1][0] if len(pairs) == limit else None, cursors)


def group_page(
    site: Site,
    group: Group,
    skeleton: Skeleton[Entry],
    viewer: int | None,
    filters: FilterSet = NO_FILTERS,
) -> GroupPage:
    """Return a page of the posts of a group that the viewer may read, with votes.

    One trip, and one more for quote cards or recent counts. Raises NotFound.
    """
    group.require_readable()
    own = {group.gid} if group.is_member else set[int]()

    def read_items(entries: Sequence[Entry], _: Sequence[Entry]) -> Read[Hydrated]:
        return hydrate(entries, viewer).map(lambda found: found.in_groups(own))

    listing: Listing[Entry, Item] = Listing(read_items, lambda found: found.visible_in_timelines)
    entries = skeleton.entries if group.has_votes else ()
    shown, votes = results_of(
        site.db,
        page(listing, skeleton, viewer, site.config.page_size, filters),
        ask(votes_of(group.gid, entries, viewer)),
    )
    ids = {item.id for item in shown.items}
    return GroupPage(shown, {one: found for one, found in votes.items() if one in ids})
