"""Reads for the visibility policy: the viewer's blocks, mutes and follows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from typing import Any, Literal

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Read, constant, gather
from webapp.following import keys as following_keys
from webapp.following.mutes.store import is_active
from webapp.following.relations import Relation
from webapp.timelines import keys as timeline_keys

from .policy import Relationship

Place = Literal["", "home", "list"]  # where boosts may be hidden


def relationship(
    viewer: int | None,
    authors: Iterable[int],
    place: Place = "",
    with_requests: bool = False,
) -> Read[Relationship]:
    """Read blocks, mutes and follows between a viewer and authors. `viewer`: None for a visitor.

    `place`: in a home or a list, the members whose boosts the viewer hides are read too. In a home,
    authors on an exclusive list of the viewer's count as muted. `with_requests`: the viewer's
    requests to follow too.
    """
    others = sorted(set(authors) - {viewer or 0})
    if not viewer or not others:
        return constant(Relationship(viewer or 0))
    lists = {  # by the field of the relationship
        "blocks": following_keys.blocks,
        "blocked_by": following_keys.blockers,
        "mutes": following_keys.mutes,
        "follows": following_keys.following,
    }
    if place == "home":
        lists["excluded"] = timeline_keys.home_excluded
    if place:
        lists["hidden_boosters"] = following_keys.hidden_boosts
    if with_requests:
        lists["requested"] = following_keys.sent_follow_requests

    def parse(replies: Sequence[Any]) -> Relationship:
        scores = dict(zip(lists, replies, strict=True))
        muted = _active_mutes(others, scores.pop("mutes"))
        fields = {name: _uids_with_score(others, each) for name, each in scores.items()}
        return Relationship(viewer, mutes=muted | fields.pop("excluded", frozenset()), **fields)

    return Read(tuple(("ZMSCORE", key(viewer), *others) for key in lists.values()), parse)


def block_relationships(
    viewers: Iterable[int], authors: Iterable[int]
) -> Read[dict[int, Relationship]]:
    """Read the blocks between each viewer and some authors, by the viewer's uid.

    For statuses that several viewers are shown. Mutes and follows are left out. Everybody's own
    list is read: lists of blockers lag behind. One command for each viewer and each author.
    """
    uids, others = sorted(set(viewers)), sorted(set(authors))
    if not uids or not others:
        return constant({uid: Relationship(uid) for uid in uids})

    def parse(replies: Sequence[Any]) -> dict[int, Relationship]:
        blocks = replies[: len(uids)]
        blocked_by = zip(*replies[len(uids) :], strict=True)  # turned: a row for each viewer
        return {
            uid: Relationship(uid, _uids_with_score(others, own), _uids_with_score(others, theirs))
            for uid, own, theirs in zip(uids, blocks, blocked_by, strict=True)
        }

    commands = (
        *(("ZMSCORE", following_keys.blocks(uid), *others) for uid in uids),
        *(("ZMSCORE", following_keys.blocks(author), *uids) for author in others),
    )
    return Read(commands, parse)


def from_relation(viewer: int, author: int, relation: Relation | None) -> Relationship:
    """Return the relationship with the author of a profile. `relation`: None for oneself."""
    if relation is None:
        return Relationship(viewer)

    def if_true(flag: object) -> frozenset[int]:
        return frozenset({author} if flag else ())

    return Relationship(
        viewer,
        blocks=if_true(relation.blocking),
        blocked_by=if_true(relation.blocked_by),
        mutes=if_true(relation.mute),
        follows=if_true(relation.following),
    )


def hidden_by(viewer: int, requested: Collection[int]) -> Read[Mapping[int, float]]:
    """Read the members that a viewer blocks or mutes, each with the end in unix seconds or inf.

    For connections that stay open. At most BLOCKS_MAX and MUTES_MAX authors. `requested`: authors
    whom the viewer opens; mutes spare them.
    """
    commands = (
        ("ZRANGE", following_keys.blocks(viewer), 0, -1),
        ("ZRANGE", following_keys.mutes(viewer), 0, -1, "WITHSCORES"),
    )

    def parse(replies: Sequence[Any]) -> Mapping[int, float]:
        blocks, mutes = replies
        ends = zip(map(int, mutes[::2]), map(float, mutes[1::2]), strict=True)
        muted = {uid: until for uid, until in ends if uid not in requested and is_active(until)}
        return muted | dict.fromkeys(map(int, blocks), inf)

    return Read(commands, parse)


def _active_mutes(uids: Sequence[int], ends: Sequence[Any]) -> frozenset[int]:
    pairs = zip(uids, ends, strict=True)
    return frozenset(uid for uid, until in pairs if until is not None and is_active(until))


def _uids_with_score(uids: Sequence[int], scores: Sequence[Any]) -> frozenset[int]:
    return frozenset(uid for uid, score in zip(uids, scores, strict=True) if score is not None)


def visible_members(viewer: int | None, uids: Sequence[int]) -> Read[dict[int, Member]]:
    """Read members by uid, without those who are suspended and those whom a block hides.

    `viewer`: None for a visitor.
    """
    if not uids:
        return constant({})

    def visible(found: tuple[dict[int, Member], Relationship]) -> dict[int, Member]:
        members, relation = found
        return {
            uid: member
            for uid, member in members.items()
            if not member.suspended and relation.visible_on_request(uid)
        }

    return gather(accounts.get_many(uids), relationship(viewer, uids)).map(visible)


def listed_members(viewer: int | None, uids: Sequence[int]) -> Read[dict[int, Member]]:
    """Read members as `visible_members`, without others whom moderators have limited."""

    def listed(found: dict[int, Member]) -> dict[int, Member]:
        return {uid: one for uid, one in found.items() if uid == viewer or not one.limited}

    return visible_members(viewer, uids).map(listed)
