"""Popular posts by many authors: one who is liked by many does not fill the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from webapp.core.site import Site
from webapp.statuses.filters.filter_set import NO_FILTERS, FilterSet
from webapp.statuses.listings.pipeline import Skeleton
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.status import Status
from webapp.timelines.shared import shared_page

APART = 10  # of so many posts one after the other, an author has one


def spread_page(
    site: Site, viewer: int | None, found: Skeleton[str], filters: FilterSet = NO_FILTERS
) -> Timeline[Status]:
    """Return a page of hot posts that shows an author at most once in APART posts.

    Other posts of an author are left out, unless there are too few authors to fill the page: then
    they come last. Trips as `shared_page`.
    """
    size = site.config.page_size
    ranked = shared_page(site, viewer, found, filters, size=2 * size)
    return spread_authors(ranked, size, found.cursors or {})


def spread_authors(
    ranked: Timeline[Status], size: int, cursors: Mapping[int, int]
) -> Timeline[Status]:
    """Return the first `size` posts of a longer page, spread by their authors."""
    shown, skipped = _spread(ranked.items, size)
    used = len(shown) + len(skipped)
    if len(shown) < size:
        shown, skipped = _spread(ranked.items[:size], size)
        used = len(shown) + len(skipped)
        shown += skipped
    is_end = used == len(ranked.items)
    next_cursor = ranked.next if is_end else cursors[ranked.items[used - 1].id]
    return replace(ranked, items=tuple(shown), next=next_cursor)


def _spread(posts: Sequence[Status], size: int) -> tuple[list[Status], list[Status]]:
    """Return `size` posts of authors who are APART from each other, and those passed over."""
    shown: list[Status] = []
    skipped: list[Status] = []
    for post in posts:
        recent = {one.author.uid for one in shown[-(APART - 1) :]}
        (skipped if post.author.uid in recent else shown).append(post)
        if len(shown) == size:
            break
    return shown, skipped
