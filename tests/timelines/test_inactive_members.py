"""A member who stays away costs nothing: no home, no delivery, no script of their own."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.timelines import home_timeline
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.statuses import store as statuses
from webapp.timelines import jobs
from webapp.timelines import keys as timeline_keys

People = Callable[..., list[int]]
Settle = Callable[[], None]


def post(db: Db, config: Config, uid: int, text: str) -> int:
    return statuses.post(db, config, uid, parse(text), f"form-{uid}-{text}")


def kept(db: Db, uid: int) -> list[object]:
    return db.trip(
        ("EXISTS", timeline_keys.home(uid)),
        ("ZSCORE", timeline_keys.active_members(partition_of(uid)), uid),
    )


def retire(db: Db, config: Config, uid: int) -> None:
    """As if the member had been away for HOME_DAYS."""
    db.run(("ZADD", timeline_keys.active_members(partition_of(uid)), 1, uid))
    assert jobs.expire_inactive(db, config, partition_of(uid)) == 1


def test_nothing_is_kept_for_a_member_who_stays_away_whatever_happens(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    wren, goldfinch, owl = people("wren", "goldfinch", "owl")
    first = post(db, config, goldfinch, "first")
    following.follow(db, config, wren, "goldfinch")
    settle()
    assert kept(db, wren)[0] == 1
    retire(db, config, wren)
    assert kept(db, wren) == [0, None]
    # Others write and take back; the member's own scripts post, follow, unfollow and delete.
    post(db, config, goldfinch, "second")
    statuses.delete(db, config, goldfinch, first)
    post(db, config, owl, "hoot")
    settle()
    following.follow(db, config, wren, "owl")
    own = post(db, config, wren, "from a script")
    settle()
    following.unfollow(db, config, wren, "goldfinch")
    statuses.delete(db, config, wren, own)
    settle()
    assert kept(db, wren) == [0, None]


def test_a_status_is_written_into_no_home_of_those_who_stay_away(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    author, here, *away = people("goldfinch", "wren", "owl", "lark", "rook")
    for follower in (here, *away):
        following.follow(db, config, follower, "goldfinch")
    settle()

    def additions(text: str) -> int:
        db.on_every_primary("CONFIG", "RESETSTAT")
        post(db, config, author, text)
        settle()
        return _additions(db)

    all_here = additions("hello")
    for uid in away:
        retire(db, config, uid)
    assert additions("hello again") == all_here - len(away)
    assert [status.text for status in home_timeline(db, config, away[0]).items] == [
        "hello again",
        "hello",
    ]


def _additions(db: Db) -> int:
    """Return how many entries were added to sorted sets since the statistics were reset."""
    found = "\n".join(db.on_every_primary("INFO", "commandstats")).splitlines()
    return sum(
        int(line.split("calls=")[1].split(",")[0])
        for line in found
        if line.startswith("cmdstat_zadd:")
    )
