"""Search posts: public ones, and those that the viewer wrote or bookmarked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.events.outbox import current_position
from webapp.core.search.plan import Plan, fact
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, gather
from webapp.statuses.filters.filter_set import NO_FILTERS, FilterSet
from webapp.statuses.hydration import Hydrated, hydrate
from webapp.statuses.status import Status
from webapp.timelines.timeline import Timeline, completed, timeline_page

from . import keys
from .index.documents import is_searchable
from .index.layout import read_config
from .query.store import Matches, latest, merge, top

HYDRATED_PAGES = 2  # pages of posts that are read: the viewer may not see some of them
TOP_MAX = 300  # posts that Top lists at most


@dataclass(frozen=True, slots=True)
class PostResults:
    """A page of posts. `is_partial`: True if only the newest posts were searched."""

    page: Timeline[Status]
    is_partial: bool = False


def search_latest(
    db: Db,
    config: Config,
    plan: Plan,
    viewer: Member | None,
    before: int | None = None,
    filters: FilterSet = NO_FILTERS,
) -> PostResults:
    """Return the newest public posts that match, below the cursor `before`. At most three trips."""
    config = read_config(db, config)
    position, found = db.fetch(
        current_position(), latest(config, keys.POSTS, plan, before, _limit(config))
    )
    results = _results(db, config, viewer, found, filters)
    return replace(results, page=replace(results.page, position=position))


def search_top(
    db: Db,
    config: Config,
    plan: Plan,
    viewer: Member | None,
    offset: int = 0,
    filters: FilterSet = NO_FILTERS,
) -> PostResults:
    """Return the public posts that match and rank highest, after the first `offset`.

    At most three trips. The cursor of the next page counts the posts before it.
    """
    config, size = read_config(db, config), config.page_size
    limit = min(offset + _limit(config), TOP_MAX)
    found = db.read(top(config, keys.POSTS, plan, limit))
    entries = found.entries[offset:]
    results = _results(db, config, viewer, replace(found, entries=entries[:size]), filters)
    next_offset = offset + size if len(entries) > size else None
    return replace(results, page=replace(results.page, next=next_offset))


def search_own(
    db: Db, config: Config, plan: Plan, viewer: Member, before: int | None = None
) -> PostResults:
    """Return the viewer's own posts, and those they bookmarked, that match. At most three trips."""
    config, limit = read_config(db, config), _limit(config)
    found = db.read(_own(config, plan, viewer, before, limit))
    return _results(db, config, viewer, found, NO_FILTERS, plan)


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


def _results(
    db: Db,
    config: Config,
    viewer: Member | None,
    found: Matches,
    filters: FilterSet,
    own_plan: Plan | None = None,
) -> PostResults:
    uid = viewer.uid if viewer else None
    hydrated = db.read(hydrate(found.entries, uid))
    visible = _own_visible(hydrated, own_plan) if own_plan else _visible(hydrated)
    state = hydrated.viewer_state
    page = timeline_page(visible, config.page_size, "0-0", state, found.next, filters)
    return PostResults(db.read(completed(uid, page)), found.is_partial)


def _visible(hydrated: Hydrated) -> Sequence[Status]:
    """Return the posts that timelines would show, without members who hid from search meanwhile."""
    items = hydrated.visible_in_timelines
    return [item for item in items if isinstance(item, Status) and is_searchable(item)]


def _own_visible(hydrated: Hydrated, plan: Plan) -> Sequence[Status]:
    return [item for item in hydrated.visible if isinstance(item, Status) and _counts(item, plan)]


def _counts(status: Status, plan: Plan) -> bool:
    """Return True if a post has as many likes and boosts as a query asks for."""
    counts = {"likes": status.likes, "boosts": status.boosts}
    return all(counts[name] >= least for name, least in plan.minimums)
