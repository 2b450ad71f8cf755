"""Blocks: they end follows in both directions and prevent new ones."""

import random
from functools import partial

import pytest
from flask.testing import FlaskClient

from tests.support.concurrently import together
from tests.support.events import event_log
from tests.support.pages import check_error, page_text
from tests.support.settings import with_settings
from tests.support.timelines import home_timeline
from tests.support.world import Web, World
from webapp.accounts import store as accounts
from webapp.core.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.core.events import keys as event_keys
from webapp.core.store import Db, Site, partition_of
from webapp.following import keys as following_keys, store as following
from webapp.following.blocks import store as blocks


def held(db: Db, own: str, target: int, mirror: str, uid: int) -> tuple[bool, bool]:
    """Return if each of two lists has its member."""
    scores = db.trip(("ZSCORE", own, target), ("ZSCORE", mirror, uid))
    return scores[0] is not None, scores[1] is not None


def follows(db: Db, uid: int, target: int) -> tuple[bool, bool]:
    """Return if `uid` follows, by their own list and by the target's list of followers."""
    return held(db, following_keys.following(uid), target, following_keys.followers(target), uid)


def blocking(db: Db, uid: int, target: int) -> tuple[bool, bool]:
    """Return if `uid` blocks, by their own list and by the target's list of blockers."""
    return held(db, following_keys.blocks(uid), target, following_keys.blockers(target), uid)


def logins(db: Db, uid: int) -> list[str]:
    """Return the logins a member blocks."""
    return [member.login for member in blocks.page(db, uid).items]


def home(site: Site, uid: int) -> list[int]:
    """Return the ids on the first page of a home."""
    return [status.id for status in home_timeline(site, uid).items]


