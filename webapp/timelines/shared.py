"""Pages of timelines that are the same for everybody: public, hashtags, hot posts, links.

Entries hidden from a viewer are left out when the page is read.
"""

from __future__ import annotations

from collections.abc import Sequence

from webapp.config import Config
from webapp.core.events.outbox import current_position
from webapp.core.store import Read, Site, gather, read, results_of
from webapp.core.web import newest_below, overfetch
from webapp.statuses import NO_FILTERS, FilterSet, Hydrated, Status, Timeline, Visibility
from webapp.statuses.listings.pipeline import ALL, Listing, Skeleton, page

from .entries import id_of, parse_entry, poster_of
from .hydration import hydrate_entries


def shared_entries(config: Config, key: str, before: int | None) -> Read[Skeleton[str]]:
    """Read the entries of the timeline at `key` below the cursor `before`."""
    limit = overfetch(config.page_size)
    entries = read(newest_below(key, before, limit), tuple)
    return gather(current_position(), entries).map(
        lambda found: Skeleton(found[1], _end(found[1], limit), position=found[0], key=key)
    )


def joined_entries(parts: Sequence[Skeleton[str]]) -> Skeleton[str]:
    """Return the entries of several timelines, each once, as far down as all of them were read."""
    if len(parts) == 1:
        return parts[0]
    end = max((one.end for one in parts if one.end), default=None)
    entries = {entry for one in parts for entry in one.entries if id_of(entry) >= (end or 0)}
    ordered = sorted(entries, key=id_of, reverse=True)
    return Skeleton(ordered, end, position=parts[0].position)


def ranked_entries(
    config: Config, key: str, before: int | None, limit: int = 0
) -> Read[Skeleton[str]]:
    """Read the entries of the timeline at `key`, in the order of scores that are not their ids.

    A page continues below the score of its last status. A status whose score passes that cursor
    meanwhile is skipped, or shown again. `limit`: entries to read at least.
    """
    limit = max(limit, overfetch(config.page_size))

    def parse(reply: Sequence[str]) -> Skeleton[str]:
        entries = reply[::2]
        cursors = {id_of(one): int(score) for one, score in zip(entries, reply[1::2], strict=True)}
        return Skeleton(entries, _end(entries, limit), cursors, key=key)

    return read(newest_below(key, before, limit, scores=True), parse)


def shared_page(
    site: Site,
    viewer: int | None,
    found: Skeleton[str],
    filters: FilterSet = NO_FILTERS,
    size: int = 0,
) -> Timeline[Status]:
    """Return a page of a shared timeline, in its order, after its first trip.

    Entries without a status are removed.
    One trip; one more if some of the first entries are hidden from a member, and another if most
    of the next are; one more for quote cards or recent counts. A member's page is full while any
    of the entries is left for it. Visitors' pages, whose first takes two trips elsewhere, read
    twice as many entries instead. Those pages may be short if many entries are hidden; their link
    leads to the next page. `size`: statuses, 0 for those of a page.
    """
    size = size or site.config.page_size
    rounds = (size + 1, 2 * size, ALL) if viewer else (2 * (size + 1),)
    listing = shared_listing(site, viewer, *rounds)
    return results_of(site.db, page(listing, found, viewer, size, filters))[0]


def shared_listing(site: Site, viewer: int | None, *rounds: int) -> Listing[str, Status]:
    """Return the listing of a viewer's pages of shared timelines, read in these rounds."""
    return Listing(
        lambda entries, further: hydrate_entries(
            site, viewer, entries, other_uids=set(map(poster_of, further))
        ),
        _visible_statuses,
        rounds,
        _hidden_authors,
        parse_entry,
    )


def _end(entries: Sequence[str], limit: int) -> int | None:
    """Return the id below which a timeline continues, None with fewer than `limit` entries."""
    return id_of(entries[-1]) if len(entries) == limit else None


def _visible_statuses(found: Hydrated) -> list[Status]:
    """Return the statuses to show. Nobody boosts into these timelines."""
    may_show = found.relationship.visible_in_timelines
    return [
        item
        for item in found.items
        if isinstance(item, Status) and _is_public(item) and may_show(item.author.uid)
    ]


def _hidden_authors(found: Hydrated) -> set[int]:
    """Return the authors whom the read items show to be hidden, suspended or protected."""
    closed_authors = {
        item.author.uid for item in found.items if isinstance(item, Status) and not _is_public(item)
    }
    return closed_authors | found.relationship.hidden_in_timelines


def _is_public(status: Status) -> bool:
    return not status.author.suspended and status.visibility is Visibility.PUBLIC
