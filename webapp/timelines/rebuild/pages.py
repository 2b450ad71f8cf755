"""Pages of timelines that are rebuilt."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Read
from webapp.core.web.pagination import overfetch
from webapp.statuses.filters.filter_set import NO_FILTERS, FilterSet
from webapp.statuses.hydration import Hydrated
from webapp.statuses.items import Item, dedupe_boosts
from webapp.timelines.entries import id_of
from webapp.timelines.hydration import hydrate_entries
from webapp.timelines.timeline import Timeline, timeline_page


def page_from_candidates(
    db: Db,
    config: Config,
    viewer: int | None,
    entries: Sequence[str],
    complete_to: int,
    position: str,
    for_home: bool = False,
    filters: FilterSet = NO_FILTERS,
) -> Read[Timeline[Item]]:
    """Read a page of candidate entries, newest first, complete down to `complete_to`.

    Quote cards are not read. If much of it is hidden, or the viewer follows very many members, the
    page may be short; `next` then continues. `db` only selects this process's cache of statuses.
    """
    candidates = entries[: overfetch(config.page_size)]
    next_cursor = id_of(candidates[-1]) if len(candidates) < len(entries) else complete_to

    def build(found: Hydrated) -> Timeline[Item]:
        items = dedupe_boosts(found.visible_in_timelines)
        state = found.viewer_state
        return timeline_page(items, config.page_size, position, state, next_cursor or None, filters)

    return hydrate_entries(db, config, viewer, candidates, for_home=for_home).map(build)
