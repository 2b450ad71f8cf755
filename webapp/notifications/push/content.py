"""The notifications that a device has not had yet, as its member's page of them shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.store.client import Db
from webapp.core.store.reads import Read, read
from webapp.notifications import keys
from webapp.notifications.entries import Entry, group_entries, parse_entry
from webapp.notifications.groups import NotificationGroup, loaded
from webapp.notifications.store import hidden_actors, read_unread
from webapp.statuses.filters.filter_set import FilterSet
from webapp.statuses.filters.store import filters_of

from .devices import PushPreferences, preferences

ENTRIES_MAX = 200  # the newest: more of them are one summary anyway


@dataclass(frozen=True, slots=True)
class Content:
    """A device's content. `newest_us`: the newest notification that was examined, in unix µs."""

    groups: tuple[NotificationGroup, ...]
    newest_us: int
    shows_content: bool
    filter_set: FilterSet


def read_content(db: Db, uid: int, lane: str, seen_us: int) -> Content:
    """Return the unread notifications of a lane since `seen_us`, the oldest first. Three trips.

    As on the page of notifications, those of muted, blocked and suspended members, of hidden
    statuses, and of statuses that a filter hides are left out.
    """
    entries, unread, wanted, filters = db.fetch(
        _entries_since(uid, seen_us), read_unread(uid), preferences(uid), filters_of(uid)
    )
    newest_us = max([seen_us, *(entry.created_us for entry in entries)])
    filter_set = FilterSet(filters, "notifications", uid)
    groups: tuple[NotificationGroup, ...] = ()
    pushed = [entry for entry in entries if _is_for_lane(entry, lane, unread, wanted)]
    if pushed:
        hidden, relation = hidden_actors(db, uid, {entry.actor for entry in pushed})
        visible = group_entries(entry for entry in pushed if entry.actor not in hidden)
        groups = db.read(loaded(relation, visible, unread)).shown(db)
    groups = tuple(
        group for group in groups if not (group.status and filter_set.hides(group.status))
    )
    return Content(groups[::-1], newest_us, wanted.shows_content, filter_set)


def _is_for_lane(entry: Entry, lane: str, unread: set[str], wanted: PushPreferences) -> bool:
    return entry.kind.lane == lane and entry.text in unread and entry.kind.name in wanted.kinds


def _entries_since(uid: int, seen_us: int) -> Read[list[Entry]]:
    """Read the newest notifications since then, newest first."""

    def parse(flat: Sequence[str]) -> list[Entry]:
        return [entry for entry in map(parse_entry, flat[::2], flat[1::2]) if entry]

    command = (
        *("ZRANGE", keys.notifications(uid), "+inf", f"({seen_us}", "BYSCORE", "REV"),
        *("LIMIT", 0, ENTRIES_MAX, "WITHSCORES"),
    )
    return read(command, parse)
