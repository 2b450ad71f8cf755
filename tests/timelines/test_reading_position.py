"""How far a member has read their home: kept for all of their devices, and theirs alone."""

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.support.concurrently import at_once
from tests.support.pages import post_status
from tests.support.world import Web, World
from webapp.config import Config
from webapp.timelines.home import frame

LINK = "Continue where you left off"


@pytest.fixture
def settings(settings: Config) -> Config:
    """Show two posts on a page."""
    return replace(settings, page_size=2)


def test_the_position_only_moves_forward_however_many_devices_tell_it(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    at_once(8, lambda number: frame.mark_read(world.db, ann, home=number), range(50, 0, -1))
    assert world.db.read(frame.home_frame(ann)).read_up_to == 50
    assert world.db.read(frame.home_frame(ben)).read_up_to == 0


def read_up_to(client: FlaskClient, status_id: object) -> int:
    """Report the newest post that was read. Return the status of the answer."""
    return client.post("/home/position", data={"id": status_id}).status_code


def test_home_leads_back_to_a_post_that_is_below_its_first_page(ann: FlaskClient) -> None:
    ids = [post_status(ann, f"post {number}") for number in range(5)]
    assert LINK not in ann.get("/home").text
    assert read_up_to(ann, ids[1]) == 204
    home = ann.get("/home").text
    link = re.search(r'<p class="left-off"><a href="([^"]*)"', home)
    assert link and link[1] == f"/home?max_id={ids[1] + 1}"
    back = ann.get(link[1]).text
    assert "post 1" in back and "post 2" not in back and LINK not in back
    assert read_up_to(ann, ids[4]) == read_up_to(ann, ids[0]) == 204
    assert LINK not in ann.get("/home").text


def test_positions_of_visitors_and_of_posts_that_cannot_be_are_refused(web: Web) -> None:
    ann = web.member("ann")
    for status_id in ("", "x", "-1", "0", "9007199254740991"):
        assert read_up_to(ann, status_id) == 422
    assert read_up_to(web.client, 1) == 303
