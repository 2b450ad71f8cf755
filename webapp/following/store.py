"""Who follows whom. The follower's own list is the truth; the list of followers is projected from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import keys
from ..accounts.profile import About, about_command, about_from
from ..accounts.store import Member, find, member_command, member_from
from ..config import Config
from ..db import Command, Db
from ..errors import Conflict, Forbidden, Invalid
from ..events import trace
from ..ids import partition_of
from ..paging import Page, below
from ..scripts import script
from .mutes import Mute, mute_from

FOLLOW = script("following/follow.lua")
UNFOLLOW = script("following/unfollow.lua")
KINDS = {"followers": keys.followers, "following": keys.following}
FAMILIAR_SHOWN = 3  # members named in "followed by …"
PROFILE_PARTS = 6  # replies to profile_commands


@dataclass(frozen=True, slots=True)
class Profile:
    """A member with the sizes of what they have. `lists`: those that are not private, where they were counted."""

    member: Member
    about: About
    statuses: int
    followers: int
    following: int
    lists: int = 0


@dataclass(frozen=True, slots=True)
class Relation:
    """How a viewer and a member stand to each other; `blocking`: the viewer blocks the member; `mute`: the viewer's, of
    the member; `familiar`: a few of those the viewer follows who follow the member; `requested`: the viewer has asked
    to follow and waits for an answer.
    """

    following: bool
    followed_by: bool
    blocking: bool
    blocked_by: bool
    mute: Mute | None
    familiar: tuple[Member, ...]
    familiar_count: int
    requested: bool = False


@dataclass(frozen=True, slots=True)
class People:
    """A page of those who follow a member, or are followed; whom of them the viewer follows, and has asked to.
    `closed`: it is not for the viewer, as the member is protected.
    """

    profile: Profile
    page: Page[Member]
    followed: frozenset[int] = frozenset()
    requested: frozenset[int] = frozenset()
    closed: bool = False


def follow(db: Db, config: Config, uid: int, login: str) -> Member:
    """Follows the member of this name, whom it returns, or asks them where they are protected; again is no change.
    Raises NotFound, Invalid for oneself, Forbidden for a suspended member or where one blocks the other, Conflict at
    FOLLOWING_MAX or REQUESTS_MAX, Unavailable.
    """
    target = find(db, login)
    if target.uid == uid:
        raise Invalid("yourself")
    if target.suspended:
        raise Forbidden("suspended")
    if target.protected and db.run(("ZCARD", keys.requests(target.uid))) >= config.requests_max:
        raise Conflict("requests_full")
    p = partition_of(uid)
    names = [keys.following(uid), keys.requested(uid), keys.outbox(p), keys.user(uid)]
    names += [keys.blocks(uid), keys.blockers(uid)]
    bounds = (config.following_max, p, config.outbox_max, *trace(), config.requests_max)
    db.run(FOLLOW(names, uid, target.uid, *bounds, int(target.protected)))
    return target


def unfollow(db: Db, config: Config, uid: int, login: str) -> Member:
    """Unfollows the member of this name, whom it returns, or takes the request to follow them back; again is no change.
    Raises NotFound, Unavailable.
    """
    target = find(db, login)
    p = partition_of(uid)
    names = [keys.following(uid), keys.home(uid), keys.outbox(p), keys.active(p), keys.requested(uid)]
    db.run(UNFOLLOW(names, uid, target.uid, p, config.outbox_max, *trace()))
    return target


def profile_commands(uid: int) -> list[Command]:
    """The commands whose replies `profile_from` reads."""
    cards = (keys.profile(uid), keys.replied(uid), keys.followers(uid), keys.following(uid))
    return [member_command(uid), about_command(uid), *(("ZCARD", key) for key in cards)]


def profile_from(uid: int, replies: Sequence[Any]) -> Profile | None:
    """The profile in the replies to `profile_commands`, or None when there is no account."""
    member = member_from(uid, replies[0])
    posts, answers, followers, following = replies[2:PROFILE_PARTS]
    return Profile(member, about_from(replies[1]), posts + answers, followers, following) if member else None


def relation_commands(viewer: int, uid: int, sample: int) -> list[Command]:
    """The commands whose replies `relation` reads. `sample`: how many of the viewer's newest follows are looked
    through.
    """
    return [
        ("ZSCORE", keys.following(viewer), uid),
        ("ZSCORE", keys.following(uid), viewer),
        *(("ZSCORE", of(viewer), uid) for of in (keys.blocks, keys.blockers, keys.mutes, keys.hushed, keys.requested)),
        ("ZRANGE", keys.following(viewer), 0, sample - 1, "REV"),
    ]


def follows_from(replies: Sequence[Any]) -> bool:
    """Whether the viewer follows the member, from the replies to `relation_commands`."""
    return replies[0] is not None


def relation(
    db: Db,
    uid: int,
    replies: Sequence[Any],
    more: Sequence[Command] = (),
    then: Callable[[Sequence[Any]], Sequence[Command]] = lambda replies: (),
) -> tuple[Relation, Sequence[Any], Sequence[Any]]:
    """The relation in the replies to `relation_commands`, with the familiar followers, in at most two more trips; the
    replies to `more` commands, which go in the first of them, and to those that `then` makes of these, in the second.
    """
    following, followed_by, blocking, blocked_by, muted, hushed, requested, sample = replies
    asked: list[Command] = [("ZMSCORE", keys.followers(uid), *sample)] if sample else []
    told = db.trip(*asked, *more)
    scores = told[0] if sample else []
    familiar = [int(other) for other, score in zip(sample, scores, strict=True) if score]
    shown, done = familiar[:FAMILIAR_SHOWN], told[len(asked) :]
    fields, late = db.parts([member_command(other) for other in shown], then(done))
    people = (member_from(other, reply) for other, reply in zip(shown, fields, strict=True))
    known = tuple(member for member in people if member and not member.suspended)
    between = Relation(
        *(following is not None, followed_by is not None, blocking is not None, blocked_by is not None),
        *(mute_from(muted, hushed), known, len(familiar), requested is not None),
    )
    return between, done, late


def people(db: Db, kind: str, uid: int, before: int | None, size: int, viewer: int | None) -> People | None:
    """A member with a page of their `followers` or `following`, newest first; None when there is no account. At most
    two trips.
    """
    newest = ("ZRANGE", KINDS[kind](uid), below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, size + 1, "WITHSCORES")
    *replies, follows, flat = db.trip(*profile_commands(uid), ("ZSCORE", keys.following(viewer or 0), uid), newest)
    profile = profile_from(uid, replies)
    if profile is None:
        return None
    if profile.member.protected and viewer != uid and not (viewer and follows):
        return People(profile, Page(()), closed=True)
    uids, cursors = [int(other) for other in flat[::2]], [int(score) for score in flat[1::2]]
    lists = (keys.following, keys.requested) if viewer and uids else ()
    marks: list[Command] = [("ZMSCORE", of(viewer or 0), *uids) for of in lists]
    fields = db.trip(*map(member_command, uids), *marks)
    found = [member_from(other, reply) for other, reply in zip(uids, fields, strict=False)]
    # Members who are being deleted are left out, until the worker has taken them off the list; suspended ones are shown
    # to nobody but who follows them, to unfollow them.
    own = viewer == uid and kind == "following"
    shown = tuple(member for member in found[:size] if member and (own or not member.suspended))
    page = Page(shown, cursors[size - 1] if len(uids) > size else None)
    ties = [frozenset(other for other, at in zip(uids, scores, strict=True) if at) for scores in fields[len(uids) :]]
    followed, requested = ties or (frozenset[int](), frozenset[int]())
    return People(profile, page, followed, requested)


def members(db: Db, uids: Sequence[int]) -> list[Member | None]:
    """The members of these ids, in one trip (none without ids); None for one that is gone."""
    replies = db.trip(*map(member_command, uids))
    return [member_from(uid, reply) for uid, reply in zip(uids, replies, strict=True)]
