"""Inactive members cost nothing: no home, no delivery."""

from tests.support.store_dump import calls
from tests.support.timelines import expire_home, home_timeline
from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.core.store import Db, partition_of


def stored_home(db: Db, uid: int) -> list[object]:
    """Return if a member's home exists, and the score of their last visit."""
    return db.trip(
        ("EXISTS", account_keys.home(uid)),
        ("ZSCORE", account_keys.active_members(partition_of(uid)), uid),
    )


def test_no_home_is_stored_for_an_inactive_member(world: World) -> None:
    wren, goldfinch, owl = world.people("wren", "goldfinch", "owl")
    first = world.post(goldfinch, "first")
    world.do(World.follow, wren, "goldfinch")
    assert stored_home(world.db, wren)[0] == 1
    expire_home(world, wren)
    assert stored_home(world.db, wren) == [0, None]
    # Others post and delete; the member's API clients post, follow, unfollow and delete.
    world.post(goldfinch, "second")
    world.delete(goldfinch, first)
    world.post(owl, "hoot")
    world.apply_events()
    world.follow(wren, "owl")
    own = world.post(wren, "from a script")
    world.apply_events()
    world.unfollow(wren, "goldfinch")
    world.do(World.delete, wren, own)
    assert stored_home(world.db, wren) == [0, None]


def test_a_status_is_delivered_to_no_inactive_follower(world: World) -> None:
    author, active, *inactive = world.people("goldfinch", "wren", "owl", "lark", "rook")
    for follower in (active, *inactive):
        world.follow(follower, "goldfinch")
    world.apply_events()

    def additions(text: str) -> int:
        before = calls(world.db, "zadd")
        world.post(author, text)
        world.apply_events()
        return calls(world.db, "zadd") - before

    additions_for_all = additions("hello wren")
    for uid in inactive:
        expire_home(world, uid)
    assert additions("hello lark") == additions_for_all - len(inactive)
    expected = ["hello lark", "hello wren"]
    assert [status.text for status in home_timeline(world, inactive[0]).items] == expected
