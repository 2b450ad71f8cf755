"""From the entries of shared, list and rebuilt timelines to items."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from webapp.core.site import Site
from webapp.core.store.reads import Read
from webapp.statuses.hydration import Hydrated, hydrate, status_entry
from webapp.statuses.items import Item
from webapp.statuses.listings.pipeline import Listing

from .entries import parse_entry
from .home.status_cache import cached_statuses


def entry_listing(
    site: Site, viewer: int | None, *rounds: int, for_home: bool = False
) -> Listing[str, Item]:
    """Return how pages of entries are made that leave out what timelines hide from the viewer."""
    return Listing(
        lambda entries, _: hydrate_entries(site, viewer, entries, for_home=for_home),
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
    for_home: bool = False,
) -> Read[Hydrated]:
    """Read the items of entries, each in its place, with statuses from this process's cache.

    `db` only selects that cache. `other_uids`, `for_home`: see `hydrate`.
    """
    parsed = list(map(parse_entry, entries))
    pairs = list(map(status_entry, parsed))
    authors = {author for _, author in pairs}
    return hydrate(
        parsed,
        viewer,
        statuses_read=cached_statuses(site.db, pairs, viewer, site.config.status_seconds, authors),
        other_uids=other_uids,
        for_home=for_home,
    )
