"""A member's notifications one by one, as apps show them, and up to where they were read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from webapp.core.store.client import Db
from webapp.core.store.reads import Read, read
from webapp.notifications import keys as notification_keys
from webapp.notifications.entries import DAY_MICROSECONDS, Entry
from webapp.notifications.kinds import CLIENT_TYPES
from webapp.notifications.store import MARK_READ, entries_of, hidden_actors, read_unread
from webapp.statuses.lookup import Entry as StatusEntry
from webapp.timelines import keys as timeline_keys

from .http.parameters import Id, Paging

T = TypeVar("T")

TYPES = CLIENT_TYPES
GROUPED = frozenset({"favourite", "follow", "reblog"})  # types; others are not put together


class NotificationParameters(Paging):
    """Which notifications are wanted, by type and by who caused them."""

    limit: int = 40
    types: tuple[str, ...] = ()
    exclude_types: tuple[str, ...] = ()
    account_id: Id | None = None

    @property
    def size(self) -> int:
        """Return how many entries the page has at most."""
        return max(1, min(self.limit, 80))

    def includes(self, entry: Entry) -> bool:
        """Return True for a notification of these types and of this member."""
        kind = TYPES[entry.kind.name]
        return (
            (not self.types or kind in self.types)
            and kind not in self.exclude_types
            and self.account_id in (None, entry.actor)
        )

    def page(self, found: Sequence[T], place: Callable[[T], int]) -> tuple[list[T], bool]:
        """Return those on the page of what was found, newest first, and whether more follow.

        `place`: the cursor of one.
        """
        floor, ceiling = self.floor or 0, self.max_id
        kept = [
            one for one in found if floor < place(one) and (not ceiling or place(one) < ceiling)
        ]
        if self.min_id is not None:
            kept = kept[-self.size :]
        return kept[: self.size], len(kept) > self.size


def group_key(entry: Entry, grouped: Collection[str] = GROUPED) -> str:
    """Return the name of the group that a notification is in, by its subject or its day."""
    kind = TYPES[entry.kind.name]
    if kind not in grouped:
        return f"ungrouped-{entry.created_us}"
    return f"{kind}-{entry.subject or entry.created_us // DAY_MICROSECONDS}"


def group(entries: Iterable[Entry], grouped: Collection[str] = GROUPED) -> list[list[Entry]]:
    """Group notifications of some types, newest first."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(group_key(entry, grouped), []).append(entry)
    return list(groups.values())


def visible_notices(db: Db, uid: int) -> list[Entry]:
    """Return a member's notifications that apps show, newest first. Two trips."""
    known = [entry for entry in db.read(entries_of(uid)) if entry.kind.name in TYPES]
    hidden, _ = hidden_actors(db, uid, {entry.actor for entry in known})
    return [entry for entry in known if entry.actor not in hidden]


def unread_notices(db: Db, uid: int) -> list[Entry]:
    """Return those of the notifications above that were not seen yet. Three trips."""
    unread = db.read(read_unread(uid))
    return [entry for entry in visible_notices(db, uid) if entry.text in unread]


def subject_of(entry: Entry, uid: int) -> StatusEntry | None:
    """Return the status that a notification is about, None for none."""
    author = uid if entry.kind.about_own_status else entry.actor
    return (entry.subject, author) if entry.subject else None


def mark_seen(db: Db, uid: int, last: int) -> None:
    """Mark the notifications that apps show as seen, up to a number. Two trips."""
    known = [entry for entry in db.read(entries_of(uid)) if entry.kind.name in TYPES]
    seen = [entry.text for entry in known if entry.created_us <= last]
    if seen:
        db.run(MARK_READ(uid=uid, entries=seen))


def remove(db: Db, uid: int, entries: Sequence[Entry]) -> None:
    """Remove notifications. Safe to repeat. One trip."""
    if entries:
        texts = [entry.text for entry in entries]
        db.trip(
            ("ZREM", notification_keys.notifications(uid), *texts),
            ("SREM", notification_keys.unread_notifications(uid), *texts),
        )


def markers(uid: int) -> Read[dict[str, int]]:
    """Read up to where a member has read, by timeline."""
    return read(("ZRANGE", timeline_keys.markers(uid), 0, -1, "WITHSCORES"), _parse_markers)


def mark(db: Db, uid: int, marks: dict[str, int]) -> None:
    """Note up to where a member has read some timelines. A mark never goes back. One trip."""
    entries = [part for name, last in marks.items() for part in (last, name)]
    if entries:
        db.run(("ZADD", timeline_keys.markers(uid), "GT", *entries))


def _parse_markers(flat: Sequence[str]) -> dict[str, int]:
    return {name: int(last) for name, last in zip(flat[::2], flat[1::2], strict=True)}