def test_a_block_ends_follows_both_ways_and_empties_both_homes(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    for uid, target in ((ann, "ben"), (ben, "ann"), (ben, "cid")):
        following.follow(world, uid, target)
    world.apply_events()
    by_ann, by_ben, by_cid = (world.post(uid, "hi") for uid in (ann, ben, cid))
    world.apply_events()
    assert by_ben in home(world, ann) and by_ann in home(world, ben)
    assert blocks.block(world, ann, "Ben").uid == ben
    assert follows(world.db, ann, ben)[0] is False
    assert home(world, ann) == [by_ann], "before events are applied"
    world.apply_events()
    assert follows(world.db, ann, ben) == follows(world.db, ben, ann) == (False, False)
    assert blocking(world.db, ann, ben) == (True, True)
    assert blocking(world.db, ben, ann) == (False, False)
    assert home(world, ben) == [by_cid, by_ben] and follows(world.db, ben, cid) == (True, True)
    assert "unfollowed" in [entry["type"] for entry in event_log(world.db)]


def test_neither_member_can_follow_the_other_until_the_block_ends(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(blocks.block, ann, "ben")
    sentences = set()
    for uid, target in ((ann, "ben"), (ben, "ann")):
        with pytest.raises(Forbidden) as refusal:
            following.follow(world, uid, target)
        sentences.add(str(refusal.value.sentence))
    assert sentences == {"You can’t follow this member."}, "it does not reveal who blocked whom"
    world.do(blocks.unblock, ann, "ben")
    assert blocking(world.db, ann, ben) == (False, False)
    following.follow(world, ann, "ben")
    world.do(following.follow, ben, "ann")
    assert follows(world.db, ann, ben) == follows(world.db, ben, ann) == (True, True)


def test_blocking_again_changes_nothing_and_emits_no_event(world: World) -> None:
    ann, *_ = world.people("ann", "ben")
    outbox = event_keys.outbox(partition_of(ann))
    blocks.block(world, ann, "ben")
    reads = (("ZRANGE", following_keys.blocks(ann), 0, -1, "WITHSCORES"), ("XLEN", outbox))
    before = world.db.trip(*reads)
    blocks.block(world, ann, "ben")
    assert world.db.trip(*reads) == before
    blocks.unblock(world, ann, "ben")
    before = world.db.run(("XLEN", outbox))
    blocks.unblock(world, ann, "ben")
    assert world.db.run(("XLEN", outbox)) == before


def test_invalid_blocks_are_refused(world: World) -> None:
    ann, *_ = world.people("ann", "ben", "cid")
    limited = with_settings(world, blocks_max=1)
    limited.refuses(Invalid, blocks.block, ann, "ann")
    limited.refuses(NotFound, blocks.block, ann, "nobody_here")
    blocks.block(limited, ann, "ben")
    limited.refuses(Conflict, blocks.block, ann, "cid")
    assert logins(world.db, ann) == ["ben"]
    full = with_settings(world, outbox_max=1)
    full.refuses(Exception, blocks.block, ann, "cid", match="overloaded")
    assert logins(world.db, ann) == ["ben"]


def test_blocked_either_way_sees_both_directions_in_one_trip(world: World) -> None:
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    blocks.block(world, ann, "ben")
    blocks.block(world, cid, "ann")  # not applied yet: ann's list of blockers lacks it
    trips = world.db.trips
    assert blocks.blocked_either_way(world.db, ann, [ben, cid, dot, ann]) == {ben, cid}
    assert world.db.trips - trips == 1
    assert blocks.blocked_either_way(world.db, dot, [ann, ben, cid]) == set()
    assert blocks.blocked_either_way(world.db, ann, []) == set()
    assert blocks.blocked_either_way(world.db, ann, [ann]) == set()


def test_blocks_are_paged_newest_first_without_repeats(world: World) -> None:
    ann, *_ = world.people("ann", *(f"bird{n}" for n in range(7)))
    for n in range(7):
        blocks.block(world, ann, f"bird{n}")
    listed, cursor, trips = list[str](), None, world.db.trips
    for _ in range(3):
        page = blocks.page(world.db, ann, cursor, 3)
        listed += [member.login for member in page.items]
        cursor = page.next
    assert listed == [f"bird{n}" for n in range(6, -1, -1)] and cursor is None
    assert world.db.trips - trips == 6


def test_a_follow_concurrent_with_a_block_is_ended(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.apply_events()
    blocks.block(world, ann, "ben")
    world.do(following.follow, ben, "ann")  # ben's partition does not have the block yet
    assert follows(world.db, ben, ann) == (False, False)
    assert blocking(world.db, ann, ben) == (True, True)


def test_a_block_undone_before_it_is_applied_ends_no_follow(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(following.follow, ben, "ann")
    blocks.block(world, ann, "ben")
    world.do(blocks.unblock, ann, "ben")
    assert follows(world.db, ben, ann) == (True, True)
    assert blocking(world.db, ann, ben) == (False, False)


def test_concurrent_blocks_and_follows_leave_consistent_lists(world: World) -> None:
    uids = dict(zip(("ann", "ben", "cid"), world.people("ann", "ben", "cid"), strict=True))
    rng = random.Random(5)
    changes = [blocks.block, blocks.unblock, following.follow, following.follow]
    calls = [(rng.choice(changes), *rng.sample(list(uids), 2)) for _ in range(50)]
    together([partial(change, world, uids[login], target) for change, login, target in calls])
    world.apply_events()
    for uid in uids.values():
        for target in uids.values():
            blocks_target, blocker_listed = blocking(world.db, uid, target)
            follows_target, follower_listed = follows(world.db, uid, target)
            assert blocks_target == blocker_listed, (uid, target)
            assert follows_target == follower_listed, (uid, target)
            assert not (blocks_target and (follows_target or follows(world.db, target, uid)[0])), (
                uid,
                target,
            )


def test_a_deleted_member_leaves_all_lists_of_blocks(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    blocks.block(world, ann, "ben")
    world.do(blocks.block, cid, "ann")
    world.delete_account(ann, None)
    assert logins(world.db, cid) == [], "before events are applied"
    world.apply_events()
    for key in (
        following_keys.blocks(ann),
        following_keys.blockers(ann),
        following_keys.blockers(ben),
        following_keys.blocks(cid),
    ):
        assert not world.db.run(("EXISTS", key)), key


def test_a_block_concurrent_with_a_deletion_is_removed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = world.people("ann", "ben")
    world.apply_events()
    deleted = accounts.get_by_login(world.db, "ben")
    world.do(World.delete_account, ben, None)
    monkeypatch.setattr(accounts, "get_by_login", lambda db, login: deleted)
    world.do(blocks.block, ann, "ben")
    assert not world.db.run(("EXISTS", following_keys.blocks(ann)))
    assert not world.db.run(("EXISTS", following_keys.blockers(ben)))


def test_a_member_blocks_on_a_profile_and_unblocks_in_the_settings(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    ben.post("/@ann/follow")
    assert "Block @ben" in page_text(ann.get("/@ben/menu"))
    answer = ann.post("/@BEN/block")
    assert answer.status_code == 303 and answer.location == "/@ben"
    page = page_text(ann.get("/@ben"))
    assert "@ben is blocked." in page
    assert "Unblock" in page
    assert "Blocked" in page
    assert "Follow you" not in page
    check_error(ben.post("/@ann/follow"), 403, "You can’t follow this member.")
    bens_page = ben.get("/@ann").text
    assert "@ann doesn’t share their posts with you." in bens_page and "Blocked" not in bens_page
    listed = ann.get("/settings/blocks")
    assert 'href="/@ben"' in listed.text and listed.headers["Cache-Control"] == "no-store"
    answer = ann.post("/@ben/unblock", data={"next": "/settings/blocks"})
    assert answer.location == "/settings/blocks"
    assert "You haven’t blocked anyone." in page_text(ann.get("/settings/blocks"))
    assert ben.post("/@ann/follow").status_code == 303


def test_pages_of_blocks_refuse_invalid_requests(ann: FlaskClient) -> None:
    check_error(ann.post("/@ann/block"), 422, "You can’t block yourself.")
    check_error(ann.post("/@nobody_here/block"), 404)
    check_error(ann.post("/@nobody_here/unblock"), 404)
    check_error(ann.get("/settings/blocks?max_id=x"), 422)
