"""Invitations: links that let a number of people sign up until they expire."""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.core.store.client import Db
from webapp.core.store.scripts import script

from . import keys

REDEEM = script("accounts/lua/redeem_invite.lua")
CODE_PATTERN = re.compile(r"[A-Za-z0-9_-]{16}\Z")


@dataclass(frozen=True, slots=True)
class Invite:
    """An invitation: how many may come with it, and how many did."""

    code: str
    max_uses: int
    uses: int
    expires: datetime


def create(db: Db, max_uses: int, lifetime_seconds: int) -> Invite:
    """A new invitation for so many people, valid for so long."""
    code, now = secrets.token_urlsafe(12), int(time.time())
    db.run(
        ("SET", keys.invite_places(code), max_uses, "EX", lifetime_seconds)
    )  # first, so that none is listed that is not there
    db.trip(
        ("ZREMRANGEBYSCORE", keys.invites(), "-inf", now),
        ("ZADD", keys.invites(), now + lifetime_seconds, code),
    )
    return Invite(code, max_uses, 0, datetime.fromtimestamp(now + lifetime_seconds, UTC))


def list_invites(db: Db) -> list[Invite]:
    """The invitations that are still valid, the first to expire first. Two trips."""
    range_reply = db.run(
        ("ZRANGE", keys.invites(), int(time.time()), "+inf", "BYSCORE", "WITHSCORES")
    )
    codes, expirations = range_reply[::2], range_reply[1::2]
    replies = db.trip(*(command for code in codes for command in _usage_commands(code)))
    return [
        Invite(code, int(places), taken, datetime.fromtimestamp(int(end), UTC))
        for code, end, places, taken in zip(
            codes, expirations, replies[::2], replies[1::2], strict=True
        )
        if places
    ]


def cancel(db: Db, code: str) -> bool:
    """Makes an invitation invalid; False when it was none (any more)."""
    deleted, _, _ = db.trip(
        ("DEL", keys.invite_places(code)),
        ("DEL", keys.invite_redemptions(code)),
        ("ZREM", keys.invites(), code),
    )
    return bool(deleted)


def is_valid(db: Db, code: str) -> bool:
    """Whether somebody may (still) come with this code, as far as can be told without taking the place."""
    if not CODE_PATTERN.match(code):
        return False
    max_uses, uses = db.trip(*_usage_commands(code))
    return bool(max_uses) and uses < int(max_uses)


def redeem(db: Db, code: str, uid: int) -> bool:
    """Takes a place for a member id whose account is about to be made; False when there is none (any more). A place
    that somebody took a minute ago or earlier without becoming a member is given on.
    """
    if not CODE_PATTERN.match(code):
        return False
    names = [keys.invite_places(code), keys.invite_redemptions(code)]
    redeemed, *stale_uids = db.run(REDEEM(names, uid))
    if not redeemed and stale_uids:
        accounts_exist = db.trip(*(("EXISTS", keys.user(int(other))) for other in stale_uids))
        abandoned_uids = [
            other for other, there in zip(stale_uids, accounts_exist, strict=True) if not there
        ]
        redeemed = abandoned_uids and db.run(REDEEM(names, uid, *abandoned_uids))[0]
    return bool(redeemed)


def release(db: Db, code: str, uid: int) -> None:
    """Gives up a place whose account was refused."""
    db.run(("ZREM", keys.invite_redemptions(code), uid))


def _usage_commands(code: str) -> list[tuple[object, ...]]:
    return [("GET", keys.invite_places(code)), ("ZCARD", keys.invite_redemptions(code))]
