"""Reads of what the visibility policy needs: the viewer's blocks, mutes and follows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from typing import Any

from webapp.core.store.reads import Read, constant
from webapp.following import keys as following_keys
from webapp.following.mutes.mute import is_active
from webapp.following.relations import Relation
from webapp.lists import keys as list_keys

from .policy import Relationship


def relationship(
    viewer: int | None, authors: Iterable[int], for_home: bool = False
) -> Read[Relationship]:
    """Read what is between a viewer (None: a visitor) and authors.

    `for_home`: authors on an exclusive list of the viewer's count as muted.
    """
    others = sorted(set(authors) - {viewer or 0})
    if not viewer or not others:
        return constant(Relationship(viewer or 0))
    list_of = [
        following_keys.blocks,
        following_keys.blockers,
        following_keys.mutes,
        following_keys.following,
        *([list_keys.home_excluded] if for_home else []),
    ]

    def parse(replies: Sequence[Any]) -> Relationship:
        blocks, blocked_by, mute_ends, follows, *excluded = replies
        muted = [
            uid
            for uid, until in zip(others, mute_ends, strict=True)
            if until is not None and is_active(until)
        ]
        return Relationship(
            viewer,
            _uids_with_score(others, blocks),
            _uids_with_score(others, blocked_by),
            frozenset(muted).union(*(_uids_with_score(others, scores) for scores in excluded)),
            _uids_with_score(others, follows),
        )

    return Read(tuple(("ZMSCORE", key(viewer), *others) for key in list_of), parse)


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


def hidden_authors(viewer: int, requested: Collection[int] = ()) -> Read[Mapping[int, float]]:
    """Read all authors hidden from a viewer, each with the end in unix seconds (inf: for good).

    For connections that stay open. `requested`: authors whom the viewer opens; mutes spare them.
    """
    commands = (
        ("ZRANGE", following_keys.blocks(viewer), 0, -1),
        ("ZRANGE", following_keys.blockers(viewer), 0, -1),
        ("ZRANGE", following_keys.mutes(viewer), 0, -1, "WITHSCORES"),
    )

    def parse(replies: Sequence[Any]) -> Mapping[int, float]:
        blocks, blocked_by, mutes = replies
        ends = zip(map(int, mutes[::2]), map(float, mutes[1::2]), strict=True)
        muted = {uid: until for uid, until in ends if uid not in requested and is_active(until)}
        return muted | dict.fromkeys(map(int, (*blocks, *blocked_by)), inf)

    return Read(commands, parse)


def _uids_with_score(uids: Sequence[int], scores: Sequence[Any]) -> frozenset[int]:
    return frozenset(uid for uid, score in zip(uids, scores, strict=True) if score is not None)
