"""Hidden boosts: a member's boosts leave another member's home, and nothing else does."""

import re

import pytest

from tests.support.settings import with_settings
from tests.support.timelines import home_timeline, post
from tests.support.world import Web, World
from webapp.accounts import keys as account_keys, lifecycle
from webapp.core.errors import Conflict, Invalid, NotFound
from webapp.core.store import Site, partition_of
from webapp.core.web.context import site_of
from webapp.following import keys, member_collections
from webapp.lists import store as lists
from webapp.lists.timeline import list_page
from webapp.statuses.items import status_of
from webapp.timelines.home import stored_home as jobs


@pytest.mark.parametrize("push_max", [1_000, 0], ids=["pushed", "merged"])
def test_hidden_boosts_leave_the_home_until_they_are_shown_again(
    world: World, push_max: int
) -> None:
    world = with_settings(world, push_max_followers=push_max, merged_seconds=0)
    ann, ben, cid = world.people("ann", "ben", "cid")
    world.do(World.follow, ann, "ben")
    own, other = post(world, ben, "mine")[0], post(world, cid, "theirs")[0]
    world.do(World.boost, ben, other)

    assert shown(world, ann) == [other, own]
    assert member_collections.hide_boosts(world, ann, "Ben").uid == ben
    assert shown(world, ann) == [own], "before events are applied"
    world.apply_events()
    world.db.run(("ZADD", account_keys.active_members(partition_of(ann)), 1, ann))
    assert jobs.expire_inactive(world, partition_of(ann)) == 1  # and it is rebuilt
    assert shown(world, ann) == [own]
    assert shown(world, ben) == [own], "only the home of who hides them changes"

    world.do(member_collections.show_boosts, ann, "ben")
    assert shown(world, ann) == [other, own]


def test_lists_leave_out_hidden_boosts_too(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    number = lists.create(world, ann, "Birds", exclusive=True)
    lists.set_memberships(world, ann, "ben", {number: True})
    own, other = post(world, ben, "mine")[0], post(world, cid, "theirs")[0]
    world.do(World.boost, ben, other)

    def listed(viewer: int) -> list[int]:
        page = list_page(world, ann, number, viewer)[1]
        return [status_of(item).id for item in page.items]

    member_collections.hide_boosts(world, ann, "ben")
    assert listed(ann) == [own], "rebuilt"
    assert listed(ann) == [own], "stored"
    assert listed(cid) == [other, own], "only for who hides them"


def test_a_post_boosted_by_somebody_else_stays(world: World) -> None:
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    for login in ("ben", "cid"):
        world.follow(ann, login)
    world.apply_events()
    other = post(world, dot, "theirs")[0]
    world.boost(ben, other)
    world.do(World.boost, cid, other)
    member_collections.hide_boosts(world, ann, "ben")
    assert shown(world, ann) == [other]


def test_hiding_is_bounded_and_refuses_oneself_and_nobody(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, *_ = world.people("ann", "ben", "cid", "dot")
    monkeypatch.setattr(member_collections, "HIDDEN_BOOSTS_MAX", 2)
    world.refuses(Invalid, member_collections.hide_boosts, ann, "ann")
    world.refuses(NotFound, member_collections.hide_boosts, ann, "nobody")
    for login in ("ben", "cid", "ben"):
        member_collections.hide_boosts(world, ann, login)
    world.refuses(Conflict, member_collections.hide_boosts, ann, "dot")
    member_collections.show_boosts(world, ann, "ben")
    member_collections.hide_boosts(world, ann, "dot")
    assert world.db.run(("ZCARD", keys.hidden_boosts(ann))) == 2


def test_the_page_lists_hidden_boosts_without_deleted_members(web: Web) -> None:
    ann, _, _, dot = (web.member(login) for login in ("ann", "ben", "cid", "dot"))
    assert "haven’t hidden anyone’s boosts" in ann.get("/settings/hidden-boosts").text
    for login in ("ben", "cid", "dot"):
        ann.post(f"/@{login}/hide-boosts")
    page = ann.get("/settings/hidden-boosts")
    logins = re.findall(r"/@(\w+)/show-boosts", page.text)
    assert logins == ["dot", "cid", "ben"] and "no-store" in page.headers["Cache-Control"]
    site = site_of(web.app)
    lifecycle.delete_account(site, 3, None)
    back = ann.post("/@ben/show-boosts", data={"next": "/settings/hidden-boosts"})
    assert back.headers["Location"] == "/settings/hidden-boosts"
    assert re.findall(r"/@(\w+)/show-boosts", ann.get("/settings/hidden-boosts").text) == ["dot"]
    assert site.db.run(("ZRANGE", keys.hidden_boosts(1), 0, -1)) == ["4"]
    assert "show-boosts" not in dot.get("/settings/hidden-boosts").text
    assert web.app.test_client().get("/settings/hidden-boosts").status_code == 303


def shown(site: Site, uid: int) -> list[int]:
    """Return the ids of the statuses on a home, boosted or not."""
    return [getattr(item, "status", item).id for item in home_timeline(site, uid).items]
