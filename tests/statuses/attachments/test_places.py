"""Places of statuses: validated, shown, streamed, never reused, and removable."""

import re
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.pages import page_text, post_status
from tests.support.statuses.forms import composer_text, field_value
from tests.support.world import Web, World
from webapp.core.events.outbox import BULK, OUTBOX_GROUPS
from webapp.core.store import partition_of
from webapp.statuses import Place, Visibility, keys as status_keys
from webapp.statuses.attachments import projections
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.store import get
from webapp.statuses.values import places as place_store
from webapp.streaming import keys as stream_keys

UNUSABLE = "We couldn’t use that location. Choose it again, or type a place."
SHANGHAI = {"lat": "31.2304", "long": "121.4737", "place": "上海"}


def places(page: str) -> list[str]:
    """Return the places on a page, newest first."""
    names = re.findall(r'<p class="status-place">.*?<bdi>(.*?)</bdi></p>', page)
    return [unescape(name) for name in names]


def post_with_place(app: Flask, client: FlaskClient, **fields: str) -> Place | None:
    """Post a status with these fields and return its place."""
    response = client.post("/statuses", data={"text": "here", **fields})
    assert response.status_code == 303, response.text
    ids = re.findall(r'id="status-(\d+)"', client.get("/home").text)
    return get(app.extensions["linnet.db"], int(ids[0])).place


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({}, None),
        ({"lat": "", "long": " ", "place": " "}, None),
        ({"lat": " ", "long": " "}, None),
        (SHANGHAI, Place(31.2304, 121.4737, "上海")),
        ({"lat": "0", "long": "0"}, Place(0, 0)),
        ({"lat": "-90", "long": "180", "place": " The \n Pole "}, Place(-90, 180, "The Pole")),
        ({"lat": " 31,5 ", "long": "−0.25", "place": "\u200b"}, Place(31.5, -0.25)),
        ({"lat": "+1.", "long": "1.23456789"}, Place(1, 1.234568)),
        ({"lat": "1", "long": "1", "place": "x" * 100}, Place(1, 1, "x" * 100)),
        ({"place": " The \n Reeds "}, Place(name="The Reeds")),
        ({"lat": "", "long": "", "place": "Reeds"}, Place(name="Reeds")),
        ({"lat": "1", "place": "Reeds"}, Place(name="Reeds")),
        ({"long": "1", "place": "Reeds"}, Place(name="Reeds")),  # the box is not ticked
        ({"long": "1"}, None),
    ],
)
def test_a_status_has_the_place_of_its_form(
    fields: dict[str, str], place: Place | None, web: Web
) -> None:
    assert post_with_place(web.app, web.member("ann"), **fields) == place


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        *(
            ({"lat": lat, "long": long, "place": "Reeds"}, UNUSABLE)
            for lat, long in (
                ("90.1", "0"),
                ("0", "-180.000001"),
                ("91", "x"),
                ("1" * 400, "1"),
                *((bad, "1") for bad in ("nan", "inf", "1e1", "1,2,3", "٣", "0x1", "--1")),
            )
        ),
        ({"lat": "1", "long": "1", "place": "x" * 101}, "That’s 101 characters. The limit is 100."),
        ({"place": "x" * 101}, "That’s 101 characters. The limit is 100."),
    ],
)
def test_an_invalid_place_comes_back_with_the_reason(
    fields: dict[str, str], sentence: str, ann: FlaskClient
) -> None:
    response = ann.post("/statuses", data={"text": "here", **fields})
    assert response.status_code == 422
    assert sentence in page_text(response)
    assert composer_text(response) == "here"
    assert re.search(r'<details class="composer-part" open', response.text)
    assert field_value(response, "place") == fields["place"]
    if sentence == UNUSABLE:
        assert not field_value(response, "lat") and not field_value(response, "long")
        again = ann.post("/statuses", data={"text": "here", "place": "Reeds"})
        assert again.status_code == 303
        return
    assert 'class="status-place"' not in ann.get("/home").text


def test_a_place_is_shown_by_its_name_or_coordinates(ann: FlaskClient, web: Web) -> None:
    for fields in (
        SHANGHAI,
        {"lat": "31.2304", "long": "-121.4759"},
        {"lat": "1", "long": "1", "place": "<b>&"},
        {"place": "The reeds"},
        {},
    ):
        ann.post("/statuses", data={"text": f"here {len(str(fields))}", **fields})
    for page in ("/home", "/@ann", "/public"):
        assert places(ann.get(page).text) == ["The reeds", "<b>&", "31.23, -121.48", "上海"]
    link = re.findall(r'class="status-time" href="([^"]+)"', web.client.get("/@ann").text)[-1]
    assert places(web.client.get(link).text) == ["上海"]
    number = link.rpartition("/")[2]
    assert places(web.client.get(f"/statuses?ids={number}").text) == ["上海"]


