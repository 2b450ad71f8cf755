"""Replies and boosts leave a home whose member hides them; own boosts are never in it."""

import pytest

from tests.support.concurrently import at_once
from tests.support.pages import check_error
from tests.support.settings import with_settings
from tests.support.timelines import expire_home, home, home_timeline, post
from tests.support.world import Web, World
from webapp.accounts import keys as account_keys
from webapp.core.errors import Forbidden
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.core.web.context import site_of
from webapp.statuses import store as statuses
from webapp.statuses.interactions import keys as interaction_keys
from webapp.timelines.home.kinds import HomeKinds, hide_kinds, home_kinds


def reply(site: Site, uid: int, parent: int, text: str) -> int:
    return statuses.post(
        site, uid, parse(text), f"reply-{uid}-{parent}-{text}".replace(" ", "-"), reply=parent
    )


@pytest.mark.parametrize("push_max", [1_000, 0], ids=["pushed", "merged"])
def test_a_home_leaves_out_the_kinds_that_its_member_hides(world: World, push_max: int) -> None:
    world = with_settings(world, push_max_followers=push_max, merged_seconds=0)
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    for login in ("ben", "cid"):
        world.follow(ann, login)
    world.apply_events()
    mine, first, other = (
        post(world, ann, "a")[0],
        post(world, ben, "b")[0],
        post(world, dot, "d")[0],
    )
    to_cid = reply(world, ben, post(world, cid, "c")[0], "to cid")
    thread, to_ann = reply(world, ben, first, "more"), reply(world, ben, mine, "to ann")
    own = reply(world, ann, other, "ann to dot")
    world.do(World.boost, ben, other)
    everything = set(shown(world, ann))
    assert everything >= {mine, first, other, to_cid, thread, to_ann, own}
    for _ in ("stored", "rebuilt"):
        hide_kinds(world.db, ann, replies=True, boosts=False)
        assert set(shown(world, ann)) == everything - {to_cid}
        hide_kinds(world.db, ann, replies=False, boosts=True)
        assert set(shown(world, ann)) == everything - {other}
        hide_kinds(world.db, ann, replies=True, boosts=True)
        expire_home(world, ann)
        assert set(shown(world, ann)) == everything - {to_cid, other}
        hide_kinds(world.db, ann, replies=False, boosts=False)
        assert set(shown(world, ann)) == everything
    assert not world.db.run(("HEXISTS", account_keys.user(ann), "home_hides"))


def test_pages_stay_full_where_replies_and_boosts_are_hidden(world: World) -> None:
    world = with_settings(world, page_size=3)
    ann, ben, cid = world.people("ann", "ben", "cid")
    for login in ("ben", "cid"):
        world.follow(ann, login)
    world.do(World.follow_tag, ann, "song")
    kept = []
    for number in range(8):
        kept += post(world, ben, f"post {number}")
        for repeat in range(6):
            reply(world, cid, kept[-1], f"reply {number} {repeat}")
        world.boost(cid, kept[-1])
    world.apply_events()
    hide_kinds(world.db, ann, replies=True, boosts=True)
    assert home(world, ann) == kept[::-1]
    before = world.db.trips
    home_timeline(world, ann)
    assert world.db.trips - before <= 3


def test_replies_under_a_followed_hashtag_are_hidden_too(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    world.follow_tag(ann, "song")
    [tagged] = post(world, ben, "listen #song")
    answer = world.do(reply, cid, tagged, "lovely #song")
    assert home(world, ann) == [answer, tagged]
    hide_kinds(world.db, ann, replies=True, boosts=False)
    assert home(world, ann) == [tagged]


def test_own_boosts_are_never_shown_on_ones_home(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    [other] = post(world, ben, "hello")
    home(world, ann)
    world.do(World.boost, ann, other)
    assert shown(world, ann) == []
    boost_id = int(world.db.run(("ZSCORE", interaction_keys.member_boosts(ann), f"{other}:{ben}")))
    entry = f"{boost_id}:{ann}:{ben}={other}"  # as homes of earlier versions have it
    world.db.run(("ZADD", account_keys.home(ann), boost_id, entry))
    assert shown(world, ann) == []
    expire_home(world, ann)
    assert shown(world, ann) == []


def test_a_suspended_member_changes_nothing_and_many_at_once_agree(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    at_once(10, lambda n: hide_kinds(world.db, ann, n % 2 == 0, n % 2 == 0), range(50))
    found = world.db.read(home_kinds(ann))
    assert found in (HomeKinds(ann, True, True), HomeKinds(ann))
    world.suspend(ben)
    with pytest.raises(Forbidden):
        hide_kinds(world.db, ben, replies=True, boosts=True)


def test_the_page_of_home_settings_saves_both_switches(web: Web) -> None:
    ann, db = web.member("ann"), site_of(web.app).db
    assert 'href="/settings/home"' in ann.get("/home").text
    assert "checked" not in ann.get("/settings/home").text
    saved = ann.post("/settings/home", data={"hides_boosts": "y"})
    assert (saved.status_code, saved.headers["Location"]) == (303, "/home")
    assert db.read(home_kinds(1)) == HomeKinds(1, hides_boosts=True)
    assert ann.get("/settings/home").text.count("checked") == 1
    ann.post("/settings/home")
    assert db.read(home_kinds(1)) == HomeKinds(1)
    visitor = web.app.test_client().get("/settings/home")
    assert visitor.status_code == 303 and "/login" in visitor.headers["Location"]
    check_error(ann.get("/settings/homes"), 404)


def shown(site: Site, uid: int) -> list[int]:
    """Return the statuses on the first page of a member's home."""
    items = home_timeline(site, uid).items
    return [item.status.id if hasattr(item, "booster") else item.id for item in items]
