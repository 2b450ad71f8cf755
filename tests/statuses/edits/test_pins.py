"""Pinned statuses: at most five of the author's own, first on the profile."""

import re

from flask.testing import FlaskClient

from tests.support import paging
from tests.support.concurrently import concurrently
from tests.support.pages import check_error
from tests.support.settings import with_settings
from tests.support.statuses.edits import post_status, status_texts
from tests.support.world import Web, World, post
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Site
from webapp.statuses.edits import keys as edit_keys, pins
from webapp.timelines.profile import ProfileQuery, profile_page


def pinned_ids(site: Site, login: str = "ann") -> list[int]:
    """Return the ids of the pinned statuses of a profile."""
    return [status.id for status in profile_page(site, ProfileQuery(login)).timeline.pinned]


def profile_ids(site: Site) -> list[int]:
    """Return the status ids on all pages of Ann's profile."""
    read = lambda before: profile_page(site, ProfileQuery("ann", None, before)).timeline
    found = list(paging.pages(read))
    assert {len(page.items) for page in found[:-1]} <= {site.config.page_size}
    return [status.id for page in found for status in (*page.pinned, *page.items)]


def test_profile_pages_show_each_status_once_and_pinned_ones_first(world: World) -> None:
    world = with_settings(world, page_size=3)
    (ann,) = world.people("ann")
    created = [post(world, ann, f"text {number}") for number in range(12)]
    for number in (2, 11, 10, 9, 0):
        pins.pin(world, ann, created[number])
        pins.pin(world, ann, created[number])  # no change
    first = [created[number] for number in (0, 9, 10, 11, 2)]
    assert pinned_ids(world) == first
    found = profile_ids(world)
    assert found == first + [status_id for status_id in created[::-1] if status_id not in first]
    pins.unpin(world, ann, created[9])
    pins.unpin(world, ann, created[9])
    world.delete(ann, created[10])
    assert pinned_ids(world) == [created[number] for number in (0, 11, 2)]
    assert world.status(created[0]).pinned
    assert not world.status(created[9]).pinned
    bounded = with_settings(world, pinned_max=1)  # the others keep their chronological places
    assert pinned_ids(bounded) == [created[0]]
    assert profile_ids(bounded) == [
        created[0],
        *(status_id for status_id in created[:0:-1] if status_id != created[10]),
    ]
    world.apply_events()


def test_members_pin_at_most_five_of_their_own_statuses(world: World) -> None:
    uids = world.crowd(65)
    ann, ben, same_partition = uids[0], uids[1], uids[64]
    created = [post(world, ann, f"text {number}") for number in range(6)]
    for stranger in (ben, same_partition):
        world.refuses(Forbidden, pins.pin, stranger, created[0], match="not_yours")
        pins.unpin(world, stranger, created[0])
    world.refuses(NotFound, pins.pin, ann, created[-1] + (1 << 30))
    results = concurrently(lambda n: pins.pin(world, ann, created[n % 6]), 24)
    assert "pins_full" in results and len(pinned_ids(world, "bird0")) == 5
    world.suspend(ann)
    world.refuses(Forbidden, pins.pin, ann, created[0], match="suspended")
    world.do(World.delete_account, ann, None)
    assert not world.db.run(("EXISTS", edit_keys.pinned_statuses(ann)))


def test_pinning_and_unpinning_reorders_the_profile_for_everybody(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    paths = [post_status(ann, text) for text in ("one", "two", "three")]
    assert status_texts(web.client.get("/@ann").text) == ["three", "two", "one"]
    number = paths[0].rpartition("/")[2]
    menu = ann.get(f"{paths[0]}/menu").text
    action = re.search(r'formaction="([^"]+/pin)"', menu)
    assert action and action[1] == f"/statuses/{number}/pin"
    response = ann.post(action[1], data={"next": "/@ann"})
    assert (response.status_code, response.location) == (303, "/@ann")
    page = ann.get("/@ann").text
    assert "Pinned to your profile." in page and "Pin to your profile" in menu
    assert "Unpin" in ann.get(f"{paths[0]}/menu").text
    for html in (page, web.client.get("/@ann").text, ben.get("/@ann").text):
        assert status_texts(html) == ["one", "three", "two"]
        assert '<h2 id="pinned">Pinned</h2>' in html
    assert status_texts(web.client.get("/public").text) == ["three", "two", "one"]
    titles = re.findall(r"<title>(\w+)</title>", web.client.get("/@ann/feed.atom").text)
    assert titles == ["three", "two", "one"]
    assert "Unpin" not in web.client.get("/@ann").text + ben.get("/@ann").text
    check_error(ben.post(action[1]), 403)
    assert ann.post(f"/statuses/{number}/unpin").location == "/@ann"
    assert status_texts(web.client.get("/@ann").text) == ["three", "two", "one"]
    for path in paths:
        ann.post(f"/statuses/{path.rpartition('/')[2]}/pin")
    page = web.client.get("/@ann").text
    assert status_texts(page) == ["three", "two", "one"]
    assert "No posts yet" not in page


def test_a_sixth_pin_is_refused_with_a_message(ann: FlaskClient) -> None:
    paths = [post_status(ann, f"text {number}") for number in range(6)]
    answers = [ann.post(f"/statuses/{path.rpartition('/')[2]}/pin") for path in paths]
    assert [response.status_code for response in answers] == [303] * 5 + [409]
    assert "Unpin one first." in answers[-1].text


def test_pins_cost_a_profile_no_trips(web: Web) -> None:
    ann, ben, db = web.member("ann"), web.member("ben"), web.db
    paths = [post_status(ann, f"text {number}") for number in range(5)]

    def trips() -> int:
        before = int(db.trips)
        ben.get("/@ann")
        return int(db.trips) - before

    trips_before = trips()
    for path in paths:
        ann.post(f"/statuses/{path.rpartition('/')[2]}/pin")
    assert trips() == trips_before
