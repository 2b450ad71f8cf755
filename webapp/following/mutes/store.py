"""Whom a member mutes, until when, and whether their notifications are hidden too. It is nobody else's business: it
lies in the member's own partition, and nothing of it is mirrored.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member, find_member, member_command, member_from
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event, request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, max_bound
from webapp.errors import Invalid
from webapp.following import keys as following_keys

MUTE = script("following/mutes/lua/mute.lua")
UNMUTE = script("following/mutes/lua/unmute.lua")
DAY = 86_400
FOREVER = 36_500 * DAY  # seconds: until unmuted
FOREVER_THRESHOLD = FOREVER // 2  # seconds: what has more left than this was muted for ALWAYS


@dataclass(frozen=True, slots=True)
class Mute:
    """That somebody is muted. `until`: unix seconds; `hushed`: their notifications are hidden too."""

    until: int
    hide_notifications: bool

    @property
    def remaining(self) -> timedelta | None:
        """How long until it is over; None where it lasts until it is taken back."""
        remaining_seconds = max(self.until - int(time.time()), 0)
        return (
            timedelta(seconds=remaining_seconds) if remaining_seconds < FOREVER_THRESHOLD else None
        )


@dataclass(frozen=True, slots=True)
class MutedMember:
    """A member whom one mutes."""

    member: Member
    mute: Mute


def mute(
    db: Db,
    config: Config,
    uid: int,
    login: str,
    seconds: int = FOREVER,
    hide_notifications: bool = False,
) -> Member:
    """Mutes the member of this name, whom it returns, for so long from now; again, for that long instead. `hush`: their
    notifications are hidden too. Raises NotFound, Invalid for oneself, Conflict at MUTES_MAX, Forbidden for a suspended
    member who mutes, Unavailable.
    """
    target = find_member(db, login)
    if target.uid == uid:
        raise Invalid("mute_yourself")
    p = partition_of(uid)
    names = [
        following_keys.mutes(uid),
        following_keys.muted_notifications(uid),
        event_keys.outbox(p),
        account_keys.user(uid),
    ]
    db.run(
        MUTE(
            names,
            uid,
            target.uid,
            seconds,
            int(hide_notifications),
            config.mutes_max,
            p,
            config.outbox_max,
            *request_id_args(),
        )
    )
    return target


def unmute(db: Db, config: Config, uid: int, login: str) -> Member:
    """Unmutes the member of this name, whom it returns; again is no change. Raises NotFound, Unavailable."""
    target = find_member(db, login)
    p = partition_of(uid)
    names = [
        following_keys.mutes(uid),
        following_keys.muted_notifications(uid),
        event_keys.outbox(p),
    ]
    db.run(UNMUTE(names, uid, target.uid, p, config.outbox_max, *request_id_args()))
    return target


def mute_from(until: str | None, hidden_until: str | None) -> Mute | None:
    """The mute that the scores of a member in both lists tell of, unless it is over."""
    return Mute(int(float(until)), hidden_until is not None) if until and is_active(until) else None


def is_active(until: str | float) -> bool:
    """Whether a score of a list of mutes is later than now."""
    return float(until) > time.time()


def page(db: Db, uid: int, before: int | None = None, size: int = 100) -> Page[MutedMember]:
    """A page of those a member mutes, the longest first; `before`: the last page's cursor. Two trips, and one more to
    take off the list whose account is deleted.
    """
    list_keys = (following_keys.mutes(uid), following_keys.muted_notifications(uid))
    after_now = f"({int(time.time())}"
    range_reply = db.run(
        (
            "ZRANGE",
            list_keys[0],
            max_bound(before),
            after_now,
            "BYSCORE",
            "REV",
            "LIMIT",
            0,
            size + 1,
            "WITHSCORES",
        )
    )
    uids, expirations = (
        [int(other) for other in range_reply[::2]][:size],
        [int(score) for score in range_reply[1::2]],
    )
    if not uids:
        return Page(())
    hidden_scores, *replies = db.trip(("ZMSCORE", list_keys[1], *uids), *map(member_command, uids))
    members = [member_from(other, reply) for other, reply in zip(uids, replies, strict=True)]
    deleted_uids = [other for other, member in zip(uids, members, strict=True) if member is None]
    db.trip(*(("ZREM", name, *deleted_uids) for name in list_keys if deleted_uids))
    muted_members = (
        MutedMember(member, Mute(until, hush is not None))
        for member, until, hush in zip(members, expirations, hidden_scores, strict=False)
        if member
    )
    return Page(tuple(muted_members), expirations[size - 1] if len(expirations) > size else None)


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts mute nobody any more. (What others mute of them goes when they look, or ends.)"""
    uids = [int(event.data["uid"]) for event in events]
    context.db.trip(
        *(
            ("UNLINK", name)
            for uid in uids
            for name in (following_keys.mutes(uid), following_keys.muted_notifications(uid))
        )
    )
