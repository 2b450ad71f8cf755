"""Boosts as lists, homes and events name them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.events.outbox import Event
from webapp.core.store import Command, Read, read
from webapp.core.web import newest_below

from .interactions import keys


class BoostRef(NamedTuple):
    """A boost: its id (0: not known), who boosts, and the boosted status with its author."""

    id: int
    booster_uid: int
    status_id: int
    author_uid: int


def zset_member(status_id: int, author_uid: int) -> str:
    """Return the member of a sorted set of boosts for a status: `id:author`."""
    return f"{status_id}:{author_uid}"


def format_entry(ref: BoostRef) -> str:
    """Return the entry of a boost in homes. `undo_boost.lua` writes the same."""
    return f"{ref.id}:{ref.booster_uid}:{ref.author_uid}={ref.status_id}"


def ref_from_entry(entry: str) -> BoostRef | None:
    """Parse a home's entry; None if it is not a boost."""
    boost_id, booster, *rest = entry.split(":")
    author, separator, status = rest[0].partition("=") if rest else ("", "", "")
    return BoostRef(int(boost_id), int(booster), int(status), int(author)) if separator else None


def ref_from_zset(uid: int, member: str, score: str) -> BoostRef:
    """Return the boost of a member and its score in `uid`'s list of boosts."""
    status_id, author = member.split(":")
    return BoostRef(int(score), uid, int(status_id), int(author))


def ref_from_event(event: Event) -> BoostRef | None:
    """Return the boost of an event; None if the event is about a status."""
    if "status" not in event.data:
        return None
    return BoostRef(*(event.number(name) for name in ("id", "uid", "status", "author")))


def newest_boosts(uid: int, before: int | None, limit: int) -> Read[list[BoostRef]]:
    """Read the newest `limit` boosts of a member below the cursor `before`."""
    command = newest_below(keys.member_boosts(uid), before, limit, scores=True)
    return read(command, lambda reply: _refs(uid, reply))


def oldest_boosts(uid: int, limit: int) -> Read[list[BoostRef]]:
    """Read the oldest `limit` boosts of a member."""
    command = ("ZRANGE", keys.member_boosts(uid), 0, limit - 1, "WITHSCORES")
    return read(command, lambda reply: _refs(uid, reply))


def find_boost(boost_id: int) -> Read[BoostRef | None]:
    """Read a boost by its id; None if there is none."""

    def parse(stored: str | None) -> BoostRef | None:
        return BoostRef(boost_id, *map(int, stored.split(":"))) if stored else None

    return read(("GET", keys.boost(boost_id)), parse)


class BoostedBy(NamedTuple):
    """A boost that still exists: its id, and who boosts."""

    id: int
    booster: Member


def boosted_by(refs: Sequence[BoostRef]) -> Read[list[BoostedBy | None]]:
    """Read which boosts still exist, each in its place; None for one that is taken back.

    A ref without an id (0) means any boost of the status by its booster.
    """
    members_read = accounts.get_many({ref.booster_uid for ref in refs})

    def parse(replies: Sequence[Any]) -> list[BoostedBy | None]:
        members = members_read.parse(replies[len(refs) :])
        found: list[BoostedBy | None] = []
        for ref, score in zip(refs, replies, strict=False):
            booster, boost_id = members.get(ref.booster_uid), int(score or 0)
            stands = booster and boost_id and ref.id in (boost_id, 0)
            found.append(BoostedBy(boost_id, booster) if stands and booster else None)
        return found

    commands: list[Command] = [
        ("ZSCORE", keys.member_boosts(ref.booster_uid), zset_member(ref.status_id, ref.author_uid))
        for ref in refs
    ]
    return Read((*commands, *members_read.commands), parse)


def _refs(uid: int, reply: Sequence[str]) -> list[BoostRef]:
    return [ref_from_zset(uid, *scored) for scored in zip(reply[::2], reply[1::2], strict=True)]
