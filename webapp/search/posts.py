"""Search posts: public ones, and those that the viewer wrote or bookmarked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.events.outbox import current_position
from webapp.core.search.plan import Plan, fact
from webapp.core.search.syntax import parse
from webapp.core.store import Read, Site, collect, gather, results_of
from webapp.statuses import NO_FILTERS, Entry, FilterSet, Hydrated, Status, Timeline, hydrate
from webapp.statuses.listings.pipeline import Listing, Skeleton, page

from . import keys
from .index.documents import is_searchable
from .index.layout import with_current_shards
from .query.store import Matches, latest, merge, top

HYDRATED_PAGES = 2  # pages of posts that are read: the viewer may not see some of them
TAGGED_MAX = 200  # posts of one member with a hashtag that are counted
TOP_MAX = 300  # posts that Top lists at most


@dataclass(frozen=True, slots=True)
class PostResults:
    """A page of posts.

    `is_partial`: True if only the newest posts were searched; `is_empty`: if none matches.
    """

    page: Timeline[Status]
    is_partial: bool = False
    is_empty: bool = False


def search_latest(
    site: Site,
    plan: Plan,
    viewer: Member | None,
    before: int | None = None,
    filters: FilterSet = NO_FILTERS,
) -> PostResults:
    """Return the newest public posts that match, below the cursor `before`. At most three trips."""
    site = with_current_shards(site)
    limit = _limit(site.config)
    position, found = site.db.fetch(
        current_position(), latest(site.config, keys.POSTS, plan, before, limit)
    )
    skeleton = Skeleton(found.entries, found.next, position=position)
    page = _page(site, viewer, skeleton, filters)
    return PostResults(page, found.is_partial, not (found.entries or before))


def newest_tagged(site: Site, login: str, names: Sequence[str]) -> list[list[int]]:
    """Return the ids of a member's newest public posts with each hashtag. One trip.

    TAGGED_MAX of each.
    """
    site = with_current_shards(site)
    plans = (parse(f"from:{login} #{name}").plan for name in names)
    reads = (latest(site.config, keys.POSTS, plan, None, TAGGED_MAX) for plan in plans)
    return [[number for number, _ in one.entries] for one in site.db.read(collect(reads))]


def has_posts(site: Site, plan: Plan) -> bool:
    """Return True if the index has a public post that matches. One trip at most."""
    if plan.is_empty:
        return False
    site = with_current_shards(site)
    return bool(site.db.read(latest(site.config, keys.POSTS, plan, None, 1)).entries)


def search_top(
    site: Site, plan: Plan, viewer: Member | None, offset: int = 0, filters: FilterSet = NO_FILTERS
) -> PostResults:
    """Return the public posts that match and rank highest, after the first `offset`.

    At most three trips. The cursor of the next page counts the posts before it.
    """
    site = with_current_shards(site)
    size = site.config.page_size
    limit = min(offset + _limit(site.config), TOP_MAX)
    found = site.db.read(top(site.config, keys.POSTS, plan, limit))
    entries = found.entries[offset:]
    skeleton = Skeleton(entries[:size], offset + size if len(entries) > size else None)
    page = _page(site, viewer, skeleton, filters)
    return PostResults(page, found.is_partial, not found.entries)


def search_own(site: Site, plan: Plan, viewer: Member, before: int | None = None) -> PostResults:
    """Return the viewer's own posts, and those they bookmarked, that match. At most three trips."""
    site = with_current_shards(site)
    found = site.db.read(_own(site.config, plan, viewer, before, _limit(site.config)))
    skeleton = Skeleton(found.entries, found.next)

    def visible(hydrated: Hydrated) -> Sequence[Status]:
        return [one for one in hydrated.visible if isinstance(one, Status) and _counts(one, plan)]

    return PostResults(_page(site, viewer, skeleton, NO_FILTERS, visible), found.is_partial)


def _own(
    config: Config, plan: Plan, viewer: Member, before: int | None, limit: int
) -> Read[Matches]:
    uncounted = replace(plan, minimums=())
    by_viewer = plan.with_clauses(fact(f"from={viewer.login.lower()}"))
    reads = (
        latest(config, keys.POSTS, by_viewer, before, limit, viewer.uid),
        # The index counts neither for restricted posts nor for each bookmark: pages compare the
        # counts themselves.
        latest(config, keys.own_posts(viewer.uid), uncounted, before, limit, viewer.uid),
        latest(config, keys.bookmarked(viewer.uid), uncounted, before, limit, viewer.uid),
    )
    return gather(*reads).map(lambda parts: merge(parts, limit))


def _limit(config: Config) -> int:
    return HYDRATED_PAGES * (config.page_size + 1)


def _visible(found: Hydrated) -> Sequence[Status]:
    """Return the posts that timelines would show, without members who hid from search meanwhile."""
    items = found.visible_in_timelines
    return [item for item in items if isinstance(item, Status) and is_searchable(item)]


def _page(
    site: Site,
    viewer: Member | None,
    skeleton: Skeleton[Entry],
    filters: FilterSet,
    rules: Callable[[Hydrated], Sequence[Status]] = _visible,
) -> Timeline[Status]:
    uid = viewer.uid if viewer else None
    listing: Listing[Entry, Status] = Listing(lambda entries, _: hydrate(entries, uid), rules)
    return results_of(site.db, page(listing, skeleton, uid, site.config.page_size, filters))[0]


def _counts(status: Status, plan: Plan) -> bool:
    """Return True if a post has as many likes and boosts as a query asks for."""
    counts = {"likes": status.likes, "boosts": status.boosts}
    return all(counts[name] >= least for name, least in plan.minimums)