@pytest.mark.parametrize("page", ["/home", "/statuses/new"])
def test_the_form_does_not_reuse_the_last_place(page: str, ann: FlaskClient) -> None:
    ann.post("/statuses", data={"text": "here", **SHANGHAI})
    response = ann.get(page)
    assert re.search(r'<details class="composer-part" data-place', response.text)  # closed
    assert re.search(r'<input autocomplete="off" [^>]*name="place"[^>]*>', response.text)
    for name in SHANGHAI:
        assert not field_value(response, name)


def test_nobody_types_coordinates(web: Web) -> None:
    page = web.member("ann").get("/statuses/new").text
    kinds = {
        name: re.findall(rf'<input type="(\w+)" name="{name}"', page) for name in ("lat", "long")
    }
    assert kinds == {"lat": ["checkbox"], "long": ["hidden"]}


def test_a_draft_shows_its_coordinates_and_leaves_them_out_on_request(ann: FlaskClient) -> None:
    form = {"text": "here", "key": "abcdefgh-1", **SHANGHAI}
    ann.post("/drafts", data=form)
    page = ann.get("/drafts/abcdefgh-1")
    assert "Add my location: 31.23, 121.47" in page_text(page)
    assert 'name="lat" value="31.2304" checked' in page.text
    del form["lat"]
    ann.post("/drafts", data=form)
    page = ann.get("/drafts/abcdefgh-1")
    assert "31.23" not in page_text(page) and field_value(page, "place") == "上海"
    ann.post("/statuses", data=form)
    assert places(ann.get("/@ann").text) == ["上海"]


def test_only_pages_of_this_site_may_use_geolocation(web: Web) -> None:
    assert "geolocation=(self)" in web.client.get("/").headers["Permissions-Policy"]


def test_a_member_removes_the_places_of_all_statuses(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    for client in (ann, ben):
        for number in range(3):
            client.post("/statuses", data={"text": f"here {number}", **SHANGHAI})
    post_status(ann, "nowhere")
    form = re.search(
        r'<form class="grave-body" method="post" action="([^"]+)">',
        ann.get("/settings/privacy").text,
        re.S,
    )
    assert form
    response = ann.post(form[1])
    assert (response.status_code, response.location) == (303, "/settings/privacy")
    assert "Places removed from your posts." in ann.get(response.location).text
    assert places(ann.get("/@ann").text) == [] and "here 2" in ann.get("/@ann").text
    assert places(ann.get("/@ben").text) == ["上海"] * 3
    log: list[Any] = web.db.run(("XREVRANGE", stream_keys.event_log(), "+", "-", "COUNT", 1))
    assert "locations_removed" in log[0][1]
    assert ann.post(form[1]).status_code == 303  # again does no harm


def test_places_are_hidden_in_two_trips_and_erased_in_slices(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projections, "BATCH", 2)
    ann, ben = world.people("ann", "ben")
    here = Place(31.2, 121.5, "上海")
    parent = world.post(ben, "hello", place=here)
    options: list[StatusOptions] = [
        *({} for _ in range(5)),
        {"reply": parent},
        *({"visibility": Visibility.FOLLOWERS} for _ in range(3)),
    ]
    ids = [world.post(ann, f"{number}", place=here, **one) for number, one in enumerate(options)]
    trips = world.db.trips
    place_store.remove_locations(world, ann)
    assert world.db.trips - trips == 2, "however many there are"
    later = world.post(ann, "later", place=here)
    assert [get(world.db, one, ann).place for one in ids] == [None] * len(ids)
    assert get(world.db, later).place == get(world.db, parent).place == here
    for group in OUTBOX_GROUPS:
        loop = worker.group_loop(world, group, "one")
        loop.acquire()
        while loop.poll([partition_of(ann)]):
            pass
        loop.release()
    bulk = worker.group_loop(world, BULK, "one")
    bulk.acquire()
    slices = 0
    while bulk.poll([partition_of(ann)]):
        slices += 1
    bulk.release()
    assert slices >= 5
    stored = world.db.trip(*(("HGET", status_keys.status(one), "lat") for one in (*ids, later)))
    assert stored == [*[None] * len(ids), "31.200000"]
