"""Members whom a member features on the profile."""

import pytest
from flask import Flask

from tests.conftest import SignUp
from tests.support.client_api import ApiClient, connected, ids
from tests.support.world import World
from webapp.accounts import lifecycle
from webapp.core.errors import Conflict
from webapp.following import keys, member_collections, store as following
from webapp.following.blocks import store as blocks
from webapp.following.requests import store as requests

ENDORSED = "v1/accounts/2/endorsements"


def featured(world: World, uid: int) -> list[int]:
    """Return whom a member features."""
    return list(map(int, world.db.run(("ZRANGE", keys.endorsements(uid), 0, -1))))


def test_only_followed_members_are_featured(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    world.refuses(Conflict, member_collections.endorse, ann, "ben")
    for login in ("ben", "cid"):
        world.do(following.follow, ann, login)
    for _ in range(2):
        world.do(member_collections.endorse, ann, "ben")
    monkeypatch.setattr(member_collections, "ENDORSEMENTS_MAX", 1)
    world.refuses(Conflict, member_collections.endorse, ann, "cid")
    assert featured(world, ann) == [ben]
    world.do(member_collections.unendorse, ann, "ben")
    world.do(member_collections.endorse, ann, "cid")
    assert featured(world, ann) == [cid]


@pytest.mark.parametrize("way", ["unfollow", "block", "blocked", "removed", "deleted"])
def test_an_endorsement_ends_with_the_follow(world: World, way: str) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(following.follow, ann, "ben")
    world.do(member_collections.endorse, ann, "ben")
    match way:
        case "unfollow":
            world.do(following.unfollow, ann, "ben")
        case "block":
            world.do(blocks.block, ann, "ben")
        case "blocked":
            world.do(blocks.block, ben, "ann")
        case "removed":
            world.do(requests.remove_follower, ben, "ann")
        case "deleted":
            world.do(lifecycle.delete_account, ben, None)
    assert featured(world, ann) == []


def test_visitors_see_who_is_featured(app: Flask, member: SignUp) -> None:
    ann, visitor = member("ann"), app.test_client()
    member("ben")
    ann.post("/@ben/follow")
    assert "/@ann/featured" not in visitor.get("/@ann").text
    assert "/@ben/endorse" in ann.get("/@ben/menu").text
    said = ann.post("/@ben/endorse", follow_redirects=True)
    assert "Your profile features @ben." in said.text
    assert "/@ben/unendorse" in ann.get("/@ben/menu").text
    assert "/@ann/featured" in visitor.get("/@ann").text
    assert "/@ben" in visitor.get("/@ann/featured").text
    ann.post("/@ben/unendorse")
    assert "/@ann/featured" not in visitor.get("/@ann").text
    assert "No one here yet" in visitor.get("/@ann/featured").text


def test_apps_feature_members(app: Flask, member: SignUp) -> None:
    ann, ben = connected(app, member("ann")), connected(app, member("ben"))
    unfollowed = ben.call("POST /api/v1/accounts/1/pin")
    assert unfollowed.status_code == 422 and "follow them first" in unfollowed.json["error"]
    ben.post("v1/accounts/1/follow")
    for on, off in (("pin", "unpin"), ("endorse", "unendorse")):
        assert ben.post(f"v1/accounts/1/{on}")["endorsed"]
        assert ids(ben.get("v1/endorsements")) == ids(ApiClient(app).get(ENDORSED)) == [1]
        assert ann.get("v1/endorsements") == []
        assert not ben.post(f"v1/accounts/1/{off}")["endorsed"]
        assert ann.get(ENDORSED) == []
