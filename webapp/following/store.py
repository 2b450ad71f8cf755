"""Who follows whom. The follower's own list is the truth; the list of followers is projected from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.accounts.profile import About, about_command, about_from
from webapp.accounts.store import Member, find_member, member_command, member_from
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, max_bound
from webapp.errors import Conflict, Forbidden, Invalid
from webapp.statuses import keys as status_keys
from webapp.timelines import keys as timeline_keys

from . import keys
from .mutes.store import Mute, mute_from

FOLLOW = script("following/lua/follow.lua")
UNFOLLOW = script("following/lua/unfollow.lua")
KEYS_BY_KIND = {"followers": keys.followers, "following": keys.following}
FAMILIAR_MAX = 3  # members named in "followed by …"
PROFILE_REPLIES = 6  # replies to profile_commands


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
    familiar_followers: tuple[Member, ...]
    familiar_count: int
    requested: bool = False


@dataclass(frozen=True, slots=True)
class FollowPage:
    """A page of those who follow a member, or are followed; whom of them the viewer follows, and has asked to.
    `closed`: it is not for the viewer, as the member is protected.
    """

    profile: Profile
    page: Page[Member]
    followed_uids: frozenset[int] = frozenset()
    requested_uids: frozenset[int] = frozenset()
    restricted: bool = False


def follow(db: Db, config: Config, uid: int, login: str) -> Member:
    """Follows the member of this name, whom it returns, or asks them where they are protected; again is no change.
    Raises NotFound, Invalid for oneself, Forbidden for a suspended member or where one blocks the other, Conflict at
    FOLLOWING_MAX or REQUESTS_MAX, Unavailable.
    """
    target = find_member(db, login)
    if target.uid == uid:
        raise Invalid("yourself")
    if target.suspended:
        raise Forbidden("suspended")
    if (
        target.protected
        and db.run(("ZCARD", keys.follow_requests(target.uid))) >= config.requests_max
    ):
        raise Conflict("requests_full")
    p = partition_of(uid)
    names = [
        keys.following(uid),
        keys.sent_follow_requests(uid),
        event_keys.outbox(p),
        account_keys.user(uid),
    ]
    names += [keys.blocks(uid), keys.blockers(uid)]
    arguments = (
        config.following_max,
        p,
        config.outbox_max,
        *request_id_args(),
        config.requests_max,
    )
    db.run(FOLLOW(names, uid, target.uid, *arguments, int(target.protected)))
    return target


def unfollow(db: Db, config: Config, uid: int, login: str) -> Member:
    """Unfollows the member of this name, whom it returns, or takes the request to follow them back; again is no change.
    Raises NotFound, Unavailable.
    """
    target = find_member(db, login)
    p = partition_of(uid)
    names = [
        keys.following(uid),
        timeline_keys.home(uid),
        event_keys.outbox(p),
        timeline_keys.active_members(p),
        keys.sent_follow_requests(uid),
    ]
    db.run(UNFOLLOW(names, uid, target.uid, p, config.outbox_max, *request_id_args()))
    return target


def profile_commands(uid: int) -> list[Command]:
    """The commands whose replies `profile_from` reads."""
    counted_keys = (
        status_keys.profile_statuses(uid),
        status_keys.profile_replies(uid),
        keys.followers(uid),
        keys.following(uid),
    )
    return [member_command(uid), about_command(uid), *(("ZCARD", key) for key in counted_keys)]


def profile_from(uid: int, replies: Sequence[Any]) -> Profile | None:
    """The profile in the replies to `profile_commands`, or None when there is no account."""
    member = member_from(uid, replies[0])
    posts, reply_posts, followers, following = replies[2:PROFILE_REPLIES]
    return (
        Profile(member, about_from(replies[1]), posts + reply_posts, followers, following)
        if member
        else None
    )


def relation_commands(viewer: int, uid: int, sample_size: int) -> list[Command]:
    """The commands whose replies `relation` reads. `sample`: how many of the viewer's newest follows are looked
    through.
    """
    return [
        ("ZSCORE", keys.following(viewer), uid),
        ("ZSCORE", keys.following(uid), viewer),
        *(
            ("ZSCORE", of(viewer), uid)
            for of in (
                keys.blocks,
                keys.blockers,
                keys.mutes,
                keys.muted_notifications,
                keys.sent_follow_requests,
            )
        ),
        ("ZRANGE", keys.following(viewer), 0, sample_size - 1, "REV"),
    ]


def follows_from(replies: Sequence[Any]) -> bool:
    """Whether the viewer follows the member, from the replies to `relation_commands`."""
    return replies[0] is not None


def load_relation(
    db: Db,
    uid: int,
    replies: Sequence[Any],
    extra_commands: Sequence[Command] = (),
    next_commands: Callable[[Sequence[Any]], Sequence[Command]] = lambda replies: (),
) -> tuple[Relation, Sequence[Any], Sequence[Any]]:
    """The relation in the replies to `relation_commands`, with the familiar followers, in at most two more trips; the
    replies to `more` commands, which go in the first of them, and to those that `then` makes of these, in the second.
    """
    (
        following,
        followed_by,
        blocking,
        blocked_by,
        mute_until,
        hidden_until,
        requested,
        sampled_uids,
    ) = replies
    familiar_commands: list[Command] = (
        [("ZMSCORE", keys.followers(uid), *sampled_uids)] if sampled_uids else []
    )
    first_replies = db.trip(*familiar_commands, *extra_commands)
    scores = first_replies[0] if sampled_uids else []
    familiar_uids = [int(other) for other, score in zip(sampled_uids, scores, strict=True) if score]
    shown_uids, extra_replies = (
        familiar_uids[:FAMILIAR_MAX],
        first_replies[len(familiar_commands) :],
    )
    member_replies, next_replies = db.trip_by_group(
        [member_command(other) for other in shown_uids], next_commands(extra_replies)
    )
    loaded = (
        member_from(other, reply) for other, reply in zip(shown_uids, member_replies, strict=True)
    )
    familiar_members = tuple(member for member in loaded if member and not member.suspended)
    result = Relation(
        *(
            following is not None,
            followed_by is not None,
            blocking is not None,
            blocked_by is not None,
        ),
        *(
            mute_from(mute_until, hidden_until),
            familiar_members,
            len(familiar_uids),
            requested is not None,
        ),
    )
    return result, extra_replies, next_replies


def load_follow_page(
    db: Db, kind: str, uid: int, before: int | None, size: int, viewer: int | None
) -> FollowPage | None:
    """A member with a page of their `followers` or `following`, newest first; None when there is no account. At most
    two trips.
    """
    range_command = (
        "ZRANGE",
        KEYS_BY_KIND[kind](uid),
        max_bound(before),
        "-inf",
        "BYSCORE",
        "REV",
        "LIMIT",
        0,
        size + 1,
        "WITHSCORES",
    )
    *replies, viewer_follows, range_reply = db.trip(
        *profile_commands(uid), ("ZSCORE", keys.following(viewer or 0), uid), range_command
    )
    profile = profile_from(uid, replies)
    if profile is None:
        return None
    if profile.member.protected and viewer != uid and not (viewer and viewer_follows):
        return FollowPage(profile, Page(()), restricted=True)
    uids, cursors = (
        [int(other) for other in range_reply[::2]],
        [int(score) for score in range_reply[1::2]],
    )
    list_keys = (keys.following, keys.sent_follow_requests) if viewer and uids else ()
    score_commands: list[Command] = [("ZMSCORE", of(viewer or 0), *uids) for of in list_keys]
    member_replies = db.trip(*map(member_command, uids), *score_commands)
    loaded = [member_from(other, reply) for other, reply in zip(uids, member_replies, strict=False)]
    # Members who are being deleted are left out, until the worker has taken them off the list; suspended ones are shown
    # to nobody but who follows them, to unfollow them.
    is_own_following = viewer == uid and kind == "following"
    visible = tuple(
        member for member in loaded[:size] if member and (is_own_following or not member.suspended)
    )
    page = Page(visible, cursors[size - 1] if len(uids) > size else None)
    uid_sets = [
        frozenset(other for other, at in zip(uids, scores, strict=True) if at)
        for scores in member_replies[len(uids) :]
    ]
    followed, requested = uid_sets or (frozenset[int](), frozenset[int]())
    return FollowPage(profile, page, followed, requested)


def members_by_ids(db: Db, uids: Sequence[int]) -> list[Member | None]:
    """The members of these ids, in one trip (none without ids); None for one that is gone."""
    replies = db.trip(*map(member_command, uids))
    return [member_from(uid, reply) for uid, reply in zip(uids, replies, strict=True)]
