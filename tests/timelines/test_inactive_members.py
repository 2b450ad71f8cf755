"""Inactive members cost nothing: no home, no delivery."""

from __future__ import annotations

from tests.conftest import ApplyEvents, People
from tests.support.timelines import home_timeline
from webapp.accounts import keys as account_keys
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.statuses import store as statuses
from webapp.timelines.home import expiry as jobs


def post(site: Site, uid: int, text: str) -> int:
    return statuses.post(site, uid, parse(text), f"form-{uid}-{text}")


def stored_home(db: Db, uid: int) -> list[object]:
    """Return if a member's home exists, and the score of their last visit."""
    return db.trip(
        ("EXISTS", account_keys.home(uid)),
        ("ZSCORE", account_keys.active_members(partition_of(uid)), uid),
    )


def expire(site: Site, uid: int) -> None:
    """Make a member inactive, as after HOME_DAYS without a visit."""
    site.db.run(("ZADD", account_keys.active_members(partition_of(uid)), 1, uid))
    assert jobs.expire_inactive(site, partition_of(uid)) == 1


def test_no_home_is_stored_for_an_inactive_member(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    wren, goldfinch, owl = people("wren", "goldfinch", "owl")
    first = post(site, goldfinch, "first")
    following.follow(site, wren, "goldfinch")
    apply_events()
    assert stored_home(site.db, wren)[0] == 1
    expire(site, wren)
    assert stored_home(site.db, wren) == [0, None]
    # Others post and delete; the member's API clients post, follow, unfollow and delete.
    post(site, goldfinch, "second")
    statuses.delete(site, goldfinch, first)
    post(site, owl, "hoot")
    apply_events()
    following.follow(site, wren, "owl")
    own = post(site, wren, "from a script")
    apply_events()
    following.unfollow(site, wren, "goldfinch")
    statuses.delete(site, wren, own)
    apply_events()
    assert stored_home(site.db, wren) == [0, None]


def test_a_status_is_delivered_to_no_inactive_follower(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    author, active, *inactive = people("goldfinch", "wren", "owl", "lark", "rook")
    for follower in (active, *inactive):
        following.follow(site, follower, "goldfinch")
    apply_events()

    def additions(text: str) -> int:
        site.db.on_every_primary("CONFIG", "RESETSTAT")
        post(site, author, text)
        apply_events()
        return _additions(site.db)

    additions_for_all = additions("hello wren")
    for uid in inactive:
        expire(site, uid)
    assert additions("hello lark") == additions_for_all - len(inactive)
    assert [status.text for status in home_timeline(site, inactive[0]).items] == [
        "hello lark",
        "hello wren",
    ]


def _additions(db: Db) -> int:
    """Return how many entries were added to sorted sets since the statistics were reset."""
    lines = "\n".join(db.on_every_primary("INFO", "commandstats")).splitlines()
    return sum(
        int(line.split("calls=")[1].split(",")[0])
        for line in lines
        if line.startswith("cmdstat_zadd:")
    )
