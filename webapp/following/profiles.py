"""Profiles of members with their counts, and the details beside names in lists of people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.accounts import keys as account_keys, profile as account_profile, store as accounts
from webapp.accounts.member import Member
from webapp.accounts.profile import About
from webapp.core.store import Read, gather, read
from webapp.statuses import keys as status_keys

from . import keys

BIO_MAX = 200  # characters: more than two lines hold


@dataclass(frozen=True, slots=True)
class Profile:
    """A member with counts. `lists`, of public lists, is 0 where they were not counted.

    `newest_id`: of the statuses that are counted, 0 without one.
    """

    member: Member
    about: About
    statuses: int
    followers: int
    following: int
    featured: int
    newest_id: int
    lists: int = 0


def profile(uid: int) -> Read[Profile | None]:
    """Read a member's profile. None if there is no account."""

    def build(parts: tuple[Member | None, About, Sequence[int]]) -> Profile | None:
        member, about, counts = parts
        if member is None:
            return None
        return Profile(member, about, *counts)

    return gather(accounts.get(uid), account_profile.about(uid), _counts(uid)).map(build)


def _counts(uid: int) -> Read[Sequence[int]]:
    """Read the counts of a Profile, and the id of the newest status."""

    def build(sizes: tuple[int, ...]) -> Sequence[int]:
        posts, replies, *others, newest_post, newest_reply = sizes
        return posts + replies, *others, max(newest_post, newest_reply)

    sizes = gather(
        _size(status_keys.profile_statuses(uid)),
        _size(status_keys.profile_replies(uid)),
        _size(keys.followers(uid)),
        _size(keys.following(uid)),
        _size(keys.endorsements(uid)),
        _newest(status_keys.profile_statuses(uid)),
        _newest(status_keys.profile_replies(uid)),
    )
    return sizes.map(build)


def _size(key: str) -> Read[int]:
    return read(("ZCARD", key), int)


def _newest(key: str) -> Read[int]:
    command = ("ZRANGE", key, 0, 0, "REV", "WITHSCORES")
    return read(command, lambda reply: int(reply[1]) if reply else 0)


@dataclass(frozen=True, slots=True)
class PersonDetails:
    """Bios by uid, and the uids of those who follow the viewer."""

    bios: Mapping[int, str] = field(default_factory=dict)
    follows_viewer: frozenset[int] = frozenset()


NO_DETAILS = PersonDetails()


def person_details(viewer: int | None, uids: Iterable[int]) -> Read[PersonDetails]:
    """Read the details of members for a viewer; None or 0: a visitor."""
    others = tuple(dict.fromkeys(uids))
    commands: list[tuple[Any, ...]] = [("HGET", account_keys.user(uid), "bio") for uid in others]
    if viewer and others:
        commands.append(("ZMSCORE", keys.followers(viewer), *others))

    def parse(replies: Sequence[Any]) -> PersonDetails:
        bios = {uid: bio[:BIO_MAX] for uid, bio in zip(others, replies, strict=False) if bio}
        scores = replies[-1] if viewer and others else ()
        followers = (uid for uid, score in zip(others, scores, strict=False) if score is not None)
        return PersonDetails(bios, frozenset(followers))

    return Read(tuple(commands), parse)
