"""Timelines that everybody shares: the public one and those of hashtags.

Their entries are the same for all, so those hidden from a viewer are left out when they are read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from webapp.config import Config
from webapp.core.events.outbox import current_position
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, gather, read
from webapp.core.web.pagination import max_bound, overfetch
from webapp.statuses.filters.filter_set import NO_FILTERS, FilterSet
from webapp.statuses.hydration import Hydrated
from webapp.statuses.items import Item
from webapp.statuses.status import Status
from webapp.statuses.values.visibility import Visibility
from webapp.statuses.visibility.policy import Relationship

from .entries import id_of, poster_of
from .hydration import hydrate_entries
from .timeline import Timeline, completed, no_result, timeline_page


@dataclass(frozen=True, slots=True)
class SharedEntries:
    """Entries of a shared timeline, in order, enough for a page of which much is hidden.

    `position`: the log id from which the page's live stream continues. `end`: the id below which
    the timeline continues, None at its end. `cursors`: of each status id, where the timeline is not
    in the order of ids.
    """

    key: str
    position: str
    entries: Sequence[str]
    end: int | None
    cursors: Mapping[int, int] | None = None


def shared_entries(config: Config, key: str, before: int | None) -> Read[SharedEntries]:
    """Read the entries of the timeline at `key` below the cursor `before`."""
    limit = overfetch(config.page_size)
    command = ("ZRANGE", key, max_bound(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, limit)
    return gather(current_position(), read(command, tuple)).map(
        lambda found: SharedEntries(key, found[0], found[1], _end(found[1], limit))
    )


def ranked_entries(
    config: Config, key: str, before: int | None, limit: int = 0
) -> Read[SharedEntries]:
    """Read the entries of the timeline at `key`, in the order of scores that are not their ids.

    A page continues below the score of its last status, so only a status whose score has passed
    that cursor meanwhile is skipped, or shown again. `limit`: entries to read at least.
    """
    limit = max(limit, overfetch(config.page_size))
    command = (
        *("ZRANGE", key, max_bound(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, limit),
        "WITHSCORES",
    )

    def parse(reply: Sequence[str]) -> SharedEntries:
        entries = reply[::2]
        cursors = {id_of(one): int(score) for one, score in zip(entries, reply[1::2], strict=True)}
        return SharedEntries(key, "0-0", entries, _end(entries, limit), cursors)

    return read(command, parse)


def shared_page(
    db: Db,
    config: Config,
    viewer: int | None,
    found: SharedEntries,
    filters: FilterSet = NO_FILTERS,
) -> Timeline[Status]:
    """Return a page of a shared timeline, in its order, after its first trip. Entries without a
    status are removed.

    One trip; one more if some of the first entries are hidden from a member, and another if most
    of the next are; one more for quote cards or recent counts. A member's page is full while any
    of the entries is left for it. Visitors' pages, whose first takes two trips elsewhere, read
    twice as many entries instead. Those pages may be short if many entries are hidden; their link
    leads to the next page.
    """
    size, entries = config.page_size, found.entries
    first = entries[: size + 1 if viewer else 2 * (size + 1)]
    posters = set(map(poster_of, entries))
    hydrated = db.read(hydrate_entries(db, config, viewer, first, other_uids=posters))
    deleted = _without_status(first, hydrated.items)
    visible, last_read = visible_statuses(hydrated), first
    for limit in (2 * size, len(entries)) if viewer else ():
        if len(filters.remaining(visible)) > size or len(last_read) == len(entries):
            break
        entries = _remaining(entries, hydrated, deleted)
        last_read = entries[:limit]
        hydrated = db.read(hydrate_entries(db, config, viewer, last_read))
        deleted += _without_status(last_read, hydrated.items)
        visible = visible_statuses(hydrated)
    # If entries remain unread, the next page begins below the last one read.
    next_cursor = id_of(last_read[-1]) if len(last_read) < len(entries) else found.end
    state = hydrated.viewer_state
    page = timeline_page(visible, size, found.position, state, next_cursor, filters)
    if found.cursors and page.next:
        page = replace(page, next=found.cursors[page.next])
    cleanup = no_result(("ZREM", found.key, *deleted)) if deleted else no_result()
    return db.fetch(completed(viewer, page), cleanup)[0]


def _end(entries: Sequence[str], limit: int) -> int | None:
    """Return the id below which a timeline continues, None with fewer than `limit` entries."""
    return id_of(entries[-1]) if len(entries) == limit else None


def _remaining(
    entries: Sequence[str], hydrated: Hydrated, deleted: Collection[str]
) -> Sequence[str]:
    """Return entries without those that the first read shows to be hidden or gone."""
    relation = hydrated.relationship
    closed_authors = {
        item.author.uid
        for item in hydrated.items
        if isinstance(item, Status) and not _is_public(item)
    }
    return [
        entry
        for entry in entries
        if entry not in deleted
        and poster_of(entry) not in closed_authors
        and relation.visible_in_timelines(poster_of(entry))
    ]


def visible_statuses(hydrated: Hydrated) -> list[Status]:
    """Return the statuses to show. Nobody boosts into these timelines."""
    return [
        item
        for item in hydrated.items
        if isinstance(item, Status) and _is_visible(hydrated.relationship, item)
    ]


def _is_visible(relation: Relationship, status: Status) -> bool:
    return _is_public(status) and relation.visible_in_timelines(status.author.uid)


def _is_public(status: Status) -> bool:
    return not status.author.suspended and status.visibility is Visibility.PUBLIC


def _without_status(entries: Sequence[str], items: Sequence[Item | None]) -> list[str]:
    return [entry for entry, item in zip(entries, items, strict=True) if item is None]
