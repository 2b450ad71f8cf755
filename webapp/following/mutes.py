"""Whom a member mutes, until when, and whether their notifications are hidden too. It is nobody else's business: it
lies in the member's own partition, and nothing of it is mirrored.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from .. import keys
from ..accounts.store import Member, find, member_command, member_from
from ..config import Config
from ..db import Db
from ..errors import Invalid
from ..events import Context, Event, trace
from ..ids import partition_of
from ..paging import Page, below
from ..scripts import script

MUTE = script("following/mute.lua")
UNMUTE = script("following/unmute.lua")
DAY = 86_400
ALWAYS = 36_500 * DAY  # seconds: until unmuted
NEVER_ENDS = ALWAYS // 2  # seconds: what has more left than this was muted for ALWAYS


@dataclass(frozen=True, slots=True)
class Mute:
    """That somebody is muted. `until`: unix seconds; `hushed`: their notifications are hidden too."""

    until: int
    hushed: bool

    @property
    def left(self) -> timedelta | None:
        """How long until it is over; None where it lasts until it is taken back."""
        left = max(self.until - int(time.time()), 0)
        return timedelta(seconds=left) if left < NEVER_ENDS else None


@dataclass(frozen=True, slots=True)
class Muted:
    """A member whom one mutes."""

    member: Member
    mute: Mute


def mute(db: Db, config: Config, uid: int, login: str, seconds: int = ALWAYS, hush: bool = False) -> Member:
    """Mutes the member of this name, whom it returns, for so long from now; again, for that long instead. `hush`: their
    notifications are hidden too. Raises NotFound, Invalid for oneself, Conflict at MUTES_MAX, Forbidden for a suspended
    member who mutes, Unavailable.
    """
    target = find(db, login)
    if target.uid == uid:
        raise Invalid("mute_yourself")
    p = partition_of(uid)
    names = [keys.mutes(uid), keys.hushed(uid), keys.outbox(p), keys.user(uid)]
    db.run(MUTE(names, uid, target.uid, seconds, int(hush), config.mutes_max, p, config.outbox_max, *trace()))
    return target


def unmute(db: Db, config: Config, uid: int, login: str) -> Member:
    """Unmutes the member of this name, whom it returns; again is no change. Raises NotFound, Unavailable."""
    target = find(db, login)
    p = partition_of(uid)
    names = [keys.mutes(uid), keys.hushed(uid), keys.outbox(p)]
    db.run(UNMUTE(names, uid, target.uid, p, config.outbox_max, *trace()))
    return target


def mute_from(until: str | None, hushed: str | None) -> Mute | None:
    """The mute that the scores of a member in both lists tell of, unless it is over."""
    return Mute(int(float(until)), hushed is not None) if until and lasts(until) else None


def lasts(until: str | float) -> bool:
    """Whether a score of a list of mutes is later than now."""
    return float(until) > time.time()


def listed(db: Db, uid: int, before: int | None = None, size: int = 100) -> Page[Muted]:
    """A page of those a member mutes, the longest first; `before`: the last page's cursor. Two trips, and one more to
    take off the list whose account is deleted.
    """
    lists = (keys.mutes(uid), keys.hushed(uid))
    now = f"({int(time.time())}"
    flat = db.run(("ZRANGE", lists[0], below(before), now, "BYSCORE", "REV", "LIMIT", 0, size + 1, "WITHSCORES"))
    uids, ends = [int(other) for other in flat[::2]][:size], [int(score) for score in flat[1::2]]
    if not uids:
        return Page(())
    hushed, *replies = db.trip(("ZMSCORE", lists[1], *uids), *map(member_command, uids))
    found = [member_from(other, reply) for other, reply in zip(uids, replies, strict=True)]
    gone = [other for other, member in zip(uids, found, strict=True) if member is None]
    db.trip(*(("ZREM", name, *gone) for name in lists if gone))
    shown = (
        Muted(member, Mute(until, hush is not None))
        for member, until, hush in zip(found, ends, hushed, strict=False)
        if member
    )
    return Page(tuple(shown), ends[size - 1] if len(ends) > size else None)


def forget(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts mute nobody any more. (What others mute of them goes when they look, or ends.)"""
    uids = [int(event.data["uid"]) for event in events]
    context.db.trip(*(("UNLINK", name) for uid in uids for name in (keys.mutes(uid), keys.hushed(uid))))
