"""What a member was told: read in groups, marked as read, and chosen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member, member_command, member_from
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command, Read, read
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, paginate
from webapp.following import keys as following_keys
from webapp.following.mutes.store import is_active
from webapp.following.requests.store import pending_count_command
from webapp.statuses.status import Status, status_command, status_from
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship_commands, relationship_from

from . import keys
from .chats import ChatMention, chat_mention_commands, chat_mention_from
from .kinds import EVERYONE, KINDS, Kind

MARK_READ = script("notifications/lua/mark_read.lua")
SET_PREFERENCES = script("notifications/lua/set_preferences.lua")
GROUP_MEMBERS_SHOWN = 8  # members of a group who are shown
DAY_MICROSECONDS = 86_400_000_000  # µs


class Entry(NamedTuple):
    """One notification. `at`: when it was told, unix µs; `subject`: the id of the status it is about, or 0;
    `message`: which one of which chat, as `chat.message`, or nothing.
    """

    text: str
    kind: Kind
    actor: int
    subject: int
    chat_message: str
    created_us: int


@dataclass(frozen=True, slots=True)
class NotificationGroup:
    """What several members did alike: with one status, or on one day (UTC). `people`: the newest of them, `count`: all;
    `status`: the one it is about, if any; `heard`: the message of a chat; `at`: when the newest was told; `new`:
    something of it was not shown yet.
    """

    kind: Kind
    members: tuple[Member, ...]
    count: int
    status: Status | None
    chat_mention: ChatMention | None
    latest_at: datetime
    has_unread: bool


@dataclass(frozen=True, slots=True)
class NotificationsPage(Page[NotificationGroup]):
    """A page of groups; `left`: how much is still unread once it was shown; `requests`: how many ask to follow."""

    unread_count: int = 0
    pending_requests: int = 0


def unread_count(uid: int) -> Read[int]:
    """Read how many notifications a member has not seen yet."""
    return read(("SCARD", keys.unread_notifications(uid)), int)


def page(
    db: Db, uid: int, kinds: Collection[str], before: int | None, size: int, mark_shown_read: bool
) -> NotificationsPage:
    """A page of what a member was told of these kinds, the newest first; `before`: the last page's cursor. `seen`: it
    is shown to them, and so marked as read. Three trips. A list is bounded, so it is read as a whole: a group is one
    wherever in the list its parts are, and on no page but that of its newest part.
    """
    range_command = (
        "ZRANGE",
        keys.notifications(uid),
        "+inf",
        "-inf",
        "BYSCORE",
        "REV",
        "WITHSCORES",
    )
    range_reply, unread, pending_requests = db.trip(
        range_command, ("SMEMBERS", keys.unread_notifications(uid)), pending_count_command(uid)
    )
    entries = [
        entry
        for entry in map(_parse_entry, range_reply[::2], range_reply[1::2])
        if entry and entry.kind.name in kinds
    ]
    hidden_uids, relationship = _hidden_and_relationship(
        db, uid, {entry.actor for entry in entries}
    )
    groups = _group_entries(entry for entry in entries if entry.actor not in hidden_uids)
    groups_page = paginate(
        [
            (group[0].created_us, group)
            for group in groups
            if before is None or group[0].created_us < before
        ],
        size,
    )
    # What is hidden now must not be counted as unread for ever.
    texts_to_clear = {entry.text for group in groups_page.items for entry in group}
    texts_to_clear |= (
        {entry.text for entry in entries if entry.actor in hidden_uids} if before is None else set()
    )
    newly_read = sorted(texts_to_clear & set(unread)) if mark_shown_read else []
    items = _hydrate_groups(db, relationship, groups_page.items, set(unread), newly_read)
    return NotificationsPage(
        items, groups_page.next, len(unread) - len(newly_read), pending_requests
    )


def mark_all(db: Db, uid: int) -> None:
    """Marks all notifications as read."""
    db.run(MARK_READ(unread=keys.unread_notifications(uid), uid=uid))


def preferences(db: Db, uid: int) -> dict[str, str]:
    """From whom a member wants to hear of each kind."""
    stored = db.run(("HMGET", account_keys.user(uid), *(f"notify:{kind}" for kind in KINDS)))
    return {kind: choice or EVERYONE for kind, choice in zip(KINDS, stored, strict=True)}


def set_preferences(db: Db, uid: int, values: Mapping[str, str]) -> None:
    """Chooses that. It holds for what is told from now on. Raises NotFound."""
    pairs = [
        part
        for kind, choice in values.items()
        for part in (kind, "" if choice == EVERYONE else choice)
    ]
    db.run(SET_PREFERENCES(user=account_keys.user(uid), uid=uid, preferences=pairs))


def _parse_entry(text: str, created_us: str) -> Entry | None:
    name, actor, subject = text.split(":", 2)
    kind = KINDS.get(name)  # none where a later version wrote it
    status_id, chat_message = (0, subject) if "." in subject else (int(subject), "")
    return Entry(text, kind, int(actor), status_id, chat_message, int(created_us)) if kind else None


def _group_entries(entries: Iterable[Entry]) -> list[list[Entry]]:
    """The groups, each with its newest first, by their newest."""
    groups: dict[tuple[str, int | str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault(
            (
                entry.kind.name,
                entry.subject or entry.chat_message or -(entry.created_us // DAY_MICROSECONDS),
            ),
            [],
        ).append(entry)
    return list(groups.values())


def _hidden_and_relationship(
    db: Db, uid: int, uids: Collection[int]
) -> tuple[set[int], Relationship]:
    """Of whom the member hears nothing now: who is suspended, whom they block or who blocks them, and of the muted
    those whose notifications they do not want either; and what is between the member and all of them.
    """
    sorted_uids = sorted(uids)
    if not sorted_uids:
        return set(), Relationship(uid)
    suspended, muted_until, *relationship_replies = db.trip(
        ("SMISMEMBER", account_keys.suspended_members(partition_of(uid)), *sorted_uids),
        ("ZMSCORE", following_keys.muted_notifications(uid), *sorted_uids),
        *relationship_commands(uid, sorted_uids),
    )
    relationship = relationship_from(uid, sorted_uids, relationship_replies)
    rows = zip(sorted_uids, suspended, muted_until, strict=True)
    hidden_uids = {
        one
        for one, gone, until in rows
        if gone or (until and is_active(until)) or not relationship.visible_on_request(one)
    }
    return hidden_uids, relationship


def _hydrate_groups(
    db: Db,
    relationship: Relationship,
    groups: Sequence[Sequence[Entry]],
    unread: set[str],
    newly_read: Sequence[str],
) -> tuple[NotificationGroup, ...]:
    """The groups with members and statuses, without those of which nothing is left; and in the same trip the marks."""
    uid = relationship.viewer
    status_ids = sorted({group[0].subject for group in groups if group[0].subject})
    uids = sorted(
        {uid, *(entry.actor for group in groups for entry in group[:GROUP_MEMBERS_SHOWN])}
    )
    messages = [group[0].chat_message for group in groups if group[0].chat_message]
    commands: list[Command] = [*map(status_command, status_ids), *map(member_command, uids)]
    commands += [command for message in messages for command in chat_mention_commands(uid, message)]
    if newly_read:
        commands.append(
            MARK_READ(unread=keys.unread_notifications(uid), uid=uid, entries=newly_read)
        )
    replies = db.trip(*commands) if groups or newly_read else []
    members = {
        one: member_from(one, reply)
        for one, reply in zip(uids, replies[len(status_ids) :], strict=False)
    }
    status_fields: dict[int, Any] = dict(zip(status_ids, replies, strict=False))
    mention_replies = replies[len(status_ids) + len(uids) :]
    chat_mentions = {
        message: chat_mention_from(message, mention_replies[3 * at : 3 * at + 3])
        for at, message in enumerate(messages)
    }
    hydrated = (
        _build_group(group, relationship, members, status_fields, chat_mentions, unread)
        for group in groups
    )
    return tuple(group for group in hydrated if group)


def _build_group(
    entries: Sequence[Entry],
    relationship: Relationship,
    members: Mapping[int, Member | None],
    status_fields: Mapping[int, Any],
    chat_mentions: Mapping[str, ChatMention | None],
    unread: set[str],
) -> NotificationGroup | None:
    newest = entries[0]
    shown_actors = [members[entry.actor] for entry in entries[:GROUP_MEMBERS_SHOWN]]
    active_actors = tuple(member for member in shown_actors if member and not member.suspended)
    status = None
    if newest.subject:
        author = members[relationship.viewer if newest.kind.about_own_status else newest.actor]
        status = status_from(newest.subject, author, status_fields[newest.subject])
    chat_mention = chat_mentions.get(newest.chat_message)
    if (
        not active_actors
        or (newest.subject and not (status and relationship.may_see_status(status)))
        or (newest.chat_message and not chat_mention)
    ):
        return None
    count = len(entries) - len(shown_actors) + len(active_actors) if len(active_actors) > 1 else 1
    has_unread = any(entry.text in unread for entry in entries)
    return NotificationGroup(
        newest.kind,
        active_actors,
        count,
        status,
        chat_mention,
        datetime.fromtimestamp(newest.created_us / 1_000_000, UTC),
        has_unread,
    )
