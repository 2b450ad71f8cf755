"""Profiles: members, their own descriptions, and their counts."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.accounts import profile as account_profile
from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.accounts.profile import About
from webapp.core.store.reads import Read, gather, read
from webapp.statuses import keys as status_keys

from . import keys


@dataclass(frozen=True, slots=True)
class Profile:
    """A member with counts. `lists`, of public lists, is 0 where they were not counted."""

    member: Member
    about: About
    statuses: int
    followers: int
    following: int
    lists: int = 0


@dataclass(frozen=True, slots=True)
class _Counts:
    statuses: int
    followers: int
    following: int


def profile(uid: int) -> Read[Profile | None]:
    """Read a member's profile. None if there is no account."""

    def build(parts: tuple[Member | None, About, _Counts]) -> Profile | None:
        member, about, counts = parts
        if member is None:
            return None
        return Profile(member, about, counts.statuses, counts.followers, counts.following)

    return gather(accounts.get(uid), account_profile.about(uid), _counts(uid)).map(build)


def _counts(uid: int) -> Read[_Counts]:
    def build(sizes: tuple[int, int, int, int]) -> _Counts:
        posts, replies, followers, following = sizes
        return _Counts(posts + replies, followers, following)

    sizes = gather(
        _size(status_keys.profile_statuses(uid)),
        _size(status_keys.profile_replies(uid)),
        _size(keys.followers(uid)),
        _size(keys.following(uid)),
    )
    return sizes.map(build)


def _size(key: str) -> Read[int]:
    return read(("ZCARD", key), int)
