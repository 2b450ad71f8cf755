"""Places of statuses: given each time anew, shown, sent, taken off again; and what is no place."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.statuses.test_views import kept, value
from tests.system.test_pages import write
from webapp.statuses.attachments.places import Place
from webapp.statuses.store import get
from webapp.streaming import keys as stream_keys

Member = Callable[[str], FlaskClient]
SHANGHAI = {"lat": "31.2304", "long": "121.4737", "place": "上海"}


def places(page: str) -> list[str]:
    """The places that a page shows, newest first."""
    shown = re.findall(r'<p class="status-place">.*?<bdi>(.*?)</bdi></p>', page)
    return [unescape(one) for one in shown]


def place_of(app: Flask, client: FlaskClient, **given: str) -> Place | None:
    """The place of a status posted with these fields."""
    answer = client.post("/statuses", data={"text": "here", **given})
    assert answer.status_code == 303, answer.text
    ids = re.findall(r'id="status-(\d+)"', client.get("/home").text)
    return get(app.extensions["linnet.db"], int(ids[0])).place


@pytest.mark.parametrize(
    ("given", "place"),
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
    ],
)
def test_a_status_has_the_place_that_was_given(
    given: dict[str, str], place: Place | None, app: Flask, member: Member
) -> None:
    assert place_of(app, member("ann"), **given) == place


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"lat": "1"}, ["both a latitude and a longitude"]),
        ({"long": "1"}, ["both a latitude and a longitude"]),
        ({"place": "Reeds"}, ["both a latitude and a longitude"]),
        ({"lat": "90.1", "long": "0"}, ["from -90 to 90"]),
        ({"lat": "0", "long": "-180.000001"}, ["from -180 to 180"]),
        ({"lat": "91", "long": "x"}, ["from -90 to 90", "from -180 to 180"]),
        *(
            ({"lat": bad, "long": "1"}, ["from -90 to 90"])
            for bad in ("nan", "inf", "1e1", "1,2,3", "٣", "0x1", "--1")
        ),
        ({"lat": "1" * 400, "long": "1"}, ["from -90 to 90"]),
        (
            {"lat": "1", "long": "1", "place": "x" * 101},
            ["That’s 101 characters; the limit is 100."],
        ),
    ],
)
def test_what_is_no_place_comes_back_as_it_was_with_the_reason(
    given: dict[str, str], words: list[str], app: Flask, member: Member
) -> None:
    ann = member("ann")
    answer = ann.post("/statuses", data={"text": "here", **given})
    assert answer.status_code == 422
    assert all(sentence in answer.text for sentence in words)
    assert kept(answer) == "here"
    assert re.search(r'<details class="place" open', answer.text)
    for name, sent in given.items():
        assert len(sent) > 100 or (value(answer, name) or "").replace(".", ",") == sent.replace(
            ".", ","
        )
    assert 'class="status-place"' not in ann.get("/home").text


def test_a_place_is_shown_by_its_name_or_by_where_it_is(
    member: Member, client: FlaskClient
) -> None:
    ann = member("ann")
    for given in (
        SHANGHAI,
        {"lat": "31.2304", "long": "-121.4759"},
        {"lat": "1", "long": "1", "place": "<b>&"},
        {},
    ):
        ann.post("/statuses", data={"text": f"here {len(str(given))}", **given})
    for page in ("/home", "/@ann", "/public"):
        assert places(ann.get(page).text) == ["<b>&", "31.23, -121.48", "上海"]
    link = re.findall(r'class="status-time" href="([^"]+)"', client.get("/@ann").text)[-1]
    assert places(client.get(link).text) == ["上海"]
    number = link.rpartition("/")[2]
    assert places(client.get(f"/statuses?ids={number}").text) == ["上海"]


@pytest.mark.parametrize("page", ["/home", "/statuses/new"])
def test_a_place_is_never_filled_in_for_the_next_status(page: str, member: Member) -> None:
    ann = member("ann")
    ann.post("/statuses", data={"text": "here", **SHANGHAI})
    answer = ann.get(page)
    assert re.search(r'<details class="place" data-place', answer.text)  # closed
    for name in SHANGHAI:
        field = re.search(rf'<input [^>]*name="{name}"[^>]*>', answer.text)
        assert field and 'autocomplete="off"' in field[0] and value(answer, name) is None


def test_pages_of_this_site_may_ask_where_one_is_and_no_others(client: FlaskClient) -> None:
    assert "geolocation=(self)" in client.get("/").headers["Permissions-Policy"]


def test_a_member_takes_the_places_off_all_their_statuses(app: Flask, member: Member) -> None:
    ann, ben = member("ann"), member("ben")
    for client in (ann, ben):
        for number in range(3):
            client.post("/statuses", data={"text": f"here {number}", **SHANGHAI})
    write(ann, "nowhere")
    form = re.search(
        r'<details class="scrub">.*?<form method="post" action="([^"]+)">',
        ann.get("/settings/profile").text,
        re.S,
    )
    assert form
    answer = ann.post(form[1])
    assert (answer.status_code, answer.location) == (303, "/settings/profile")
    assert "Places removed from your posts." in ann.get(answer.location).text
    assert places(ann.get("/@ann").text) == [] and "here 2" in ann.get("/@ann").text
    assert places(ann.get("/@ben").text) == ["上海"] * 3
    log: list[Any] = app.extensions["linnet.db"].run(
        ("XREVRANGE", stream_keys.event_log(), "+", "-", "COUNT", 1)
    )
    assert "scrubbed" in log[0][1]
    assert ann.post(form[1]).status_code == 303  # again does no harm


def test_nobody_takes_the_places_off_without_a_sign_in(client: FlaskClient) -> None:
    assert client.post("/statuses/places/remove").location == "/login"
