"""Lists that are pinned to home: their order, their tabs, and who may pin."""

import re

from flask.testing import FlaskClient

from tests.support.concurrently import at_once
from tests.support.pages import check_error
from tests.support.world import Web, World
from webapp.core.errors import Conflict, NotFound
from webapp.core.store import Site
from webapp.lists import store as lists, store as pins
from webapp.timelines import keys
from webapp.timelines.home.frame import home_frame


def tabs(site: Site, uid: int) -> list[str]:
    """Return the names of the lists that are pinned to a member's home, in order."""
    return [one.name for one in site.db.read(home_frame(uid)).lists]


def make_lists(site: Site, uid: int, *names: str) -> list[int]:
    """Create lists and pin them in this order. Return their numbers."""
    numbers = [lists.create(site, uid, name) for name in names]
    for number in numbers:
        pins.pin(site, uid, number)
    return numbers


def test_pinned_lists_keep_their_order_through_moves_new_names_and_deletion(world: World) -> None:
    [ann] = world.people("ann")
    a, _, c = make_lists(world, ann, "a", "b", "c: d")
    assert tabs(world, ann) == ["a", "b", "c: d"]
    pins.pin(world, ann, c, 0)
    pins.pin(world, ann, a, 1)
    assert tabs(world, ann) == ["c: d", "a", "b"]
    pins.unpin(world, ann, c)
    pins.unpin(world, ann, c)
    lists.update(world, ann, a, "A", private=False, exclusive=False)
    assert tabs(world, ann) == ["A", "b"]
    lists.delete(world, ann, a)
    assert tabs(world, ann) == ["b"]


def test_only_lists_of_ones_own_can_be_pinned_and_no_more_than_fit(world: World) -> None:
    [ann] = world.people("ann")
    world.refuses(NotFound, pins.pin, ann, 1)
    names = [str(index) for index in range(pins.PINNED_MAX)]
    numbers = make_lists(world, ann, *names)
    one_more = lists.create(world, ann, "one more")
    world.refuses(Conflict, pins.pin, ann, one_more)
    pins.pin(world, ann, numbers[-1], 0)  # to move one there is room
    assert tabs(world, ann) == [names[-1], *names[:-1]]


def test_pins_and_moves_at_once_lose_no_list(world: World) -> None:
    [ann] = world.people("ann")
    numbers = make_lists(world, ann, "a", "b", "c")
    at_once(8, lambda turn: pins.pin(world, ann, numbers[turn % 3], turn % 4), range(50))
    assert sorted(tabs(world, ann)) == ["a", "b", "c"]
    scores = world.db.run(("ZRANGE", keys.home_tabs(ann), 0, -1, "WITHSCORES"))[1::2]
    assert list(map(int, scores)) == [1, 2, 3]


def tab_texts(client: FlaskClient, path: str) -> list[str]:
    """Return the tabs of home on a page; the current one with a star."""
    nav = re.search(r'<nav class="tabs home-tabs".*?</nav>', client.get(path).text, re.DOTALL)
    found = re.findall(r'<a href="[^"]*"( aria-current)?.*?<bdi>(.*?)</bdi>', nav[0] if nav else "")
    return [label + "*" * bool(current) for current, label in found]


def test_home_popular_posts_and_pinned_lists_show_the_tabs(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    ann.post("/lists", data={"name": "Birds & bees"})
    assert tab_texts(ann, "/home") == ["Following*", "Popular"]
    assert tab_texts(ann, "/@ann/lists/1") == []
    pinned = ann.post("/lists/1/pin", data={"next": "/@ann/lists/1"})
    assert pinned.status_code == 303 and pinned.location == "/@ann/lists/1"
    assert tab_texts(ann, "/home") == ["Following*", "Popular", "Birds &amp; bees"]
    assert tab_texts(ann, "/home/popular") == ["Following", "Popular*", "Birds &amp; bees"]
    assert tab_texts(ann, "/@ann/lists/1") == ["Following", "Popular", "Birds &amp; bees*"]
    assert tab_texts(ben, "/@ann/lists/1") == tab_texts(web.client, "/@ann/lists/1") == []
    assert tab_texts(ben, "/home") == ["Following*", "Popular"]
    assert ann.post("/lists/1/unpin").location == "/lists"
    assert tab_texts(ann, "/home") == ["Following*", "Popular"]


def test_bad_places_and_lists_of_others_are_refused(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    for name in ("One", "Two"):
        ann.post("/lists", data={"name": name})
    for place in ("99999999999999999999", "-3", "x", ""):
        assert ann.post("/lists/2/pin", data={"place": place}).status_code == 303
    check_error(ben.post("/lists/1/pin"), 404, "This list doesn’t exist, or you can’t see it.")
