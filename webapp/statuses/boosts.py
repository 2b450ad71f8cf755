"""Boosts: a status of anybody's, shown again by a member. The member's own list is the truth; who boosts a status,
their number and the entries in homes are projected from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

from .. import keys
from ..accounts.store import Member, member_command, member_from
from ..config import Config
from ..db import Command, Db
from ..errors import Forbidden
from ..events import Event, trace
from ..ids import partition_of
from ..paging import below
from ..scripts import script
from .aims import aimed
from .status import Status

BOOST = script("statuses/boost.lua")
UNBOOST = script("statuses/unboost.lua")
ONCE = 40  # entries of a timeline: a boost is left out where so many below it show the same status


class Told(NamedTuple):
    """What lists say of a boost: its id, whose it is, and which status it shows, with that status's author."""

    id: int
    by: int
    status: int
    author: int


@dataclass(frozen=True, slots=True)
class Boost:
    """A boost as pages show it."""

    id: int
    by: Member
    status: Status


# What stands in a timeline.
Item = Status | Boost


def boost(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Boosts a status; again is no change. At BOOSTS_MAX the oldest boost is taken back. Three trips. Raises NotFound;
    Forbidden for a suspended member, where the author is suspended, where one blocks the other, or where not everybody
    may see it; Conflict; Unavailable.
    """
    aim = aimed(db, uid, status_id, "cannot_boost")
    if aim.visibility.limited:  # as is what a protected author wrote
        raise Forbidden("not_for_boosts")
    p = partition_of(uid)
    names = [keys.boosts(uid), keys.acted(uid), keys.outbox(p), keys.user(uid), keys.blocks(uid), keys.blockers(uid)]
    names += [keys.last_id(p), keys.home(uid), keys.active(p)]
    bounds = (config.home_max, config.home_slack)
    db.run(BOOST(names, uid, status_id, aim.author.uid, config.boosts_max, p, config.outbox_max, *trace(), *bounds))


def unboost(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Takes a boost back; again is no change, and so is what is gone. Two trips. Raises Unavailable."""
    author, p = db.run(("HGET", keys.status(status_id), "author")), partition_of(uid)
    if author:  # of what is gone the boosts go by themselves
        names = [keys.boosts(uid), keys.acted(uid), keys.outbox(p), keys.home(uid)]
        db.run(UNBOOST(names, uid, status_id, author, p, config.outbox_max, *trace()))


def member_of(status_id: int, author: int) -> str:
    """How a member's list of boosts names a status."""
    return f"{status_id}:{author}"


def newest_command(uid: int, before: int | None, want: int) -> Command:
    """The command that reads a member's newest boosts; its reply goes to `newest_from`."""
    return ("ZRANGE", keys.boosts(uid), below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, want, "WITHSCORES")


def newest_from(uid: int, reply: Sequence[str]) -> list[Told]:
    """The boosts in a reply to `newest_command`, or in any other part of such a list with its scores."""
    names = (name.split(":") for name in reply[::2])
    return [
        Told(int(at), uid, int(status), int(author)) for (status, author), at in zip(names, reply[1::2], strict=True)
    ]


def entry(told: Told) -> str:
    """How homes name a boost."""
    return f"{told.id}:{told.by}:{told.author}={told.status}"


def told_by(event: Event) -> Told | None:
    """The boost that an event tells of; None where it tells of a status."""
    names = ("id", "uid", "target", "author")
    return Told(*(int(event.data[name]) for name in names)) if "target" in event.data else None


def told_of(entry: str) -> Told | None:
    """The boost that a home's entry names; None where that is a status of its author's own."""
    number, by, *rest = entry.split(":")
    author, boosted, status = rest[0].partition("=") if rest else ("", "", "")
    return Told(int(number), int(by), int(status), int(author)) if boosted else None


class Boosted:
    """Boosts that are to be shown: `commands` to put into the trip that fetches their statuses, which tell whether it
    is still so, and by whom.
    """

    def __init__(self, told: Sequence[Told]) -> None:
        self._told, self._uids = told, sorted({one.by for one in told})
        asking = (("ZSCORE", keys.boosts(one.by), member_of(one.status, one.author)) for one in told)
        self.commands: list[Command] = [*asking, *map(member_command, self._uids)]

    def read(self, replies: Sequence[Any], statuses: Sequence[Status | None]) -> Iterator[Boost | None]:
        """The boosts, with the statuses that they show, in the same order; None for one that is gone or taken back."""
        people = {uid: member_from(uid, one) for uid, one in zip(self._uids, replies[len(self._told) :], strict=True)}
        for told, at, status in zip(self._told, replies, statuses, strict=False):
            by = people[told.by]
            there = status and by and at is not None and int(at) == told.id
            yield Boost(told.id, by, status) if there and by and status else None


def writers(item: Item) -> set[int]:
    """Their uids."""
    return {one.uid for one in people(item)}


def status_of(item: Item) -> Status:
    """The status that it shows."""
    return item.status if isinstance(item, Boost) else item


def once(items: Sequence[Item]) -> list[Item]:
    """What stands in a timeline, newest first, without the boosts of what one of the ONCE entries below them shows."""
    if Boost not in set(map(type, items)):
        return list(items)
    ids = [status_of(item).id for item in items]
    return [
        item
        for at, item in enumerate(items)
        if not isinstance(item, Boost) or item.status.id not in ids[at + 1 : at + 1 + ONCE]
    ]


def people(item: Item) -> tuple[Member, ...]:
    """The members whom what stands in a timeline shows."""
    return (item.by, item.status.author) if isinstance(item, Boost) else (item.author,)


def suspended(item: Item) -> bool:
    """Whether one of them is suspended."""
    return any(one.suspended for one in people(item))


def statuses_of(items: Sequence[Item]) -> list[tuple[int, int]]:
    """The statuses that they show, each with its author."""
    return [(one.id, one.author.uid) for one in map(status_of, items)]


def every(*lists: Sequence[Item]) -> list[Item]:
    """Several lists as one, newest first."""
    return sorted(chain(*lists), key=attrgetter("id"), reverse=True)
