"""Timelines of what everybody writes: the public one and those of hashtags. They are shared, so that who is hidden from
their reader is told apart when they are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webapp.config import Config
from webapp.core.events.outbox import NEWEST_LOG_ENTRY, log_position
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.core.web.pagination import max_bound, overfetch
from webapp.statuses.interactions.boosts import Item
from webapp.statuses.status import Status
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.visibility import Visibility

from . import hydration
from .tags.store import author_of, id_of
from .timeline import Timeline, timeline_page, with_cards


def page_command(key: str, config: Config, before: int | None) -> Command:
    """The command that reads the entries that are looked at for a page."""
    return (
        "ZRANGE",
        key,
        max_bound(before),
        "-inf",
        "BYSCORE",
        "REV",
        "LIMIT",
        0,
        overfetch(config.page_size),
    )


def page(
    db: Db,
    config: Config,
    key: str,
    before: int | None,
    viewer: int | None,
    replies: Sequence[Any] | None,
) -> Timeline[Status]:
    """A page, newest first. Of more entries than it takes it is asked whether their authors are hidden; where a member
    is not shown all of the first, what else they may be shown is fetched. For visitors, of whom the first has two trips
    more to make, twice as many are fetched at once, as some may be gone.
    """
    size = config.page_size
    newest, entries = replies or db.trip(NEWEST_LOG_ENTRY, page_command(key, config, before))
    unread_cursor = (
        id_of(entries[-1]) if len(entries) == overfetch(size) else None
    )  # of which nothing is known
    authors = set(map(author_of, entries))
    candidates = entries[: size + 1 if viewer else 2 * (size + 1)]
    items, viewer_state, relationship, _ = hydration.hydrate(
        db, config, viewer, candidates, authors
    )
    visible, deleted = _visible(relationship, items), _deleted_entries(candidates, items)
    next_cursor = unread_cursor if len(entries) == len(candidates) else id_of(candidates[-1])
    if viewer and len(visible) <= size and len(entries) > len(candidates):
        non_public_authors = {
            one.author.uid for one in items if isinstance(one, Status) and not _is_public(one)
        }
        remaining = [
            entry
            for entry in entries
            if entry not in deleted and author_of(entry) not in non_public_authors
        ]
        remaining = [
            entry for entry in remaining if relationship.visible_in_timelines(author_of(entry))
        ]
        candidates = remaining[: 2 * size]
        items, viewer_state, relationship, _ = hydration.hydrate(db, config, viewer, candidates)
        visible, next_cursor = (
            _visible(relationship, items),
            unread_cursor if len(remaining) == len(candidates) else id_of(candidates[-1]),
        )
        deleted += _deleted_entries(candidates, items)
    cleanup: list[Command] = [("ZREM", key, *deleted)] if deleted else []
    return with_cards(
        db,
        viewer,
        timeline_page(visible, size, log_position(newest), viewer_state, next_cursor),
        cleanup,
    )


def _visible(relationship: Relationship, items: Sequence[Item | None]) -> list[Status]:
    statuses = [
        one for one in items if isinstance(one, Status)
    ]  # nobody boosts into these timelines
    return [
        one
        for one in statuses
        if _is_public(one) and relationship.visible_in_timelines(one.author.uid)
    ]


def _is_public(status: Status) -> bool:
    return not status.author.suspended and status.visibility is Visibility.PUBLIC


def _deleted_entries(entries: Sequence[str], items: Sequence[Item | None]) -> list[str]:
    return [entry for entry, one in zip(entries, items, strict=True) if one is None]
