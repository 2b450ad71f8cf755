"""What a member was told: read in groups, marked as read, and chosen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from .. import keys
from ..accounts.store import Member, member_command, member_from
from ..db import Command, Db
from ..following.mutes import lasts
from ..following.requests import count_command
from ..ids import partition_of
from ..paging import Page, cut
from ..scripts import script
from ..statuses.seeing import Between, between_commands, between_from
from ..statuses.status import Status, status_command, status_from
from .chats import Heard, heard_commands, heard_from
from .kinds import EVERYONE, KINDS, Kind

SEE = script("notifications/see.lua")
CHOOSE = script("notifications/choose.lua")
FACES = 8  # members of a group who are shown
DAY = 86_400_000_000  # µs


class Entry(NamedTuple):
    """One notification. `at`: when it was told, unix µs; `subject`: the id of the status it is about, or 0;
    `message`: which one of which chat, as `chat.message`, or nothing.
    """

    text: str
    kind: Kind
    by: int
    subject: int
    message: str
    at: int


@dataclass(frozen=True, slots=True)
class Group:
    """What several members did alike: with one status, or on one day (UTC). `people`: the newest of them, `count`: all;
    `status`: the one it is about, if any; `heard`: the message of a chat; `at`: when the newest was told; `new`:
    something of it was not shown yet.
    """

    kind: Kind
    people: tuple[Member, ...]
    count: int
    status: Status | None
    heard: Heard | None
    at: datetime
    new: bool


@dataclass(frozen=True, slots=True)
class Notifications(Page[Group]):
    """A page of groups; `left`: how much is still unread once it was shown; `requests`: how many ask to follow."""

    left: int = 0
    requests: int = 0


def unread_command(uid: int) -> Command:
    """The command whose reply is how many notifications a member was not shown yet."""
    return ("SCARD", keys.unread(uid))


def listed(db: Db, uid: int, kinds: Collection[str], before: int | None, size: int, seen: bool) -> Notifications:
    """A page of what a member was told of these kinds, the newest first; `before`: the last page's cursor. `seen`: it
    is shown to them, and so marked as read. Three trips. A list is bounded, so it is read as a whole: a group is one
    wherever in the list its parts are, and on no page but that of its newest part.
    """
    newest = ("ZRANGE", keys.notifications(uid), "+inf", "-inf", "BYSCORE", "REV", "WITHSCORES")
    flat, unread, asking = db.trip(newest, ("SMEMBERS", keys.unread(uid)), count_command(uid))
    entries = [entry for entry in map(_entry, flat[::2], flat[1::2]) if entry and entry.kind.name in kinds]
    hidden, between = _between(db, uid, {entry.by for entry in entries})
    groups = _grouped(entry for entry in entries if entry.by not in hidden)
    page = cut([(group[0].at, group) for group in groups if before is None or group[0].at < before], size)
    # What is hidden now must not be counted as unread for ever.
    passing = {entry.text for group in page.items for entry in group}
    passing |= {entry.text for entry in entries if entry.by in hidden} if before is None else set()
    marked = sorted(passing & set(unread)) if seen else []
    items = _hydrated(db, between, page.items, set(unread), marked)
    return Notifications(items, page.next, len(unread) - len(marked), asking)


def mark_all(db: Db, uid: int) -> None:
    """Marks all notifications as read."""
    db.run(SEE([keys.unread(uid)], uid))


def choices(db: Db, uid: int) -> dict[str, str]:
    """From whom a member wants to hear of each kind."""
    found = db.run(("HMGET", keys.user(uid), *(f"notify:{kind}" for kind in KINDS)))
    return {kind: choice or EVERYONE for kind, choice in zip(KINDS, found, strict=True)}


def choose(db: Db, uid: int, chosen: Mapping[str, str]) -> None:
    """Chooses that. It holds for what is told from now on. Raises NotFound."""
    pairs = [part for kind, choice in chosen.items() for part in (kind, "" if choice == EVERYONE else choice)]
    db.run(CHOOSE([keys.user(uid)], uid, *pairs))


def _entry(text: str, at: str) -> Entry | None:
    name, by, subject = text.split(":", 2)
    kind = KINDS.get(name)  # none where a later version wrote it
    status, message = (0, subject) if "." in subject else (int(subject), "")
    return Entry(text, kind, int(by), status, message, int(at)) if kind else None


def _grouped(entries: Iterable[Entry]) -> list[list[Entry]]:
    """The groups, each with its newest first, by their newest."""
    groups: dict[tuple[str, int | str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.kind.name, entry.subject or entry.message or -(entry.at // DAY)), []).append(entry)
    return list(groups.values())


def _between(db: Db, uid: int, others: Collection[int]) -> tuple[set[int], Between]:
    """Of whom the member hears nothing now: who is suspended, whom they block or who blocks them, and of the muted
    those whose notifications they do not want either; and what is between the member and all of them.
    """
    asked = sorted(others)
    if not asked:
        return set(), Between(uid)
    suspended, hushed, *around = db.trip(
        ("SMISMEMBER", keys.suspended(partition_of(uid)), *asked),
        ("ZMSCORE", keys.hushed(uid), *asked),
        *between_commands(uid, asked),
    )
    between = between_from(uid, asked, around)
    told = zip(asked, suspended, hushed, strict=True)
    hidden = {one for one, gone, until in told if gone or (until and lasts(until)) or not between.asked(one)}
    return hidden, between


def _hydrated(
    db: Db, between: Between, groups: Sequence[Sequence[Entry]], unread: set[str], marked: Sequence[str]
) -> tuple[Group, ...]:
    """The groups with members and statuses, without those of which nothing is left; and in the same trip the marks."""
    uid = between.viewer
    ids = sorted({group[0].subject for group in groups if group[0].subject})
    uids = sorted({uid, *(entry.by for group in groups for entry in group[:FACES])})
    messages = [group[0].message for group in groups if group[0].message]
    commands: list[Command] = [*map(status_command, ids), *map(member_command, uids)]
    commands += [command for message in messages for command in heard_commands(uid, message)]
    if marked:
        commands.append(SEE([keys.unread(uid)], uid, *marked))
    replies = db.trip(*commands) if groups or marked else []
    people = {one: member_from(one, reply) for one, reply in zip(uids, replies[len(ids) :], strict=False)}
    fields: dict[int, Any] = dict(zip(ids, replies, strict=False))
    told = replies[len(ids) + len(uids) :]
    heard = {message: heard_from(message, told[3 * at : 3 * at + 3]) for at, message in enumerate(messages)}
    found = (_group(group, between, people, fields, heard, unread) for group in groups)
    return tuple(group for group in found if group)


def _group(
    entries: Sequence[Entry],
    between: Between,
    people: Mapping[int, Member | None],
    fields: Mapping[int, Any],
    heard: Mapping[str, Heard | None],
    unread: set[str],
) -> Group | None:
    newest = entries[0]
    asked = [people[entry.by] for entry in entries[:FACES]]
    shown = tuple(member for member in asked if member and not member.suspended)
    status = None
    if newest.subject:
        author = people[between.viewer if newest.kind.own else newest.by]
        status = status_from(newest.subject, author, fields[newest.subject])
    message = heard.get(newest.message)
    if not shown or (newest.subject and not (status and between.sees(status))) or (newest.message and not message):
        return None
    count = len(entries) - len(asked) + len(shown) if len(shown) > 1 else 1
    new = any(entry.text in unread for entry in entries)
    return Group(newest.kind, shown, count, status, message, datetime.fromtimestamp(newest.at / 1_000_000, UTC), new)
