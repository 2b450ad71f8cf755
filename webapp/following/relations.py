"""Relations between a viewer and another member: follows, requests, blocks and mutes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Read, constant, listed_in
from webapp.following.mutes.store import Mute, active_mute

from . import keys

FAMILIAR_MAX = 3  # members named in "followed by …"
LISTS = {  # fields of a Relation that say whether the member is on a list of the viewer
    "following": keys.following,
    "blocking": keys.blocks,
    "blocked_by": keys.blockers,
    "requested": keys.sent_follow_requests,
    "hides_boosts": keys.hidden_boosts,
    "subscribed": keys.subscriptions,
    "endorsed": keys.endorsements,
}


@dataclass(frozen=True, slots=True)
class Relation:
    """The relationship between a viewer and a member.

    `requested`: the viewer has requested to follow. `mute`: the viewer's mute of the member.
    `hides_boosts`: the viewer's home and lists leave out the member's boosts. `note`: the viewer's
    private note about the member, "" for none. `subscribed`: the member's posts notify the viewer.
    `endorsed`: the viewer's profile features the member.
    `viewer_follows`: uids of the viewer's newest follows. Familiar followers are those among them
    who also follow the member.
    """

    following: bool
    followed_by: bool
    blocking: bool
    blocked_by: bool
    mute: Mute | None
    requested: bool
    hides_boosts: bool = False
    note: str = ""
    subscribed: bool = False
    endorsed: bool = False
    viewer_follows: tuple[int, ...] = ()
    familiar_followers: tuple[Member, ...] = ()
    familiar_count: int = 0

    def with_familiar(self, uids: Sequence[int], members: Sequence[Member]) -> Relation:
        """Return the relation with its familiar followers: all their uids, and a few members."""
        return replace(self, familiar_followers=tuple(members), familiar_count=len(uids))


def relation(viewer: int, uid: int, sample_size: int) -> Read[Relation]:
    """Read the relation of `viewer` to `uid`, without familiar followers.

    `sample_size` is how many of the viewer's newest follows may be familiar followers.
    """

    def parse(replies: Sequence[Any]) -> Relation:
        followed_by, note, muted, hidden, *scores, sample = replies
        listed: dict[str, Any] = {
            name: score is not None for name, score in zip(LISTS, scores, strict=True)
        }
        return Relation(
            **listed,
            followed_by=followed_by is not None,
            mute=active_mute(muted, hidden),
            note=note or "",
            viewer_follows=tuple(map(int, sample)),
        )

    commands = (
        ("ZSCORE", keys.following(uid), viewer),
        ("HGET", keys.notes(viewer), uid),
        *(("ZSCORE", key(viewer), uid) for key in (keys.mutes, keys.muted_notifications)),
        *(("ZSCORE", key(viewer), uid) for key in LISTS.values()),
        ("ZRANGE", keys.following(viewer), 0, sample_size - 1, "REV"),
    )
    return Read(commands, parse)


def familiar_uids(relation: Relation, uid: int) -> Read[list[int]]:
    """Read which of the viewer's follows follow `uid`, newest follow first."""
    return listed_in(keys.followers(uid), relation.viewer_follows)


def followed_among(viewer: int | None, uids: Iterable[int]) -> Read[frozenset[int]]:
    """Read which of some members a viewer follows. `viewer`: None for a visitor."""
    if not viewer:
        return constant(frozenset())
    return listed_in(keys.following(viewer), dict.fromkeys(uids)).map(frozenset)


def familiar_members(uids: Sequence[int]) -> Read[list[Member]]:
    """Read the first FAMILIAR_MAX of these members, without suspended ones."""

    def active(members: dict[int, Member]) -> list[Member]:
        return [member for member in members.values() if not member.suspended]

    return accounts.get_many(uids[:FAMILIAR_MAX]).map(active)
