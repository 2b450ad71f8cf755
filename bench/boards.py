"""Measure boards of a million members, beside one sorted set with all of them."""

import time
from collections.abc import Callable, Sequence
from random import Random

from webapp.accounts import store as accounts
from webapp.following import keys as following_keys
from webapp.rewards.points import keys
from webapp.rewards.points.boards import (
    ALL_TIME,
    FOLLOWED_MAX,
    MINUTES,
    SIZE,
    board_of_all,
    board_of_followed,
)

from .site import Site, add_members, send, site
from .table import Figure, compare

MEMBERS = 1_000_000
POINTS_MAX = 5_000
TOGETHER = 500  # scores that a command of the preparation adds
VIEWERS, ROUNDS = 200, 5
ONE_SET = "board:{all-members}"  # the reference


def measure() -> list[Figure]:
    """Measure how many boards a second are read: of all, and of those whom a member follows."""
    rng = Random("boards")
    with site() as here:
        scores = [
            rng.randrange(POINTS_MAX) * MINUTES + rng.randrange(MINUTES) for _ in range(MEMBERS)
        ]
        for shard in range(keys.BOARD_SHARDS):
            _fill(
                here, keys.board(shard, ALL_TIME), range(shard, MEMBERS, keys.BOARD_SHARDS), scores
            )
        _fill(here, ONE_SET, range(MEMBERS), scores)
        viewers = rng.sample(range(1, MEMBERS), VIEWERS)
        best = sorted(range(MEMBERS), key=lambda uid: -scores[uid])[:SIZE]
        add_members(here.db, [*best, *viewers])
        _follow_many(here, viewers[0], rng)
        return [
            compare(
                "boards of a million members a second, shards beside one set",
                "a second",
                lambda: _rate(lambda uid: board_of_all(here.db, uid, ALL_TIME), viewers),
                lambda: _rate(lambda uid: _one_set(here, uid), viewers),
                ROUNDS,
            ),
            Figure(
                f"the board of {FOLLOWED_MAX:,} followed members",
                1_000
                / _rate(lambda uid: board_of_followed(here.db, uid, ALL_TIME), viewers[:1] * 20),
                "ms",
            ),
        ]


def _fill(here: Site, board: str, uids: range, scores: Sequence[int]) -> None:
    parts = (uids[start : start + TOGETHER] for start in range(0, len(uids), TOGETHER))
    send(
        here.db,
        (("ZADD", board, *(x for uid in part for x in (scores[uid], uid))) for part in parts),
    )


def _follow_many(here: Site, uid: int, rng: Random) -> None:
    followed = rng.sample(range(1, MEMBERS), FOLLOWED_MAX)
    pairs = (part for at, one in enumerate(followed) for part in (at, one))
    here.db.run(("ZADD", following_keys.following(uid), *pairs))


def _one_set(here: Site, uid: int) -> None:
    """Read a board and a member's rank from one sorted set, and the members on it."""
    top, _ = here.db.trip(("ZRANGE", ONE_SET, 0, SIZE - 1, "REV"), ("ZREVRANK", ONE_SET, uid))
    here.db.read(accounts.get_many(map(int, top)))


def _rate(read_board: Callable[[int], object], viewers: Sequence[int]) -> float:
    began = time.perf_counter()
    for uid in viewers:
        read_board(uid)
    return len(viewers) / (time.perf_counter() - began)
