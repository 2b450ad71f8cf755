"""Boards: members by the points that they earned by checking in."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Db, Read, collect, gather, read
from webapp.following import keys as following_keys
from webapp.statuses import Relationship, relationship

from . import keys

MINUTES = 2**26  # as in lua/includes/earned.lua
BOARD_MAX = 1_000_000  # members of a board, in all shards
SIZE = 100  # places that a page shows
FOLLOWED_MAX = 5_000  # follows that a board compares
ALL_TIME = "all"
Scores = Sequence[tuple[int, int]]  # (uid, score), best first


@dataclass(frozen=True, slots=True)
class Place:
    """A member's place on a board."""

    rank: int
    member: Member
    points: int


def this_week() -> int:
    """Return the week, counted from 1970, from Monday (UTC)."""
    return (int(time.time()) // 86_400 + 3) // 7


def board_of_all(db: Db, uid: int, when: str) -> tuple[list[Place], int]:
    """Return the first places among all members, and the viewer's own rank, 0 if none.

    `when`: a week, or ALL_TIME. Three trips.
    """
    shards = range(keys.BOARD_SHARDS)
    first = (0, SIZE - 1, "REV", "WITHSCORES")
    found, own = db.fetch(
        collect(read(("ZRANGE", keys.board(one, when), *first), _scores) for one in shards),
        read(("ZSCORE", keys.board(uid, when), uid), lambda score: int(score or 0)),
    )
    above = (read(("ZCOUNT", keys.board(one, when), f"({own}", "+inf"), int) for one in shards)
    best = _best(chain(*found))
    places, counts = db.fetch(_places(uid, best), collect(above))
    return places, _rank(best, uid) or (sum(counts) + 1 if own else 0)


def board_of_followed(db: Db, uid: int, when: str) -> tuple[list[Place], int]:
    """Return the first places among the viewer and those whom the viewer follows, as above."""
    newest = ("ZRANGE", following_keys.following(uid), 0, FOLLOWED_MAX - 1, "REV")
    uids = [uid, *map(int, db.run(newest))]
    by_shard = [
        [one for one in uids if one % keys.BOARD_SHARDS == n] for n in range(keys.BOARD_SHARDS)
    ]
    reads = (_scores_of(some, when) for some in by_shard if some)
    best = _best(chain(*db.read(collect(reads))), len(uids))
    return db.read(_places(uid, best[:SIZE])), _rank(best, uid)


def _rank(scores: Scores, uid: int) -> int:
    """Return a member's place among scores, 0 if there is none."""
    return next((rank for rank, (one, _) in enumerate(scores, 1) if one == uid), 0)


def _scores(reply: Sequence[str]) -> Scores:
    return [(int(uid), int(score)) for uid, score in zip(reply[::2], reply[1::2], strict=True)]


def _scores_of(uids: Sequence[int], when: str) -> Read[Scores]:
    def parse(scores: Sequence[Any]) -> Scores:
        return [(uid, int(score)) for uid, score in zip(uids, scores, strict=True) if score]

    return read(("ZMSCORE", keys.board(uids[0], when), *uids), parse)


def _best(scores: Iterable[tuple[int, int]], size: int = SIZE) -> Scores:
    return sorted(scores, key=lambda one: (-one[1], one[0]))[:size]


def _places(viewer: int, scores: Scores) -> Read[list[Place]]:
    """Read the members of places, without those who are blocked or muted, or block the viewer."""
    uids = [uid for uid, _ in scores]

    def build(found: tuple[dict[int, Member], Relationship]) -> list[Place]:
        members, relation = found
        return [
            Place(rank, members[uid], score // MINUTES)
            for rank, (uid, score) in enumerate(scores, 1)
            if uid in members and not members[uid].suspended
            if uid not in relation.hidden_in_timelines
        ]

    return gather(accounts.get_many(uids), relationship(viewer, uids)).map(build)
