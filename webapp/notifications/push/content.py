"""The notifications that a device has not had yet, as its member's page of them shows them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.store import Db, Read, listed_in, read
from webapp.following import keys as following_keys
from webapp.notifications import keys
from webapp.notifications.entries import Entry, group_entries
from webapp.notifications.groups import NotificationGroup, loaded
from webapp.notifications.store import hidden_actors, parse_entries, read_unread
from webapp.statuses import FilterSet, Relationship, filters_of

from .apps import FOLLOWED, FOLLOWERS
from .devices import preferences
from .queue import Push

AHEAD_SECONDS = 300  # as AHEAD_MS of scripts
ENTRIES_MAX = 200  # the newest: more of them are one summary anyway
APP_MESSAGES_MAX = 10  # of one claim: each takes a request, and their lease must last


@dataclass(frozen=True, slots=True)
class Content:
    """A device's content. `newest_us`: the newest notification that was examined, in unix µs."""

    groups: tuple[NotificationGroup, ...]
    newest_us: int
    shows_content: bool
    filter_set: FilterSet


def read_content(db: Db, push: Push) -> Content:
    """Return the unread notifications that a device has not had, the oldest first. Three trips.

    It leaves out what the page of notifications does: muted, blocked and suspended members, and
    hidden or filtered statuses. An app gets each by itself, and needs another trip if it wants only
    those of followers.
    """
    uid = push.uid
    entries, unread, wanted, filters = db.fetch(
        _entries_since(uid, push.seen_us), read_unread(uid), preferences(uid), filters_of(uid)
    )
    newest_us = max([push.seen_us, *(entry.created_us for entry in entries)])
    filter_set = FilterSet(filters, "notifications", uid)
    groups: tuple[NotificationGroup, ...] = ()
    kinds = push.app.kinds if push.app else wanted.kinds
    pushed = [
        entry
        for entry in entries
        if entry.kind.lane == push.lane and entry.kind.name in kinds and entry.text in unread
    ]
    if pushed:
        hidden, relation = hidden_actors(db, uid, {entry.actor for entry in pushed})
        if push.app:
            hidden |= _outside_policy(db, push.app.policy, relation, pushed)
        visible = [entry for entry in pushed if entry.actor not in hidden]
        if push.app and len(visible) > APP_MESSAGES_MAX:
            visible = visible[-APP_MESSAGES_MAX:]
            newest_us = visible[0].created_us
        grouped = [[one] for one in visible] if push.app else group_entries(visible)
        groups = db.read(loaded(relation, grouped, unread)).shown(db)
    groups = tuple(
        group for group in groups if not (group.status and filter_set.hides(group.status))
    )
    return Content(groups[::-1], newest_us, wanted.shows_content, filter_set)


def _outside_policy(
    db: Db, policy: str, relation: Relationship, entries: Sequence[Entry]
) -> set[int]:
    """Return the actors whom an app's policy leaves out. One trip, none unless for followers."""
    actors = sorted({entry.actor for entry in entries} - {relation.viewer})
    if policy == FOLLOWED:
        return {actor for actor in actors if actor not in relation.follows}
    if policy != FOLLOWERS:
        return set()
    followers = db.read(listed_in(following_keys.followers(relation.viewer), actors))
    return set(actors).difference(followers)


def _entries_since(uid: int, seen_us: int) -> Read[list[Entry]]:
    """Read the newest notifications since then, newest first.

    One that a wrong clock has dated ahead waits until then: those before it would count as seen.
    """
    latest = int((time.time() + AHEAD_SECONDS) * 1_000_000)
    command = (
        *("ZRANGE", keys.notifications(uid), latest, f"({seen_us}", "BYSCORE", "REV"),
        *("LIMIT", 0, ENTRIES_MAX, "WITHSCORES"),
    )
    return read(command, parse_entries)
