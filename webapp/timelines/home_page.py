"""Read a page of a home: its own entries merged with pulled ones, newest first."""

from collections.abc import Sequence
from dataclasses import replace

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.store import Db, Read, Site
from webapp.core.web import overfetch
from webapp.statuses import NO_FILTERS, FilterSet, Item, Timeline
from webapp.statuses.hydration import complete
from webapp.statuses.listings.timeline import completed, no_result, timeline_page
from webapp.statuses.visibility.groups import group_names
from webapp.timelines.pull.pulled_entries import group_number

from . import keys
from .entries import poster_of
from .home.hydrated_home import HydratedHome, hydrate_home
from .home.merging import MergedEntries, merge, merge_without
from .home.snapshot import HomeSnapshot, wider_snapshot
from .home.stored_home import OVERFETCH, HomeState, StoredHome
from .pull.sources import (
    PullPages,
    clear_tag_pages,
    missing_pages,
    remember_sources,
    with_cached_pages,
)
from .rebuild.rebuild import rebuilt_page


def home_page(
    site: Site, snapshot: HomeSnapshot, filters: FilterSet = NO_FILTERS
) -> Timeline[Item]:
    """Return a page of a home, newest first, after its first trip.

    At most two trips. The first reads the statuses; there is none if this process read them a
    moment ago. The second reads quote cards and recent counts; or sources that were not read yet,
    and replacements of entries that are gone or hidden. Such replacements come without their cards.
    One more trip if the home was read too short for them. A page may be short if nearly all of it
    is left out, or many entries of large authors and hashtags; `next` then continues.
    """
    home, uid, before = snapshot.home, snapshot.uid, snapshot.before
    if home.kinds.hides_any:
        filters = filters.showing(home.kinds.shows)
    if home.rebuild:
        return rebuilt_page(site, snapshot, home.rebuild, filters)
    remember_sources(site.db, uid, home.sources)
    cached_pages = with_cached_pages(site, home.sources, before, snapshot.pages)
    missing = missing_pages(site, home.sources, before, cached_pages)
    tagged = cached_pages.tag_entries(home.sources, site.config, home.hidden_uids)
    size = site.config.page_size + 1 + (OVERFETCH if filters.can_hide else 0)
    merged = merge(home.state, home.entries, tagged, size)
    first, all_pages = site.db.fetch(_hydrated(site, snapshot, merged, cached_pages), missing)
    page = _page(site.config, snapshot, first, filters)
    is_too_short = home.state is HomeState.MORE and _is_too_short(
        site.config, home, first, page, filters
    )
    if is_too_short:
        snapshot = site.db.read(wider_snapshot(site.config, snapshot))
    if missing.commands or first.deleted or first.excluded_authors or is_too_short:
        return _refilled_page(site, snapshot, first, all_pages, filters)
    return site.db.read(completed(uid, page))


def _is_too_short(
    config: Config,
    home: StoredHome,
    first: HydratedHome,
    page: Timeline[Item],
    filters: FilterSet,
) -> bool:
    """Return True if the entries that were read cannot fill a page of which some are left out."""
    further = map(poster_of, home.entries[config.page_size + 1 :])
    left_out = first.left_out + sum(poster in first.excluded_authors for poster in further)
    any_filtered = len(filters.remaining(first.items)) < len(first.items)
    return left_out > OVERFETCH or (any_filtered and len(page.items) < config.page_size)


def _refilled_page(
    site: Site, snapshot: HomeSnapshot, first: HydratedHome, pages: PullPages, filters: FilterSet
) -> Timeline[Item]:
    """Return the page again, with all sources and without entries that must be left out. One trip.

    The cards are those of the items that `first` would show. Groups of all items have their names.
    """
    home, uid = snapshot.home, snapshot.uid
    tagged = pages.tag_entries(home.sources, site.config, home.hidden_uids)
    merged = merge_without(
        home, tagged, overfetch(site.config.page_size), first.deleted, first.excluded_authors
    )
    items = _page(site.config, snapshot, first, filters).items
    second, state, names, _ = site.db.fetch(
        _hydrated(site, snapshot, merged, pages),
        complete(uid, items, first.viewer_state),
        group_names(pages.groups_of(merged.tag_only)),
        _remove_deleted(site.db, uid, home.sources.tags, first.deleted),
    )
    state = replace(state, group_names={**state.group_names, **names})
    final_state = state.with_interactions_of(second.viewer_state)
    return replace(_page(site.config, snapshot, second, filters), viewer_state=final_state)


def _hydrated(
    site: Site, snapshot: HomeSnapshot, merged: MergedEntries, pages: PullPages
) -> Read[HydratedHome]:
    home = snapshot.home
    posts = pages.author_posts(home.sources)
    gids = pages.groups_of(merged.tag_only)
    return hydrate_home(site, snapshot.uid, merged, posts, home.viewer_state, gids)


def _page(
    config: Config, snapshot: HomeSnapshot, found: HydratedHome, filters: FilterSet
) -> Timeline[Item]:
    size, next_cursor = config.page_size, found.complete_to or None
    return timeline_page(
        found.items, size, snapshot.position, found.viewer_state, next_cursor, filters
    )


def _remove_deleted(
    db: Db, uid: int, tag_names: Sequence[str], deleted: Sequence[str]
) -> Read[None]:
    """Remove entries whose status is gone from a home, and from the hashtags it follows."""
    if not deleted:
        return no_result()
    clear_tag_pages(db)
    # A group keeps entries that are not for this member.
    hashtags = (name for name in tag_names if not group_number(name))
    sets = (account_keys.home(uid), *map(keys.hashtag_statuses, hashtags))
    return no_result(*(("ZREM", name, *deleted) for name in sets))
