"""Pins of groups: posts that owners show above the newest."""

from flask.testing import FlaskClient

from tests.community.groups.conftest import MakeGroup
from tests.community.groups.reading import NEW, post, post_to, shown
from tests.support.concurrently import concurrently
from tests.support.settings import with_settings
from tests.support.world import World
from webapp.community.groups import keys
from webapp.community.groups.posts import PINNED_MAX, drop_post, pin_post
from webapp.core.errors import Conflict, Forbidden, NotFound


def test_owners_pin_posts_above_the_newest(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben)
    first, second, third, fourth = (post(world, ben, gid, f"post {n}") for n in range(4))
    world.apply_events()
    world.refuses(Forbidden, pin_post, ben, gid, first, is_pinned=True)
    pin_post(world, ann, gid, first, is_pinned=True)
    pin_post(world, ann, gid, first, is_pinned=True)
    assert shown(world, gid, ben) == [first, fourth, third, second]
    assert shown(world, gid, ben, is_top=True)[0] == fourth
    pin_post(world, ann, gid, second, is_pinned=True)
    pin_post(world, ann, gid, third, is_pinned=True)
    world.refuses(Conflict, pin_post, ann, gid, fourth, is_pinned=True)
    drop_post(world, ann, gid, third)
    world.do(World.delete, ben, second)
    assert shown(world, gid, ben) == [first, fourth]
    world.refuses(NotFound, pin_post, ann, gid, third, is_pinned=True)
    assert world.db.run(("ZCARD", keys.group_pinned(gid))) == 1
    pin_post(world, ann, gid, first, is_pinned=False)
    assert shown(world, gid, ben) == [fourth, first]


def test_fifty_pins_at_once_are_three(world: World, make_group: MakeGroup) -> None:
    (ann,) = world.people("ann")
    gid = make_group(ann)
    posted = [post(world, ann, gid, f"post {n}") for n in range(5)]
    world.apply_events()
    concurrently(lambda n: pin_post(world, ann, gid, posted[n % 5], is_pinned=True), 50)
    assert world.db.run(("ZCARD", keys.group_pinned(gid))) == PINNED_MAX


def test_a_pin_goes_with_a_post_that_is_too_old(world: World, make_group: MakeGroup) -> None:
    (ann,) = world.people("ann")
    gid = make_group(ann)
    oldest = world.do(post, ann, gid, "oldest")
    pin_post(world, ann, gid, oldest, is_pinned=True)
    world = with_settings(world, group_posts_max=2)
    for number in range(2):
        post(world, ann, gid, f"post {number}")
    world.apply_events()
    assert oldest not in shown(world, gid, ann)
    assert not world.db.run(("EXISTS", keys.group_pinned(gid)))


def test_the_page_marks_pinned_posts(ann: FlaskClient, ben: FlaskClient) -> None:
    ann.post("/groups/new", data=NEW)
    ben.post("/groups/birders/join")
    first = post_to(ben, "birders", "first")
    post_to(ann, "birders", "second")
    path = f"/groups/birders/posts/{first}"
    assert ben.post(f"{path}/pin").status_code == 403
    assert ann.post(f"{path}/pin").location == "/groups/birders"
    page = ben.get("/groups/birders").text
    assert page.index("Pinned") < page.index("first") < page.index("second")
    assert f"{path}/unpin" not in page, "only owners have the button"
    assert f"{path}/unpin" in ann.get("/groups/birders/top").text
    assert ann.post(f"{path}/unpin").location == "/groups/birders"
    assert "Pinned" not in ben.get("/groups/birders").text
