"""The pages of nearby without scripts: posts around a point, people, and what is never shown."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.support.pages import page_text, status_ids
from tests.support.schema import live_keys
from tests.support.world import Web, store_of
from webapp.community.nearby import keys, people
from webapp.community.nearby.points import nearest
from webapp.config import Rate

HERE = {"lat": "52.5203", "long": "13.4051", "place": "Museum"}
AT = "/nearby?at=52.52,13.4&radius=5"
FILTER = {"words": "heron", "public": "y", "filter_action": "hide", "expires_in": "always"}


def post_here(author: FlaskClient, text: str = "Heron!", **fields: str) -> int:
    """Post with a place, and return the post's id."""
    created = author.post("/statuses", data={"text": text, **HERE, **fields})
    assert created.status_code == 303
    return status_ids(author.get("/home"))[0]


def test_posts_around_a_point_have_a_distance_and_a_direction(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    assert "No posts around here" in ben.get(AT).text
    near = post_here(ann)
    far = post_here(ann, "Cranes", lat="52.60", long="13.4")
    post_here(ann, "No coordinates", lat="", long="")
    assert status_ids(ben.get(AT)) == [near]
    page = ben.get("/nearby?at=52.52, 13.40&radius=20")
    assert status_ids(page) == [near, far]
    assert "under 1 km" in page_text(page) and "9 km north" in page_text(page)
    assert 'href="/nearby?at=' in ben.get(f"/@ann/{near}/menu").text
    assert status_ids(ben.get("/nearby?at=-52.52,13.4")) == []


@pytest.mark.parametrize(
    "hide", ["delete", "edit", "all", "account", "protect", "unfound", "block", "mute", "filter"]
)
def test_posts_that_are_gone_or_restricted_never_show(web: Web, hide: str) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    shown = post_here(ann)
    assert status_ids(ben.get(AT)) == [shown]
    paths: dict[str, Callable[[], object]] = {
        "delete": lambda: ann.post(f"/statuses/{shown}/delete"),
        "edit": lambda: ann.post(
            f"/@ann/{shown}/edit", data={"text": "Heron!", "version": "0", "remove_place": "y"}
        ),
        "all": lambda: ann.post("/statuses/places/remove"),
        "account": lambda: ann.post("/settings/delete", data={"password": "correct horse battery"}),
        "protect": lambda: ann.post("/settings/privacy", data={"protected": "y"}),
        "unfound": lambda: ann.post("/settings/privacy", data={"hidden_from_search": "y"}),
        "block": lambda: ann.post("/@ben/block"),
        "mute": lambda: ben.post("/@ann/mute"),
        "filter": lambda: ben.post("/settings/filters", data=FILTER),
    }
    paths[hide]()
    assert status_ids(ben.get(AT)) == []
    stored = any(re.match(r"(?!fences:).*\{geo-", key) for key in live_keys(store_of(web.app)))
    assert stored == (hide in ("protect", "unfound", "block", "mute", "filter"))


def test_restricted_posts_are_in_no_cell(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    for visibility in ("unlisted", "followers", "mentioned"):
        text = "@ben look"
        ann.post("/statuses", data={"text": text, **HERE, "visibility": visibility})
    assert status_ids(ben.get(AT)) == []
    assert not any(re.match(r"(?!fences:).*\{geo-", key) for key in live_keys(store_of(web.app)))


@pytest.mark.parametrize(
    "at", ["here", "86,0", "nan,nan", "1", "1,181", "1e3,2", "٣,٤", "1,2,3", "%00", "9" * 5_000]
)
def test_a_wrong_point_is_explained(ann: FlaskClient, at: str) -> None:
    assert ann.get("/nearby", query_string={"at": at}).status_code == 422
    page = ann.post("/nearby/people", data={"at": at})
    assert page.status_code == 422 and "Type latitude and longitude" in page.text
    assert f'value="{at[:60]}"' in page.text
    assert ann.get("/nearby?at=1,2&radius=-7").status_code == 200
    assert ann.get("/nearby?at=1.1234567891,-2.5&radius=x").status_code == 200


def test_a_wrong_point_does_not_say_that_nobody_can_find_one(ann: FlaskClient) -> None:
    ann.post("/nearby/people", data={"at": "52.5234,13.4099"})
    page = ann.post("/nearby/people", data={"at": "here"})
    assert page.status_code == 422 and "Type latitude and longitude" in page.text
    assert "You can be found around 52.52, 13.41" in page_text(page)
    assert "This is off." not in page.text and 'value="here"' in page.text
    assert ann.post("/nearby/people", data={"at": "1,2"}).status_code == 303
    assert "around 1.00, 2.00" in page_text(ann.get("/nearby/people"))


def test_people_are_found_only_by_people_who_can_be_found(web: Web) -> None:
    ann, ben, eve = web.member("ann"), web.member("ben"), web.member("eve")
    assert "This is off." in ann.get("/nearby/people").text
    ann.post("/nearby/people", data={"at": "52.5234,13.4099"})
    assert "No one else is around" in ann.get("/nearby/people").text
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    assert f'until <time datetime="{tomorrow:%Y-%m-%d}' in ann.get("/nearby/people").text
    assert "@ann" not in ben.get("/nearby/people").text
    ben.post("/nearby/people", data={"at": "52.55,13.41"})
    eve.post("/nearby/people", data={"at": "52.52,13.41"})
    page = page_text(ann.get("/nearby/people"))
    assert "Under 5 km" in page and "Under 2 km" in page and "@ben" in page and "@eve" in page
    ben.post("/@ann/block")
    for one, other in ((ann, 'href="/@ben"'), (ben, 'href="/@ann"')):
        assert f'class="person-link" {other}' not in one.get("/nearby/people").text
    eve.post("/nearby/people", data={"at": "0,0"})  # she moves
    assert "@eve" not in page_text(ann.get("/nearby/people"))
    positions = [key for key in live_keys(store_of(web.app)) if key.startswith("position:")]
    stored = store_of(web.app).trip(*(("GET", key) for key in positions))
    assert any(one.startswith("u33 52.52 ") for one in stored), "it is rounded"
    for one in (ann, ben, eve):
        assert one.post("/nearby/people/hide").location == "/nearby/people"
    assert not [key for key in live_keys(store_of(web.app)) if "geo-" in key or "position:" in key]


def test_the_order_of_people_tells_no_more_than_their_distances(web: Web) -> None:
    browsers = {name: web.member(name) for name in ("ann", "cat", "ben")}
    for name, lat in (("ann", 52.52), ("cat", 52.52), ("ben", 52.53)):
        browsers[name].post("/nearby/people", data={"at": f"{lat},13.41"})
    page = page_text(browsers["ann"].get("/nearby/people"))
    assert page.index("@ben") < page.index("@cat"), "although she is nearer"


def test_a_position_goes_with_its_account_and_a_stale_entry_is_not_shown(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    for one in (ann, ben):
        one.post("/nearby/people", data={"at": "52.52,13.41"})
    db = store_of(web.app)
    db.run(("DEL", keys.position(2)))
    assert "@ben" not in page_text(ann.get("/nearby/people")), "it has expired"
    assert len(db.read(nearest(people.PEOPLE, (52.52, 13.41), 5, 9))) == 2
    ann.post("/settings/delete", data={"password": "correct horse battery"})
    assert [one.member for one in db.read(nearest(people.PEOPLE, (52.52, 13.41), 5, 9))] == ["2"]


def test_searches_are_limited(web: Web) -> None:
    web.member("ann")
    app = make_app(replace(web.config, limit_nearby=Rate(2, 3600)))
    ann = app.test_client()
    ann.post("/login", data={"login": "ann", "password": "correct horse battery"})
    assert ann.post("/nearby/people", data={"at": "1,1"}).status_code == 303
    assert ann.get("/nearby/people").status_code == 200
    assert ann.get("/nearby/people").status_code == 429
