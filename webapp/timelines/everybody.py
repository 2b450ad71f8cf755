"""Timelines of what everybody writes: the public one and those of hashtags. They are shared, so that who is hidden from
their reader is told apart when they are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..config import Config
from ..db import Command, Db
from ..events import NEWEST, position_of
from ..paging import below, looked_at
from ..statuses.boosts import Item
from ..statuses.seeing import Between
from ..statuses.status import Status
from ..statuses.visibility import Visibility
from . import reading
from .tags import author_of, id_of
from .timeline import Timeline, timeline, with_cards


def page_command(key: str, config: Config, before: int | None) -> Command:
    """The command that reads the entries that are looked at for a page."""
    return ("ZRANGE", key, below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, looked_at(config.page_size))


def page(
    db: Db, config: Config, key: str, before: int | None, viewer: int | None, read: Sequence[Any] | None
) -> Timeline[Status]:
    """A page, newest first. Of more entries than it takes it is asked whether their authors are hidden; where a member
    is not shown all of the first, what else they may be shown is fetched. For visitors, of whom the first has two trips
    more to make, twice as many are fetched at once, as some may be gone.
    """
    size = config.page_size
    newest, entries = read or db.trip(NEWEST, page_command(key, config, before))
    rest = id_of(entries[-1]) if len(entries) == looked_at(size) else None  # of which nothing is known
    authors = set(map(author_of, entries))
    there = entries[: size + 1 if viewer else 2 * (size + 1)]
    items, acts, between, _ = reading.fetch(db, config, viewer, there, authors)
    found, gone = _shown(between, items), _gone(there, items)
    floor = rest if len(entries) == len(there) else id_of(there[-1])
    if viewer and len(found) <= size and len(entries) > len(there):
        out = {one.author.uid for one in items if isinstance(one, Status) and not _is_open(one)}
        left = [entry for entry in entries if entry not in gone and author_of(entry) not in out]
        left = [entry for entry in left if between.unasked(author_of(entry))]
        there = left[: 2 * size]
        items, acts, between, _ = reading.fetch(db, config, viewer, there)
        found, floor = _shown(between, items), rest if len(left) == len(there) else id_of(there[-1])
        gone += _gone(there, items)
    clean: list[Command] = [("ZREM", key, *gone)] if gone else []
    return with_cards(db, viewer, timeline(found, size, position_of(newest), acts, floor), clean)


def _shown(between: Between, items: Sequence[Item | None]) -> list[Status]:
    statuses = [one for one in items if isinstance(one, Status)]  # nobody boosts into these timelines
    return [one for one in statuses if _is_open(one) and between.unasked(one.author.uid)]


def _is_open(status: Status) -> bool:
    return not status.author.suspended and status.visibility is Visibility.PUBLIC


def _gone(entries: Sequence[str], items: Sequence[Item | None]) -> list[str]:
    return [entry for entry, one in zip(entries, items, strict=True) if one is None]
