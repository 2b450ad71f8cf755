"""Relationships: what the caller is to a member."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.client_api.http import format_time
from webapp.core.store import Read, collect, gather, listed_in
from webapp.following import keys as following_keys
from webapp.following.mutes.store import Mute
from webapp.following.relations import Relation, relation


class Relationship(msgspec.Struct, kw_only=True):
    """The caller's relationship to a member."""

    id: str
    following: bool
    showing_reblogs: bool
    followed_by: bool
    blocking: bool
    blocked_by: bool
    muting: bool
    muting_notifications: bool
    muting_expires_at: str | None
    requested: bool
    requested_by: bool
    notifying: bool
    note: str
    endorsed: bool
    languages: list[str] | None = None
    domain_blocking: bool = False


def relationships_of(viewer: int, uids: Iterable[int]) -> Read[list[Relationship]]:
    """Read a member's relationships to others, in their order. Those that are gone are left out."""
    wanted = list(dict.fromkeys(uids))
    found = gather(
        accounts.get_many(wanted),
        listed_in(following_keys.follow_requests(viewer), wanted),
        collect(relation(viewer, uid, 1) for uid in wanted),
    )

    def build(parts: tuple[dict[int, Member], list[int], list[Relation]]) -> list[Relationship]:
        members, asking, relations = parts
        pairs = zip(wanted, relations, strict=True)
        return [_build(uid, one, uid in asking) for uid, one in pairs if uid in members]

    return found.map(build)


def _build(uid: int, found: Relation, is_asking: bool) -> Relationship:
    """Return the relationship of a member to another. A block counts before follows end."""
    mute, is_blocked = found.mute, found.blocking or found.blocked_by
    return Relationship(
        id=str(uid),
        following=found.following and not is_blocked,
        showing_reblogs=(found.following or found.requested) and not found.hides_boosts,
        followed_by=found.followed_by and not is_blocked,
        blocking=found.blocking,
        blocked_by=found.blocked_by,
        muting=mute is not None,
        muting_notifications=mute is not None and mute.hide_notifications,
        muting_expires_at=mute_expiry(mute),
        requested=found.requested,
        requested_by=is_asking,
        notifying=found.subscribed,
        note=found.note,
        endorsed=found.endorsed,
    )


def mute_expiry(mute: Mute | None) -> str | None:
    """Return when a mute ends, None if it stays until unmuted."""
    is_limited = mute is not None and mute.remaining is not None
    return format_time(datetime.fromtimestamp(mute.until, UTC)) if mute and is_limited else None
