"""Hydrate the entries of shared, list and rebuilt timelines into items."""

from collections.abc import Collection, Sequence

from webapp.core.store import Read, Site, Steps
from webapp.core.web import overfetch
from webapp.statuses import NO_FILTERS, FilterSet, Hydrated, Item, Timeline, hydrate
from webapp.statuses.hydration import status_entry
from webapp.statuses.listings.pipeline import Listing, Skeleton, incomplete_page, page
from webapp.statuses.visibility.relationships import Place

from .entries import parse_entry
from .home.status_cache import cached_statuses


def entry_listing(
    site: Site, viewer: int | None, *rounds: int, place: Place = ""
) -> Listing[str, Item]:
    """Return the listing of pages of entries. It hides what timelines hide from the viewer."""
    return Listing(
        lambda entries, _: hydrate_entries(site, viewer, entries, place=place),
        lambda found: found.visible_in_timelines,
        rounds,
        parse=parse_entry,
    )


def hydrate_entries(
    site: Site,
    viewer: int | None,
    entries: Sequence[str],
    *,
    other_uids: Collection[int] = (),
    place: Place = "",
) -> Read[Hydrated]:
    """Read the items of entries, each in its place, with statuses from this process's cache.

    `db` only selects that cache. `other_uids`, `place`: see `hydrate`.
    """
    parsed = list(map(parse_entry, entries))
    pairs = list(map(status_entry, parsed))
    authors = {author for _, author in pairs}
    return hydrate(
        parsed,
        viewer,
        statuses_read=cached_statuses(site.db, pairs, viewer, site.config.status_seconds, authors),
        other_uids=other_uids,
        place=place,
    )


def page_from_candidates(
    site: Site,
    viewer: int | None,
    candidates: Skeleton[str],
    place: Place = "",
    filters: FilterSet = NO_FILTERS,
) -> Steps[Timeline[Item]]:
    """Return a page of candidate entries, newest first. One step, two with quote cards.

    If much of it is hidden, or the viewer follows very many members, the page may be short; `next`
    then continues. A home's is without quote cards, as it has no trip left for them.
    """
    listing = entry_listing(site, viewer, overfetch(site.config.page_size), place=place)
    if place == "home":
        return incomplete_page(listing, candidates, site.config.page_size, filters)
    return page(listing, candidates, viewer, site.config.page_size, filters)
