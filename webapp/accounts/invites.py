"""Invitations: links that let a number of people sign up until they expire."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.core.store.client import Db
from webapp.core.store.reads import Read, collect, gather, read
from webapp.core.store.scripts import script

from . import keys

REDEEM = script("accounts/lua/redeem_invite.lua")
CODE_PATTERN = re.compile(r"[A-Za-z0-9_-]{16}\Z")


@dataclass(frozen=True, slots=True)
class Invite:
    """An invitation: how many people may use it, and how many have."""

    code: str
    max_uses: int
    uses: int
    expires: datetime


@dataclass(frozen=True, slots=True)
class Usage:
    """The allowed and actual uses of an invitation; both are 0 once it is gone."""

    max_uses: int
    uses: int


def create(db: Db, max_uses: int, lifetime_seconds: int) -> Invite:
    """Create an invitation for `max_uses` people. Two trips."""
    code, now = secrets.token_urlsafe(12), int(time.time())
    expires = now + lifetime_seconds
    # The places come first: every listed invitation has them.
    db.run(("SET", keys.invite_places(code), max_uses, "EX", lifetime_seconds))
    db.trip(
        ("ZREMRANGEBYSCORE", keys.invites(), "-inf", now),
        ("ZADD", keys.invites(), expires, code),
    )
    return Invite(code, max_uses, 0, datetime.fromtimestamp(expires, UTC))


def list_invites(db: Db) -> list[Invite]:
    """Return the invitations that have not expired, the first to expire first. Two trips."""
    now = int(time.time())
    reply = db.run(("ZRANGE", keys.invites(), now, "+inf", "BYSCORE", "WITHSCORES"))
    codes, expirations = reply[::2], reply[1::2]
    usages = db.read(collect(map(_usage, codes)))
    return [
        Invite(code, usage.max_uses, usage.uses, datetime.fromtimestamp(int(expires), UTC))
        for code, expires, usage in zip(codes, expirations, usages, strict=True)
        if usage.max_uses
    ]


def cancel(db: Db, code: str) -> bool:
    """Make an invitation invalid. Return False if it was not valid. One trip."""
    deleted, _, _ = db.trip(
        ("DEL", keys.invite_places(code)),
        ("DEL", keys.invite_redemptions(code)),
        ("ZREM", keys.invites(), code),
    )
    return bool(deleted)


def is_valid(db: Db, code: str) -> bool:
    """Return True if an invitation has a free place. One trip."""
    if not CODE_PATTERN.match(code):
        return False
    usage = db.read(_usage(code))
    return usage.uses < usage.max_uses


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
    accounts_exist = db.trip(*(("EXISTS", keys.user(old_uid)) for old_uid in old_uids))
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


def _usage(code: str) -> Read[Usage]:
    places = read(("GET", keys.invite_places(code)), lambda places: int(places or 0))
    redemptions = read(("ZCARD", keys.invite_redemptions(code)), int)
    return gather(places, redemptions).map(lambda counts: Usage(*counts))
