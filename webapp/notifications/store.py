"""A member's notifications: reading a page of them, marking them as read, and preferences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from webapp.accounts import keys as account_keys
from webapp.core.store import Command, Db, Read, constant, gather, partition_of, read, script
from webapp.core.store.reads import OptionalCommand
from webapp.core.web import Page, paginate
from webapp.following import keys as following_keys
from webapp.following.mutes.store import is_active
from webapp.following.requests.store import pending_count
from webapp.statuses import Relationship, relationship

from . import keys
from .entries import Entry, group_entries, parse_entry
from .groups import NotificationGroup, loaded
from .kinds import EVERYONE, KINDS

MARK_READ = script("notifications/lua/mark_read.lua")
SET_PREFERENCES = script("notifications/lua/set_preferences.lua")


@dataclass(frozen=True, slots=True)
class NotificationsPage(Page[NotificationGroup]):
    """A page of groups. `unread_count` stay unread, `pending_requests` to follow wait."""

    unread_count: int = 0
    pending_requests: int = 0


def unread_count(uid: int) -> Read[int]:
    """Read how many notifications a member has not seen yet."""
    return read(("SCARD", keys.unread_notifications(uid)), int)


def page(
    db: Db, uid: int, kinds: Collection[str], before: int | None, size: int, mark_shown_read: bool
) -> NotificationsPage:
    """Return a page of a member's notifications of these kinds, newest first. Three trips.

    `before` is the cursor of the page above. With `mark_shown_read` the shown notifications count
    as read. The list is bounded, so it is read as a whole: a group appears on the page of its
    newest part.
    """
    all_entries, unread, requests = db.fetch(entries_of(uid), read_unread(uid), pending_count(uid))
    entries = [entry for entry in all_entries if entry.kind.name in kinds]
    hidden, relation = hidden_actors(db, uid, {entry.actor for entry in entries})
    groups = group_entries(entry for entry in entries if entry.actor not in hidden)
    below = [
        (group[0].created_us, group)
        for group in groups
        if before is None or group[0].created_us < before
    ]
    page = paginate(below, size)
    to_clear = {entry.text for group in page.items for entry in group}
    if before is None:  # hidden ones would stay unread for ever
        to_clear |= {entry.text for entry in entries if entry.actor in hidden}
    newly_read = sorted(to_clear & unread) if mark_shown_read else []
    items = _load_groups(db, relation, page.items, unread, newly_read)
    return NotificationsPage(items, page.next, len(unread) - len(newly_read), requests)


def mark_all(db: Db, uid: int) -> None:
    """Mark all notifications as read. One trip."""
    db.run(MARK_READ(uid=uid))


def preferences(uid: int) -> Read[dict[str, str]]:
    """Read the sources from which a member wants notifications, by kind."""

    def parse(stored: Sequence[str | None]) -> dict[str, str]:
        return {kind: choice or EVERYONE for kind, choice in zip(KINDS, stored, strict=True)}

    return read(("HMGET", account_keys.user(uid), *(f"notify:{kind}" for kind in KINDS)), parse)


def set_preferences(db: Db, uid: int, values: Mapping[str, str]) -> None:
    """Set a member's wanted sources of notifications, by kind. One trip. Raises NotFound."""
    db.run(set_preferences_command(uid, source_fields(values)))


def source_fields(values: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a member's hash for the wanted sources, by kind."""
    return {
        f"notify:{kind}": "" if choice == EVERYONE else choice for kind, choice in values.items()
    }


def set_preferences_command(uid: int, fields: Mapping[str, str]) -> Command:
    """Return the command that sets fields of a member's hash, "" for the default."""
    flat = [text for field in fields.items() for text in field]
    return SET_PREFERENCES(uid=uid, preferences=flat)


def hidden_actors(db: Db, uid: int, actors: Collection[int]) -> tuple[set[int], Relationship]:
    """Return the result of `read_hidden_actors`. One trip."""
    return db.read(read_hidden_actors(uid, actors))


def read_hidden_actors(uid: int, actors: Collection[int]) -> Read[tuple[set[int], Relationship]]:
    """Read the actors whose notifications the member is not shown.

    They are suspended, muted or not visible. The result has the member's relationship with all too.
    """

    def parse(found: tuple[set[int], Relationship]) -> tuple[set[int], Relationship]:
        hidden, relation = found
        unseen = {actor for actor in actors if not relation.visible_on_request(actor)}
        return hidden | unseen, relation

    return gather(_muted_or_suspended(uid, actors), relationship(uid, actors)).map(parse)


def newer_entries(uid: int, than_us: int, count: int) -> Read[list[Entry]]:
    """Read a member's next notifications after one, by when it was noted, oldest first."""
    key, bound = keys.notifications(uid), f"({than_us}"
    page = ("BYSCORE", "LIMIT", 0, count, "WITHSCORES")
    return read(("ZRANGE", key, bound, "+inf", *page), parse_entries)


def entries_of(uid: int) -> Read[list[Entry]]:
    """Read a member's notifications, newest first."""
    return read(("ZRANGE", keys.notifications(uid), 0, -1, "REV", "WITHSCORES"), parse_entries)


def newest_us(uid: int) -> Read[int]:
    """Read when a member's newest notification was noted, in unix µs; 0 without one."""
    newest = ("ZRANGE", keys.notifications(uid), 0, 0, "REV", "WITHSCORES")
    return read(newest, lambda flat: int(flat[1]) if flat else 0)


def read_unread(uid: int) -> Read[set[str]]:
    """Read the entries that a member has not seen."""
    return read(("SMEMBERS", keys.unread_notifications(uid)), set)


def parse_entries(flat: Sequence[str]) -> list[Entry]:
    """Return the entries of a reply with scores."""
    return [entry for entry in map(parse_entry, flat[::2], flat[1::2]) if entry]


def _muted_or_suspended(uid: int, actors: Collection[int]) -> Read[set[int]]:
    """Read which actors are suspended, or muted with their notifications."""
    if not actors:
        return constant(set())
    others = sorted(actors)

    def parse(found: tuple[Sequence[int], Sequence[str | None]]) -> set[int]:
        rows = zip(others, *found, strict=True)
        return {
            other for other, suspended, until in rows if suspended or (until and is_active(until))
        }

    suspended = read(
        ("SMISMEMBER", account_keys.suspended_members(partition_of(uid)), *others), list
    )
    muted_until = read(("ZMSCORE", following_keys.muted_notifications(uid), *others), list)
    return gather(suspended, muted_until).map(parse)


def _load_groups(
    db: Db,
    relation: Relationship,
    groups: Sequence[Sequence[Entry]],
    unread: set[str],
    newly_read: Sequence[str],
) -> tuple[NotificationGroup, ...]:
    """Return the groups that are shown, and mark entries as read in the same trip."""
    uid = relation.viewer
    mark: Read[object] = constant(None)
    if newly_read:
        command = MARK_READ(uid=uid, entries=newly_read)
        mark = read(OptionalCommand(command), lambda count: count)
    found, _ = db.fetch(loaded(relation, groups, unread), mark)
    return found.shown(db)
