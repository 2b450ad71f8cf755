"""Invitations: links that let a number of people sign up until they expire."""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from .. import keys
from ..db import Db
from ..scripts import script

TAKE = script("accounts/take_invite.lua")
CODE = re.compile(r"[A-Za-z0-9_-]{16}\Z")


@dataclass(frozen=True, slots=True)
class Invite:
    """An invitation: how many may come with it, and how many did."""

    code: str
    places: int
    taken: int
    expires: datetime


def make(db: Db, places: int, seconds: int) -> Invite:
    """A new invitation for so many people, valid for so long."""
    code, now = secrets.token_urlsafe(12), int(time.time())
    db.run(("SET", keys.invite(code), places, "EX", seconds))  # first, so that none is listed that is not there
    db.trip(("ZREMRANGEBYSCORE", keys.invites(), "-inf", now), ("ZADD", keys.invites(), now + seconds, code))
    return Invite(code, places, 0, datetime.fromtimestamp(now + seconds, UTC))


def listed(db: Db) -> list[Invite]:
    """The invitations that are still valid, the first to expire first. Two trips."""
    flat = db.run(("ZRANGE", keys.invites(), int(time.time()), "+inf", "BYSCORE", "WITHSCORES"))
    codes, ends = flat[::2], flat[1::2]
    found = db.trip(*(command for code in codes for command in _commands(code)))
    return [
        Invite(code, int(places), taken, datetime.fromtimestamp(int(end), UTC))
        for code, end, places, taken in zip(codes, ends, found[::2], found[1::2], strict=True)
        if places
    ]


def cancel(db: Db, code: str) -> bool:
    """Makes an invitation invalid; False when it was none (any more)."""
    gone, _, _ = db.trip(("DEL", keys.invite(code)), ("DEL", keys.invited(code)), ("ZREM", keys.invites(), code))
    return bool(gone)


def valid(db: Db, code: str) -> bool:
    """Whether somebody may (still) come with this code, as far as can be told without taking the place."""
    if not CODE.match(code):
        return False
    places, taken = db.trip(*_commands(code))
    return bool(places) and taken < int(places)


def take(db: Db, code: str, uid: int) -> bool:
    """Takes a place for a member id whose account is about to be made; False when there is none (any more). A place
    that somebody took a minute ago or earlier without becoming a member is given on.
    """
    if not CODE.match(code):
        return False
    names = [keys.invite(code), keys.invited(code)]
    won, *old = db.run(TAKE(names, uid))
    if not won and old:
        exist = db.trip(*(("EXISTS", keys.user(int(other))) for other in old))
        free = [other for other, there in zip(old, exist, strict=True) if not there]
        won = free and db.run(TAKE(names, uid, *free))[0]
    return bool(won)


def give_back(db: Db, code: str, uid: int) -> None:
    """Gives up a place whose account was refused."""
    db.run(("ZREM", keys.invited(code), uid))


def _commands(code: str) -> list[tuple[object, ...]]:
    return [("GET", keys.invite(code)), ("ZCARD", keys.invited(code))]
