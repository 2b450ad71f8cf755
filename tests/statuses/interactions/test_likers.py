"""Lists of likers: pages, blocks, suspensions, and deleted accounts."""

from tests.support.schema import live_keys
from tests.support.statuses.interactions import liker_ids, logins
from tests.support.world import World, post
from webapp.statuses.interactions import keys as interaction_keys, likers


def test_a_block_keeps_earlier_likes(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id, by_ben = post(world, ann), post(world, ben)
    world.like(ben, status_id)
    world.like(ann, by_ben)
    world.do(World.block, ann, "ben")
    assert liker_ids(world.db, status_id) == {ben} and liker_ids(world.db, by_ben) == {ann}
    assert logins(likers.likers(world.db, status_id, None, 30, ann)) == []  # she blocks him
    assert logins(likers.likers(world.db, status_id, None, 30, None)) == ["ben"]
    assert logins(likers.likers(world.db, by_ben, None, 30, ben)) == []
    world.do(World.unlike, ben, status_id)
    assert liker_ids(world.db, status_id) == set()


def test_the_first_to_like_is_named_if_the_viewer_sees_them(world: World) -> None:
    ann, *birds = world.people("ann", "ben", "cid", "dan")
    status_id = post(world, ann)

    def first() -> str | None:
        found = likers.likers(world.db, status_id, None, 2, ann).first
        return found.login if found else None

    assert first() is None
    for uid in birds:
        world.do(World.like, uid, status_id)
    assert first() == "ben", "who is not on the first page"
    world.block(ann, "ben")
    assert first() is None
    world.do(World.unlike, birds[0], status_id)
    assert first() == "cid"


def test_suspended_likers_are_counted_and_deleted_ones_removed(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status_id = post(world, ann)
    for uid in (ben, cid):
        world.do(World.like, uid, status_id)
    world.follow(ann, "cid")
    found = likers.likers(world.db, status_id, None, 30, ann)
    expected = (["cid", "ben"], 2, {cid}, ann)
    assert (logins(found), found.count, found.followed_uids, found.author.uid) == expected
    world.do(World.suspend, cid)
    found = likers.likers(world.db, status_id, None, 30, None)
    assert (logins(found), found.count) == (["ben"], 2)
    world.bookmark(ben, status_id)
    world.delete_account(ben, None)
    # Before projections run.
    assert logins(likers.likers(world.db, status_id, None, 30, None)) == []
    world.apply_events()
    assert liker_ids(world.db, status_id) == {cid}
    assert not any(
        world.db.trip(
            ("EXISTS", interaction_keys.member_likes(ben)),
            ("EXISTS", interaction_keys.bookmarks(ben)),
        )
    )
    world.do(World.delete_account, ann, None)
    assert not [key for key in live_keys(world.db) if key.startswith(("likers:", "status:"))]


def test_pages_of_likers_are_complete_without_repeats(world: World) -> None:
    ann, *members = world.people("ann", *(f"bird{number}" for number in range(7)))
    status_id = post(world, ann)
    for uid in members:
        world.like(uid, status_id)
    world.apply_events()
    found, cursor = list[str](), None
    for _ in range(3):
        page_of_likers = likers.likers(world.db, status_id, cursor, 3, ann)
        found += logins(page_of_likers)
        cursor = page_of_likers.page.next
    assert sorted(found) == [f"bird{number}" for number in range(7)] and cursor is None
