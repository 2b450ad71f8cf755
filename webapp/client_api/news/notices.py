"""A member's notifications one by one, as apps show them, and up to where they were read."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import NamedTuple

import msgspec

from webapp.client_api.entities.account import Account
from webapp.client_api.entities.status import Status
from webapp.client_api.http import Id, PeoplePaging, format_time
from webapp.client_api.presentation import Wanted, present_wanted
from webapp.client_api.status_reads.account_reads import accounts_seen_by
from webapp.core.store import Db, Read, collect, gather
from webapp.core.web import db
from webapp.notifications import keys as notification_keys
from webapp.notifications.entries import DAY_MICROSECONDS, Entry
from webapp.notifications.kinds import CLIENT_TYPES
from webapp.notifications.store import (
    MARK_READ,
    entries_of,
    hidden_actors,
    newer_entries,
    read_hidden_actors,
    read_unread,
)
from webapp.statuses.lookup import Entry as StatusEntry

GROUPED = frozenset({"favourite", "follow", "reblog"})  # types; others are not put together


class Notification(msgspec.Struct, kw_only=True):
    """Something that somebody did. Its id is when it was noted, in unix microseconds."""

    id: str
    type: str
    created_at: str
    account: Account
    status: Status | None
    group_key: str


class NotificationParameters(PeoplePaging):
    """Which notifications are wanted, by type and by who caused them."""

    types: tuple[str, ...] = ()
    exclude_types: tuple[str, ...] = ()
    account_id: Id | None = None

    def includes(self, entry: Entry) -> bool:
        """Return True for a notification of these types and of this member."""
        kind = CLIENT_TYPES[entry.kind.name]
        return (
            (not self.types or kind in self.types)
            and kind not in self.exclude_types
            and self.account_id in (None, entry.actor)
        )


def group_key(entry: Entry, grouped: Collection[str] = GROUPED) -> str:
    """Return the name of the group that a notification is in, by its subject or its day."""
    kind = CLIENT_TYPES[entry.kind.name]
    if kind not in grouped:
        return f"ungrouped-{entry.created_us}"
    return f"{kind}-{entry.subject or entry.created_us // DAY_MICROSECONDS}"


def group(entries: Iterable[Entry], grouped: Collection[str]) -> list[list[Entry]]:
    """Group notifications of some types, newest first."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(group_key(entry, grouped), []).append(entry)
    return list(groups.values())


class News(NamedTuple):
    """Entities, oldest first, and the place of the last one that was looked at.

    That is when a notification was noted, in unix µs, or the id of a conversation's last status.
    """

    entities: Sequence[msgspec.Struct]
    last: int


def visible_notices(db: Db, uid: int) -> list[Entry]:
    """Return a member's notifications that apps show, newest first. Two trips."""
    known = [entry for entry in db.read(entries_of(uid)) if entry.kind.name in CLIENT_TYPES]
    hidden, _ = hidden_actors(db, uid, {entry.actor for entry in known})
    return [entry for entry in known if entry.actor not in hidden]


def unread_notices(db: Db, uid: int) -> list[Entry]:
    """Return those of the notifications above that were not seen yet. Three trips."""
    unread = db.read(read_unread(uid))
    return [entry for entry in visible_notices(db, uid) if entry.text in unread]


def present_notices(noted: Sequence[tuple[int, Sequence[Entry]]]) -> list[list[Notification]]:
    """Return, for each member, notifications whose status, if they have one, may still be seen.

    Six trips at most for all members.
    """
    subjects = [
        {entry: subject for entry in entries if (subject := subject_of(entry, uid))}
        for uid, entries in noted
    ]
    wanted = [
        Wanted(uid, tuple(dict.fromkeys(about.values())), context="notifications", on_request=True)
        for (uid, _), about in zip(noted, subjects, strict=True)
    ]
    statuses = present_wanted(wanted)
    actors = {entry.actor for _, entries in noted for entry in entries}
    accounts = db().read(accounts_seen_by([uid for uid, _ in noted], actors))
    return [
        [
            _entity(entry, shown_accounts[entry.actor], shown)
            for entry in entries
            if entry.actor in shown_accounts and (entry not in about or entry.subject in shown)
        ]
        for (_, entries), about, shown, shown_accounts in zip(
            noted, subjects, statuses, accounts, strict=True
        )
    ]


def news_since(since: Mapping[int, int], count: int) -> dict[int, News]:
    """Return the next `count` notifications of some members after a moment each, in unix µs.

    Eight trips at most for all members.
    """
    store = db()
    found = store.read(collect(newer_entries(uid, last, count) for uid, last in since.items()))
    noted = {uid: entries for uid, entries in zip(since, found, strict=True) if entries}
    actors = {uid: {entry.actor for entry in entries} for uid, entries in noted.items()}
    hidden = store.read(collect(read_hidden_actors(uid, each) for uid, each in actors.items()))
    shown = [
        (
            uid,
            [one for one in entries if one.kind.name in CLIENT_TYPES and one.actor not in left_out],
        )
        for (uid, entries), (left_out, _) in zip(noted.items(), hidden, strict=True)
    ]
    presented = zip(noted.items(), present_notices(shown) if noted else (), strict=True)
    return {uid: News(news, entries[-1].created_us) for (uid, entries), news in presented}


def subject_of(entry: Entry, uid: int) -> StatusEntry | None:
    """Return the status that a notification is about, None for none."""
    author = uid if entry.kind.about_own_status else entry.actor
    return (entry.subject, author) if entry.subject else None


def seen_up_to(uid: int) -> Read[int]:
    """Read the number of the newest notification that was seen, like all before it; 0 for none."""

    def parse(found: tuple[Sequence[Entry], Collection[str]]) -> int:
        entries, unread = found
        known = (entry for entry in reversed(entries) if entry.kind.name in CLIENT_TYPES)
        seen = takewhile(lambda entry: entry.text not in unread, known)
        return max((entry.created_us for entry in seen), default=0)

    return gather(entries_of(uid), read_unread(uid)).map(parse)


def mark_seen(db: Db, uid: int, last: int) -> None:
    """Mark the notifications that apps show as seen, up to a number. Two trips."""
    known = [entry for entry in db.read(entries_of(uid)) if entry.kind.name in CLIENT_TYPES]
    seen = [entry.text for entry in known if entry.created_us <= last]
    if seen:
        db.run(MARK_READ(uid=uid, entries=seen))


def remove(db: Db, uid: int, entries: Sequence[Entry]) -> None:
    """Mark notifications as read, so that open pages update, and remove them. One trip.

    Safe to repeat: what is still listed can be removed again.
    """
    if entries:
        texts = [entry.text for entry in entries]
        db.trip(
            MARK_READ(uid=uid, entries=texts),
            ("ZREM", notification_keys.notifications(uid), *texts),
        )


def noted_at(entry: Entry) -> str:
    """Return when a notification was noted, as clients read it."""
    return format_time(datetime.fromtimestamp(entry.created_us / 1_000_000, UTC))


def _entity(entry: Entry, account: Account, shown: Mapping[int, Status]) -> Notification:
    return Notification(
        id=str(entry.created_us),
        type=CLIENT_TYPES[entry.kind.name],
        created_at=noted_at(entry),
        account=account,
        status=shown.get(entry.subject),
        group_key=group_key(entry),
    )
