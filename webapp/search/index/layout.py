"""Layouts of the index: into how many shards it is spread.

Queries read the `current` layout, whatever SEARCH_SHARDS says, until the upgrade `search` has built
the one that it asks for. Projections write the one that is `building` as well. A process remembers
the layouts for REMEMBERED_SECONDS, so a rebuild waits LAYOUT_DELAY_SECONDS after each change.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import wraps
from weakref import WeakKeyDictionary

from webapp.config import Config
from webapp.core.events.outbox import BulkProjection, Context, Event, Projection
from webapp.core.store import Db, Read, Site, constant, read
from webapp.search import keys

REMEMBERED_SECONDS = 5.0
LAYOUT_DELAY_SECONDS = 9.0  # work begun with earlier layouts, of late replicas too, has ended then
_remembered: WeakKeyDictionary[Db, tuple[float, Layout]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Layout:
    """The number of shards that is read, and those that are being built or removed, 0 if none."""

    current: int
    building: int = 0
    former: int = 0


def read_layout(config: Config) -> Read[Layout]:
    """Read the layouts. Where nothing was recorded, the current one is SEARCH_SHARDS."""

    def parse(fields: Sequence[str | None]) -> Layout:
        current, building, former = (int(value or 0) for value in fields)
        return Layout(current or config.search_shards, building, former)

    return read(("HMGET", keys.search_layout(), "current", "building", "former"), parse)


def remembered_layout(site: Site) -> Read[Layout]:
    """Read the layouts, with a command only if the process read them some time ago."""
    read_at, layout = _remembered.get(site.db, (0.0, Layout(0)))
    if layout.current and time.monotonic() - read_at < REMEMBERED_SECONDS:
        return constant(layout)

    def remember(found: Layout) -> Layout:
        _remembered[site.db] = (time.monotonic(), found)
        return found

    return read_layout(site.config).map(remember)


def forget_layout(db: Db) -> None:
    """Let this process read the layouts again."""
    _remembered.pop(db, None)


def with_current_shards(site: Site) -> Site:
    """Return the site with the number of shards that queries read. At most one trip."""
    layout = site.db.read(remembered_layout(site))
    return Site(site.db, _with_shards(site.config, layout.current))


def written_configs(context: Context) -> list[Config]:
    """Return the settings for each layout that projections write. At most two trips.

    The first projection records the layout, so that a later change of SEARCH_SHARDS is noticed.
    """
    layout = context.db.read(remembered_layout(context))
    if context.db not in _recorded:
        context.db.run(("HSETNX", keys.search_layout(), "current", layout.current))
        _recorded[context.db] = True
    shards = dict.fromkeys((layout.current, layout.building or layout.current))
    return [_with_shards(context.config, number) for number in shards]


def _with_shards(config: Config, number: int) -> Config:
    """Return the settings with a number of shards: nearly always these, as a copy is slow."""
    return config if number == config.search_shards else replace(config, search_shards=number)


_recorded: WeakKeyDictionary[Db, bool] = WeakKeyDictionary()


def search_state(site: Site) -> tuple[int, bool]:
    """Return the number of shards that is read, and True if a rebuild has not ended. Two trips."""
    layout = site.db.read(read_layout(site.config))
    shards = {layout.current, layout.building or layout.current}
    every = [keys.generation(shard, number) for number in shards for shard in range(number)]
    rows = site.db.trip_all(("HMGET", key, "building", "former") for key in every)
    left = [number for row in rows for number in row if number]
    return layout.current, bool(layout.building or layout.former or left)


def in_each_layout(projection: Projection) -> Projection:
    """Return a projection that writes each layout."""

    @wraps(projection)
    def apply(context: Context, events: Sequence[Event]) -> None:
        for config in written_configs(context):
            projection(replace(context, config=config), events)

    return apply


def slices_in_each_layout(projection: BulkProjection) -> BulkProjection:
    """Return a bulk projection that writes each layout. Its cursor is the same in all of them."""

    @wraps(projection)
    def apply(context: Context, event: Event, cursor: str) -> str | None:
        configs = written_configs(context)
        found = [projection(replace(context, config=one), event, cursor) for one in configs]
        return next((one for one in found if one is not None), None)

    return apply
