"""Pages of timelines that are rebuilt."""

from __future__ import annotations

from webapp.core.site import Site
from webapp.core.store.steps import Steps
from webapp.core.web.pagination import overfetch
from webapp.statuses.filters.filter_set import NO_FILTERS, FilterSet
from webapp.statuses.items import Item
from webapp.statuses.listings.pipeline import Skeleton, incomplete_page, page
from webapp.statuses.listings.timeline import Timeline
from webapp.timelines.hydration import entry_listing


def page_from_candidates(
    site: Site,
    viewer: int | None,
    candidates: Skeleton[str],
    for_home: bool = False,
    filters: FilterSet = NO_FILTERS,
) -> Steps[Timeline[Item]]:
    """Return a page of candidate entries, newest first. One step, two with quote cards.

    If much of it is hidden, or the viewer follows very many members, the page may be short; `next`
    then continues. `for_home`: without quote cards, as a home has no trip left for them.
    """
    listing = entry_listing(site, viewer, overfetch(site.config.page_size), for_home=for_home)
    if for_home:
        return incomplete_page(listing, candidates, site.config.page_size, filters)
    return page(listing, candidates, viewer, site.config.page_size, filters)
