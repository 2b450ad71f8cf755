"""Boosts: a status of anybody's, shown again by a member. The member's own list is the truth; who boosts a status,
their number and the entries in homes are projected from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member, member_command, member_from
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Event, request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.web.pagination import max_bound
from webapp.errors import Forbidden
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.status import Status
from webapp.statuses.visibility.targets import load_target
from webapp.timelines import keys as timeline_keys

from . import keys

BOOST = script("statuses/interactions/lua/boost.lua")
UNBOOST = script("statuses/interactions/lua/unboost.lua")
BOOST_DEDUPE_WINDOW = (
    40  # entries of a timeline: a boost is left out where so many below it show the same status
)


class BoostRef(NamedTuple):
    """What lists say of a boost: its id, whose it is, and which status it shows, with that status's author."""

    id: int
    booster_uid: int
    status_id: int
    author_uid: int


@dataclass(frozen=True, slots=True)
class Boost:
    """A boost as pages show it."""

    id: int
    booster: Member
    status: Status


# What stands in a timeline.
Item = Status | Boost


def boost(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Boosts a status; again is no change. At BOOSTS_MAX the oldest boost is taken back. Three trips. Raises NotFound;
    Forbidden for a suspended member, where the author is suspended, where one blocks the other, or where not everybody
    may see it; Conflict; Unavailable.
    """
    target = load_target(db, uid, status_id, "cannot_boost")
    if target.visibility.restricted:  # as is what a protected author wrote
        raise Forbidden("not_for_boosts")
    p = partition_of(uid)
    names = [
        keys.member_boosts(uid),
        keys.recent_interactions(uid),
        event_keys.outbox(p),
        account_keys.user(uid),
        following_keys.blocks(uid),
        following_keys.blockers(uid),
    ]
    names += [
        status_keys.last_status_id(p),
        timeline_keys.home(uid),
        timeline_keys.active_members(p),
    ]
    bounds = (config.home_max, config.home_slack)
    db.run(
        BOOST(
            names,
            uid,
            status_id,
            target.author.uid,
            config.boosts_max,
            p,
            config.outbox_max,
            *request_id_args(),
            *bounds,
        )
    )


def unboost(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Takes a boost back; again is no change, and so is what is gone. Two trips. Raises Unavailable."""
    author, p = db.run(("HGET", status_keys.status(status_id), "author")), partition_of(uid)
    if author:  # of what is gone the boosts go by themselves
        names = [
            keys.member_boosts(uid),
            keys.recent_interactions(uid),
            event_keys.outbox(p),
            timeline_keys.home(uid),
        ]
        db.run(UNBOOST(names, uid, status_id, author, p, config.outbox_max, *request_id_args()))


def zset_member(status_id: int, author: int) -> str:
    """How a member's list of boosts names a status."""
    return f"{status_id}:{author}"


def newest_boosts_command(uid: int, before: int | None, limit: int) -> Command:
    """The command that reads a member's newest boosts; its reply goes to `newest_from`."""
    return (
        "ZRANGE",
        keys.member_boosts(uid),
        max_bound(before),
        "-inf",
        "BYSCORE",
        "REV",
        "LIMIT",
        0,
        limit,
        "WITHSCORES",
    )


def newest_boosts_from(uid: int, reply: Sequence[str]) -> list[BoostRef]:
    """The boosts in a reply to `newest_command`, or in any other part of such a list with its scores."""
    members = (name.split(":") for name in reply[::2])
    return [
        BoostRef(int(at), uid, int(status), int(author))
        for (status, author), at in zip(members, reply[1::2], strict=True)
    ]


def format_entry(ref: BoostRef) -> str:
    """How homes name a boost."""
    return f"{ref.id}:{ref.booster_uid}:{ref.author_uid}={ref.status_id}"


def ref_from_event(event: Event) -> BoostRef | None:
    """The boost that an event tells of; None where it tells of a status."""
    field_names = ("id", "uid", "target", "author")
    return (
        BoostRef(*(int(event.data[name]) for name in field_names))
        if "target" in event.data
        else None
    )


def ref_from_entry(entry: str) -> BoostRef | None:
    """The boost that a home's entry names; None where that is a status of its author's own."""
    boost_id, booster, *rest = entry.split(":")
    author, separator, status = rest[0].partition("=") if rest else ("", "", "")
    return BoostRef(int(boost_id), int(booster), int(status), int(author)) if separator else None


class BoostLoader:
    """Boosts that are to be shown: `commands` to put into the trip that fetches their statuses, which tell whether it
    is still so, and by whom.
    """

    def __init__(self, refs: Sequence[BoostRef]) -> None:
        self._refs, self._booster_uids = refs, sorted({one.booster_uid for one in refs})
        score_commands = (
            (
                "ZSCORE",
                keys.member_boosts(one.booster_uid),
                zset_member(one.status_id, one.author_uid),
            )
            for one in refs
        )
        self.commands: list[Command] = [*score_commands, *map(member_command, self._booster_uids)]

    def parse(
        self, replies: Sequence[Any], statuses: Sequence[Status | None]
    ) -> Iterator[Boost | None]:
        """The boosts, with the statuses that they show, in the same order; None for one that is gone or taken back."""
        boosters = {
            uid: member_from(uid, one)
            for uid, one in zip(self._booster_uids, replies[len(self._refs) :], strict=True)
        }
        for ref, score, status in zip(self._refs, replies, statuses, strict=False):
            booster = boosters[ref.booster_uid]
            exists = status and booster and score is not None and int(score) == ref.id
            yield Boost(ref.id, booster, status) if exists and booster and status else None


def member_uids(item: Item) -> set[int]:
    """Their uids."""
    return {one.uid for one in members_shown(item)}


def status_of(item: Item) -> Status:
    """The status that it shows."""
    return item.status if isinstance(item, Boost) else item


def dedupe_boosts(items: Sequence[Item]) -> list[Item]:
    """What stands in a timeline, newest first, without the boosts of what one of the ONCE entries below them shows."""
    if Boost not in set(map(type, items)):
        return list(items)
    ids = [status_of(item).id for item in items]
    return [
        item
        for at, item in enumerate(items)
        if not isinstance(item, Boost)
        or item.status.id not in ids[at + 1 : at + 1 + BOOST_DEDUPE_WINDOW]
    ]


def members_shown(item: Item) -> tuple[Member, ...]:
    """The members whom what stands in a timeline shows."""
    return (item.booster, item.status.author) if isinstance(item, Boost) else (item.author,)


def has_suspended_member(item: Item) -> bool:
    """Whether one of them is suspended."""
    return any(one.suspended for one in members_shown(item))


def status_entries(items: Sequence[Item]) -> list[tuple[int, int]]:
    """The statuses that they show, each with its author."""
    return [(one.id, one.author.uid) for one in map(status_of, items)]


def merge_newest_first(*lists: Sequence[Item]) -> list[Item]:
    """Several lists as one, newest first."""
    return sorted(chain(*lists), key=attrgetter("id"), reverse=True)
