"""Mute and unmute members, and read mutes.

A mute is private: it is stored in the partition of the member who mutes, and projected nowhere.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Db, Read, Site, constant, read, script
from webapp.core.store.caches.recording import changes_at
from webapp.core.web import Page
from webapp.following import keys
from webapp.following.member_pages import uid_page

DAY = 86_400  # seconds
FOREVER = 36_500 * DAY  # seconds: until unmuted
FOREVER_THRESHOLD = FOREVER // 2  # seconds: a mute with more left than this was FOREVER
MUTE = script("following/mutes/lua/mute.lua")
UNMUTE = script("following/mutes/lua/unmute.lua")


@dataclass(frozen=True, slots=True)
class Mute:
    """Somebody is muted. `until` is in unix seconds."""

    until: int
    hide_notifications: bool

    @property
    def remaining(self) -> timedelta | None:
        """Return how long the mute lasts, None if until unmuted."""
        seconds = max(self.until - int(time.time()), 0)
        return timedelta(seconds=seconds) if seconds < FOREVER_THRESHOLD else None


def active_mute(until: str | None, notifications_until: str | None) -> Mute | None:
    """Return the mute with these scores in the two lists, None if there is none or it is over."""
    if not until or not is_active(until):
        return None
    return Mute(int(float(until)), hide_notifications=notifications_until is not None)


def is_active(until: str | float) -> bool:
    """Return True if a score of a list of mutes is in the future."""
    if is_before := time.time() < float(until):
        changes_at(float(until))
    return is_before


@dataclass(frozen=True, slots=True)
class MutedMember:
    """A member whom the viewer mutes."""

    member: Member
    mute: Mute


def mute(
    site: Site, uid: int, login: str, seconds: int = FOREVER, hide_notifications: bool = False
) -> Member:
    """Mute the member of a login for a time. Return the member. Muting again sets the new time.

    Three trips. Raises NotFound, Invalid for oneself, Conflict at MUTES_MAX, Forbidden for a
    suspended muter.
    """
    target = accounts.get_other(site.db, uid, login, "mute_yourself")
    site.run(
        MUTE,
        uid=uid,
        target=target.uid,
        seconds=seconds,
        hide_notifications=int(hide_notifications),
    )
    return target


def unmute(site: Site, uid: int, login: str) -> Member:
    """Unmute the member of a login. Return the member. Unmuting again changes nothing.

    Three trips. Raises NotFound, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    site.run(UNMUTE, uid=uid, target=target.uid)
    return target


def page(
    db: Db, uid: int, before: int | None = None, size: int = 100, above: int = 0
) -> Page[MutedMember]:
    """Return a page of those a member mutes, the longest mutes first.

    `above`: the time in unix seconds after which all of them end.

    Two trips, and one more to remove deleted accounts from the list.
    """
    ended = max(above, int(time.time()))
    mutes = db.read(uid_page(keys.mutes(uid), before, size, above=f"({ended}"))
    members, hidden = db.fetch(
        accounts.get_many(mutes.scores), _hidden_notifications(uid, mutes.scores)
    )
    deleted = [other for other in mutes.scores if other not in members]
    if deleted:
        db.trip(
            ("ZREM", keys.mutes(uid), *deleted), ("ZREM", keys.muted_notifications(uid), *deleted)
        )
    muted = (
        MutedMember(member, Mute(mutes.scores[other], hidden[other]))
        for other, member in members.items()
    )
    return Page(tuple(muted), mutes.next, first=mutes.first)


def _hidden_notifications(uid: int, scores: Mapping[int, int]) -> Read[dict[int, bool]]:
    """Read, for each member in `scores`, whether the mute hides their notifications too."""
    muted_uids = tuple(scores)
    if not muted_uids:
        return constant({})

    def parse(ends: Sequence[Any]) -> dict[int, bool]:
        return {other: end is not None for other, end in zip(muted_uids, ends, strict=True)}

    return read(("ZMSCORE", keys.muted_notifications(uid), *muted_uids), parse)
