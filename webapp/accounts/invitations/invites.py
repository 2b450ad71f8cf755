"""Invitations: links that let a number of people sign up until they expire."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.accounts import keys
from webapp.core.store import Command, Db, Read, collect, gather, read, read_numbers, script
from webapp.core.web import max_bound

REDEEM = script("accounts/lua/redeem_invite.lua")
CODE_PATTERN = re.compile(r"[A-Za-z0-9_-]{16}\Z")
NO_MAKER = 0  # made by a command
NOTE_MAX = 100  # characters
CAME_MAX = 20  # members of one invitation that pages name
Expirations = Mapping[str, float]  # code -> unix seconds


@dataclass(frozen=True, slots=True)
class Invite:
    """An invitation: how many people may use it, and how many have.

    `by`: the uid of who made it, or NO_MAKER. `came`: the first uids that used it.
    """

    code: str
    max_uses: int
    uses: int
    expires: datetime
    note: str = ""
    by: int = NO_MAKER
    came: Sequence[int] = ()


def create(
    db: Db, max_uses: int, lifetime_seconds: int, note: str = "", by: int = NO_MAKER
) -> Invite:
    """Create an invitation for `max_uses` people. Two trips."""
    code, now = secrets.token_urlsafe(12), time.time()
    expires = round(now + lifetime_seconds, 3)
    details = keys.invite_details(code)
    # The places come first: every listed invitation has them.
    db.trip(
        ("SET", keys.invite_places(code), max_uses, "EX", lifetime_seconds),
        ("HSET", details, "note", note, "by", by),
        ("EXPIRE", details, lifetime_seconds),
    )
    db.trip(
        ("ZREMRANGEBYSCORE", keys.invites(), "-inf", now),
        ("ZADD", keys.invites(), expires, code),
    )
    return Invite(code, max_uses, 0, datetime.fromtimestamp(expires, UTC), note, by)


def expirations(before_ms: int | None, count: int) -> Read[Expirations]:
    """Read invitations that have not expired, the last to expire first, from a cursor on.

    `before_ms`: unix ms. Those that expire at the same time are on one page.
    """
    upper = max_bound(None) if before_ms is None else f"({before_ms / 1000}"
    bounds = (upper, f"{time.time()}", "BYSCORE", "REV", "LIMIT", 0, count, "WITHSCORES")
    return read(("ZRANGE", keys.invites(), *bounds), parse_expirations)


def parse_expirations(flat: Sequence[str]) -> Expirations:
    """Parse codes and the times at which they expire."""
    return dict(zip(flat[::2], map(float, flat[1::2]), strict=True))


def read_invites(expires: Expirations) -> Read[list[Invite]]:
    """Read invitations, in this order. Those that are gone are left out."""
    found = collect(_read_invite(code, at) for code, at in expires.items())
    return found.map(lambda invites: [one for one in invites if one.max_uses])


def list_invites(db: Db) -> list[Invite]:
    """Return the invitations that have not expired, the first to expire first. Two trips."""
    now = time.time()
    command = ("ZRANGE", keys.invites(), now, "+inf", "BYSCORE", "WITHSCORES")
    return db.read(read_invites(db.read(read(command, parse_expirations))))


def cancel(db: Db, code: str) -> bool:
    """Make an invitation invalid. Return False if it was not valid. One trip."""
    return bool(db.trip(*cancel_commands(code))[0])


def cancel_commands(code: str) -> tuple[Command, ...]:
    """Return the commands that make an invitation invalid."""
    of_code = (keys.invite_places, keys.invite_redemptions, keys.invite_details)
    return (*(("DEL", key(code)) for key in of_code), ("ZREM", keys.invites(), code))


def maker(code: str) -> Read[int]:
    """Read the uid of who made an invitation, or NO_MAKER."""
    return read(("HGET", keys.invite_details(code), "by"), lambda by: int(by or NO_MAKER))


def is_valid(db: Db, code: str) -> bool:
    """Return True if an invitation has a free place. One trip."""
    if not CODE_PATTERN.match(code):
        return False
    places, uses = db.read(_usage(code))
    return uses < places


def redeem(db: Db, code: str, uid: int) -> bool:
    """Use a place of an invitation for an account to be created. Return False if none is free.

    A place used a minute ago or earlier without an account to follow is free again. Up to three
    trips.
    """
    if not CODE_PATTERN.match(code):
        return False
    redeemed, old_uids = _redeem(db, code, uid)
    if redeemed or not old_uids:
        return redeemed
    accounts_exist = db.trip_all(("EXISTS", keys.user(old_uid)) for old_uid in old_uids)
    pairs = zip(old_uids, accounts_exist, strict=True)
    abandoned_uids = [old_uid for old_uid, exists in pairs if not exists]
    return bool(abandoned_uids) and _redeem(db, code, uid, abandoned_uids)[0]


def release(db: Db, code: str, uid: int) -> None:
    """Give back the place of an account that was refused. One trip."""
    db.run(("ZREM", keys.invite_redemptions(code), uid))


def _redeem(
    db: Db, code: str, uid: int, abandoned_uids: Iterable[int] = ()
) -> tuple[bool, list[int]]:
    """Return True if a place was used; else the uids whose places may be abandoned."""
    command = REDEEM(code=code, uid=uid, abandoned_uids=abandoned_uids)
    redeemed, *old_uids = db.run(command)
    return bool(redeemed), [int(old_uid) for old_uid in old_uids]


def _usage(code: str) -> Read[tuple[int, int]]:
    """Read how many people may use an invitation, and how many have. Both are 0 once it is gone."""
    places = read(("GET", keys.invite_places(code)), lambda places: int(places or 0))
    return gather(places, read(("ZCARD", keys.invite_redemptions(code)), int))


def _read_invite(code: str, expires: float) -> Read[Invite]:
    details = read(("HMGET", keys.invite_details(code), "note", "by"), list)
    came = read_numbers(("ZRANGE", keys.invite_redemptions(code), 0, CAME_MAX - 1))

    def build(parts: tuple[tuple[int, int], list[str | None], list[int]]) -> Invite:
        usage, (note, by), uids = parts
        at = datetime.fromtimestamp(expires, UTC)
        return Invite(code, *usage, at, note or "", int(by or NO_MAKER), uids)

    return gather(_usage(code), details, came).map(build)
