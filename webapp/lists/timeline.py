"""The timeline of a list: its members' posts and boosts, as far as the viewer may see them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.config import Config
from webapp.core.errors import NotFound
from webapp.core.events.outbox import current_position
from webapp.core.store import Read, Site, Steps, ask, read, results_of, script, send
from webapp.core.web import max_bound
from webapp.statuses import NO_FILTERS, FilterSet, Item, Skeleton, Timeline, keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.listings.pipeline import ALL, page
from webapp.timelines.hydration import entry_listing, page_from_candidates
from webapp.timelines.rebuild.candidates import (
    AuthorList,
    Candidates,
    RebuiltTimeline,
    first_candidates,
    more_candidates,
)

from .access import visible_owner
from .lookup import List, ListPage, build_list

READ_PAGE = script("lists/lua/read_page.lua")
MERGE = script("lists/lua/merge.lua")


@dataclass(frozen=True, slots=True)
class _StoredPage:
    """A list and its stored entries below a cursor.

    `mark`: '' unless the timeline must be rebuilt; only then `members` and the owner's follows
    among them are read.
    """

    list: List
    entries: Sequence[str]
    mark: str
    members: Sequence[int]
    followed: Collection[int]


def list_page(
    site: Site,
    owner: int,
    number: int,
    viewer: int | None,
    before: int | None = None,
    filters: FilterSet = NO_FILTERS,
) -> tuple[ListPage, Timeline[Item]]:
    """Return a list that a viewer may see, and a page of its timeline below `before`.

    The page is never short while more is stored. Two trips; one more if some of the first entries
    are hidden, or boosted again further down; one more for quote cards or recent counts. Four if
    the timeline was not stored, or its members have changed. Raises as `access.visible_list`.
    """
    position, stored, owner_member = site.db.fetch(
        current_position(),
        _stored_page(owner, number, viewer, before),
        visible_owner(owner, viewer),
    )
    found = ListPage(stored.list, owner_member)
    if stored.mark:
        return found, _rebuilt_page(site, stored, viewer, before, position, filters)
    listing = entry_listing(site, viewer, site.config.page_size + 1, ALL, place="list")
    skeleton = Skeleton(stored.entries, position=position)
    return found, results_of(
        site.db, page(listing, skeleton, viewer, site.config.page_size, filters)
    )[0]


def _stored_page(
    owner: int, number: int, viewer: int | None, before: int | None
) -> Read[_StoredPage]:
    """Read the stored timeline. A visit by who may see it keeps it active. Raises NotFound."""
    command = READ_PAGE(uid=owner, number=number, bound=max_bound(before), viewer=viewer or 0)

    def parse(reply: Sequence[Any] | None) -> _StoredPage:
        if reply is None:
            raise NotFound("no_list")
        fields, size, entries, mark, members, followed = reply
        found = build_list(owner, number, fields, size)
        followed_uids = frozenset(map(int, followed))
        return _StoredPage(found, entries, mark, list(map(int, members)), followed_uids)

    return read(command, parse)


def _rebuilt_page(
    site: Site,
    stored: _StoredPage,
    viewer: int | None,
    before: int | None,
    position: str,
    filters: FilterSet,
) -> Timeline[Item]:
    """Return a page from the lists of the members' statuses; the first page stores the timeline.

    After a crash, or a change of members meanwhile, the next visit rebuilds it again. Three trips.
    """
    owner = stored.list.owner
    sources = [
        AuthorList(uid, key)
        for uid in stored.members
        for key in _source_keys(owner, uid, uid in stored.followed)
    ]
    target = RebuiltTimeline(owner, {owner, *stored.members}, site.config.list_home_max)
    found = site.db.read(first_candidates(target, sources, before, site.config.page_size))
    candidates = Skeleton(found.entries, found.complete_to or None, position=position)
    shown = page_from_candidates(site, viewer, candidates, "list", filters)
    merge = send() if before else _merge(site.config, stored, found)
    return results_of(site.db, shown, merge)[0]


def _merge(config: Config, stored: _StoredPage, found: Candidates) -> Steps[None]:
    """Store a rebuilt timeline, with the candidates that the first page did not need."""
    complete = yield from ask(more_candidates(found))
    yield from send(
        MERGE(
            uid=stored.list.owner,
            number=stored.list.number,
            mark=stored.mark,
            limit=config.list_home_max,
            entries=complete.entries,
        )
    )


def _source_keys(owner: int, author: int, is_followed: bool) -> Iterator[str]:
    """Yield the keys of an author's statuses that a list's owner may see, and of their boosts."""
    yield from (
        status_keys.profile_statuses(author),
        status_keys.profile_replies(author),
        interaction_keys.member_boosts(author),
        status_keys.restricted_statuses(author, owner),
    )
    if is_followed:
        yield status_keys.restricted_statuses(author, status_keys.FOLLOWERS_AUDIENCE)
