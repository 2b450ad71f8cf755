"""`linnet doctor --verify` names what does not agree, and `--repair` mends it."""

import time
from collections.abc import Callable

import pytest

from tests.support import worker
from tests.support.engines import EVERY_ENGINE
from tests.support.operators import Linnet, linnet as linnet
from tests.support.settings import with_settings
from tests.support.timelines import post
from tests.support.world import World
from webapp.accounts import keys as accounts, lifecycle
from webapp.admin.verify import checking
from webapp.admin.verify.checking import Found, check_all, mend, still_wrong
from webapp.core.store import Command, Site
from webapp.following import keys as following
from webapp.following.blocks.store import block
from webapp.following.store import follow
from webapp.statuses import keys as statuses
from webapp.statuses.interactions import keys as interactions
from webapp.statuses.interactions.boosts import boost
from webapp.statuses.interactions.likes import like, unlike


def found_in(site: Site) -> list[Found]:
    return still_wrong(site, [one for _, found in check_all(site, share=1) for one in found])


@pytest.fixture
def scene(world: World, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """Return ann, ben, and a post of ann that ben likes, boosts and answers. He follows her."""
    monkeypatch.setattr(checking, "SETTLE_SECONDS", 0)
    ann, ben, cid = world.people("ann", "ben", "cid")
    (status_id,) = post(world, ann, "hello")
    world.post(ben, "@ann hello", reply=status_id)
    follow(world, ben, "ann")
    like(world, ben, status_id)
    boost(world, ben, status_id)
    world.do(block, cid, "ben")
    return ann, ben, status_id


# What is planted, by (ann, ben, the post's id), and a part of what is said.
PLANTED: dict[str, tuple[Callable[[int, int, int], Command], str]] = {
    "a wrong count of likes": (
        lambda a, b, id: ("HSET", statuses.status(id), "likes", 7),
        "shows [7, 1, 1] likes, boosts and replies; there are [1, 1, 1]",
    ),
    "a wrong count of replies": (
        lambda a, b, id: ("HDEL", statuses.status(id), "replies"),
        "shows [1, 1, 0]",
    ),
    "an orphan entry": (
        lambda a, b, id: ("ZADD", statuses.profile_statuses(a), id + 64, id + 64),
        "there is no such post",
    ),
    "a login without an account": (
        lambda a, b, id: ("SET", accounts.login("dora"), "77:1"),
        "who has no such account",
    ),
    "a lost like": (lambda a, b, id: ("ZREM", interactions.likers(id), b), "is not in likers:"),
    "a lost boost": (lambda a, b, id: ("ZREM", interactions.boosters(id), b), "not in boosters:"),
    "a lost follower": (lambda a, b, id: ("ZREM", following.followers(a), b), "not in followers:"),
    "a lost block": (lambda a, b, id: ("DEL", following.blockers(b)), "not in blockers:"),
    "a login that is lost": (
        lambda a, b, id: ("DEL", accounts.login("ann")),
        "has login:{ann}, which is free",
    ),
    "a like too many": (
        lambda a, b, id: ("ZREM", interactions.member_likes(b), id),
        "is not in likes:",
    ),
    "a boost too many": (
        lambda a, b, id: ("ZREM", interactions.member_boosts(b), f"{id}:{a}"),
        "is not in boosts:",
    ),
    "a follower too many": (
        lambda a, b, id: ("ZREM", following.following(b), a),
        "is not in following:",
    ),
}


@EVERY_ENGINE
def test_what_is_wrong_is_named_and_mended(site: Site, scene: tuple[int, int, int]) -> None:
    assert not found_in(site)
    for planted, (plant, text) in PLANTED.items():
        site.db.run(plant(*scene))
        found = found_in(site)
        assert any(text in one.fault.text for one in found), planted
        mend(site, found)
        worker.drain(site)
        assert not found_in(site), planted


def test_what_only_looked_wrong_is_not_named(site: Site, scene: tuple[int, int, int]) -> None:
    _, ben, status_id = scene
    unlike(site, ben, status_id)
    seen = [one for _, found in check_all(site, share=1) for one in found]
    assert seen and seen[0].fault.mend
    worker.drain(site)
    assert not still_wrong(site, seen)


def test_the_login_of_an_account_that_is_being_deleted_stays_reserved(
    site: Site, scene: tuple[int, int, int]
) -> None:
    ann, *_ = scene
    site.db.run(("SET", accounts.login("ann"), f"{ann}:1"))
    lifecycle.delete_account(site, ann, None)
    assert not [one for one in found_in(site) if "has no such account" in one.fault.text]
    worker.drain(site)
    assert site.db.run(("TTL", accounts.login("ann"))) > 0 and not found_in(site)


def test_a_follow_that_a_protected_member_never_saw_becomes_a_request(
    site: Site, scene: tuple[int, int, int]
) -> None:
    ann, ben, _ = scene
    lifecycle.protect(site, ann, True)
    worker.drain(site)
    site.db.run(("ZREM", following.followers(ann), ben))
    mend(site, found_in(site))
    worker.drain(site)
    assert not found_in(site)
    assert site.db.run(("ZSCORE", following.follow_requests(ann), ben))


def test_collections_past_their_bound_are_named(site: Site, scene: tuple[int, int, int]) -> None:
    _, ben, _ = scene
    likes = interactions.member_likes(ben)
    small = with_settings(site, likes_max=0)
    assert [one.fault.text for one in found_in(small)] == [f"{likes} holds 1, of 0 at most"]


def test_the_command_says_what_is_wrong_and_how_to_mend_it(
    linnet: Linnet, site: Site, scene: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", site.config.redis_url)
    assert "keys agree with each other" in linnet("doctor", "--verify").output
    site.db.run(("HSET", statuses.status(scene[2]), "likes", 7))
    result = linnet("doctor", "--verify")
    assert result.exit_code == 1 and "linnet doctor --verify --repair" in result.output
    result = linnet("doctor", "--verify", "--repair")
    assert result.exit_code == 0 and "Mended 1 of 1." in result.output


def test_a_check_that_ended_early_is_no_success(
    linnet: Linnet, site: Site, scene: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", site.config.redis_url)
    monkeypatch.setattr(checking, "FOUND_MAX", 1)
    site.db.run(("HSET", statuses.status(scene[2]), "likes", 7))
    result = linnet("doctor", "--verify", "--repair")
    assert "Mended 1 of 1." in result.output and "not all was checked" in result.output
    assert result.exit_code == 1
    assert linnet("doctor", "--verify").exit_code == 0


def test_the_walk_rests_most_of_the_time(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []
    monkeypatch.setattr(checking.time, "sleep", rests.append)
    started = time.monotonic()
    parts = list(check_all(site))
    seconds = time.monotonic() - started
    assert len(rests) == len(parts) and 0 < sum(rests) <= 19 * seconds
