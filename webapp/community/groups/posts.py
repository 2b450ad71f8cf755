"""The timeline of a group: its newest posts, or those on top by time and votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from webapp.core.events.outbox import current_position
from webapp.core.store import Command, Read, Site, ask, gather, read, results_of, script
from webapp.core.web import max_bound, newest_below
from webapp.statuses import NO_FILTERS, Entry, FilterSet, Hydrated, Item, Timeline, hydrate
from webapp.statuses.listings.pipeline import Listing, Skeleton, page
from webapp.statuses.visibility import keys as group_keys

from . import keys
from .models import Group
from .voting import Votes, author_of, votes_of

READ_TOP = script("community/groups/lua/read_top.lua")
DROP_POST = script("community/groups/lua/drop_post.lua")
PIN = script("community/groups/lua/pin.lua")
PINNED_MAX = 3
UNITS_PER_SECOND = 4_096_000  # of ids: see webapp/core/store/ids.py
PAGES_READ = 2  # pages of entries that are read: some may be hidden


@dataclass(frozen=True, slots=True)
class GroupPage:
    """A page of a group's posts, with their votes by id.

    `pinned`: the ids of the pinned ones. The first page of the newest posts begins with them.
    """

    page: Timeline[Item]
    votes: Mapping[int, Votes]
    pinned: frozenset[int]


@dataclass(frozen=True, slots=True)
class GroupEntries:
    """The stored entries of a page, and the pinned ones. `above`: how many of these are above."""

    skeleton: Skeleton[Entry]
    pinned: frozenset[int]
    above: int = 0


def entries_read(site: Site, gid: int, is_top: bool, before: int | None) -> Read[GroupEntries]:
    """Read the entries of a page below the cursor `before`: an id, or a score of Top.

    They are for those who may read the group. Pinned ones are above the first page of the newest,
    not below.
    """
    limit = PAGES_READ * (site.config.page_size + 1)

    def parse(found: tuple[str, Sequence[str], Sequence[str]]) -> GroupEntries:
        position, stored, pinned_entries = found
        skeleton, pins = _skeleton(stored, limit, position), list(map(_entry, pinned_entries))
        pinned = frozenset(status_id for status_id, _ in pins)
        if is_top:
            return GroupEntries(skeleton, pinned)
        above = [] if before else pins
        below = [entry for entry in skeleton.entries if entry not in pins]
        return GroupEntries(replace(skeleton, entries=[*above, *below]), pinned, len(above))

    newest = newest_below(group_keys.group_posts(gid), before, limit, scores=True)
    entries = _top_command(site, gid, before, limit) if is_top else newest
    pins = ("ZRANGE", keys.group_pinned(gid), 0, -1, "REV")
    rows = read(entries, list[str]), read(pins, list[str])
    return gather(current_position(), *rows).map(parse)


def _top_command(site: Site, gid: int, before: int | None, limit: int) -> Command:
    return READ_TOP(
        gid=gid,
        weight=site.config.group_vote_seconds * UNITS_PER_SECOND,
        bound=max_bound(before),
        limit=limit,
    )


def drop_post(site: Site, uid: int, gid: int, status_id: int) -> None:
    """Take a post off the timeline of a group, as an owner. The post stays. Two trips.

    Raises NotFound, Forbidden.
    """
    site.run(DROP_POST, gid=gid, uid=uid, id=status_id, author=author_of(site, status_id))


def pin_post(site: Site, uid: int, gid: int, status_id: int, is_pinned: bool) -> None:
    """Pin a post of a group above the others, or unpin it, as an owner. Two trips.

    Raises NotFound, Forbidden, Conflict (PINNED_MAX reached).
    """
    site.run(
        PIN,
        gid=gid,
        uid=uid,
        id=status_id,
        author=author_of(site, status_id),
        pin="1" if is_pinned else "",
        pinned_max=PINNED_MAX,
    )


def _entry(member: str) -> Entry:
    status_id, author = member.split(":")
    return int(status_id), int(author)


def _skeleton(flat: Sequence[str], limit: int, position: str) -> Skeleton[Entry]:
    entries = list(map(_entry, flat[::2]))
    scores = (int(float(score)) for score in flat[1::2])
    cursors = {status_id: score for (status_id, _), score in zip(entries, scores, strict=True)}
    end = entries[-1][0] if len(entries) == limit else None
    return Skeleton(entries, end, cursors, position)


def group_page(
    site: Site,
    group: Group,
    entries: GroupEntries,
    viewer: int | None,
    filters: FilterSet = NO_FILTERS,
) -> GroupPage:
    """Return a page of the posts of a group that the viewer may read, with votes.

    One trip, and one more for quote cards or recent counts. Raises NotFound.
    """
    group.require_readable()
    own = {group.gid} if group.is_member else set[int]()

    def known(found: Hydrated) -> Hydrated:
        state = replace(found.viewer_state, group_names={group.gid: group.name})
        return replace(found.in_groups(own), viewer_state=state)

    def read_items(entries: Sequence[Entry], _: Sequence[Entry]) -> Read[Hydrated]:
        return hydrate(entries, viewer).map(known)

    listing: Listing[Entry, Item] = Listing(read_items, lambda found: found.visible_in_timelines)
    skeleton, size = entries.skeleton, site.config.page_size + entries.above
    with_votes = skeleton.entries if group.has_votes else ()
    shown, votes = results_of(
        site.db,
        page(listing, skeleton, viewer, size, filters),
        ask(votes_of(group.gid, with_votes, viewer)),
    )
    ids = {item.id for item in shown.items}
    return GroupPage(
        shown,
        {status_id: found for status_id, found in votes.items() if status_id in ids},
        entries.pinned & ids,
    )
