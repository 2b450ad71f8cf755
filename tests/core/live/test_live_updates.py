"""Live pages: the fragments that are added to them, and the streams that they listen to."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import make_app
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.live.stream_urls import stream_base_url, stream_origin
from webapp.core.web.context import config, db

Member = Callable[[str], FlaskClient]


def post(member: FlaskClient, *texts: str) -> list[int]:
    """Posts through the form; the ids of all that this member has written, newest first."""
    for text in texts:
        assert (
            member.post("/statuses", data={"text": text, "key": f"key-{text:0>8}"}).status_code
            == 303
        )
    return shown(member.get("/home").text)


def shown(page: str) -> list[int]:
    return [int(found) for found in re.findall(r'<article[^>]* id="status-(\d+)"', page)]


def test_a_fragment_has_the_posts_newest_first_and_no_page_around_them(
    client: FlaskClient, member: Member
) -> None:
    ids = post(member("ann"), "one", "two", "three")
    answer = client.get(f"/statuses?ids={ids[2]},{ids[0]},{ids[2]}")
    assert answer.status_code == 200
    assert shown(answer.text) == [ids[0], ids[2]]
    assert "<html" not in answer.text
    page = client.get("/public").text
    [article] = re.findall(rf'<article[^>]* id="status-{ids[0]}".*?</article>', page, re.DOTALL)
    assert article in answer.text, "the same as on a page"


def test_a_fragment_leaves_out_what_is_gone_or_hidden(
    app: Flask, client: FlaskClient, member: Member
) -> None:
    ann, ben = member("ann"), member("ben")
    [kept, gone] = post(ann, "one", "two")
    [hidden] = post(ben, "three")
    assert ann.post(f"/statuses/{gone}/delete").status_code == 303
    with app.app_context():
        lifecycle.suspend(db(), config(), 2)
    assert shown(client.get(f"/statuses?ids={kept},{gone},{hidden},12345").text) == [kept]
    assert client.get("/statuses?ids=12345").text.strip() == ""


@pytest.mark.parametrize(
    "ids", ["", "?ids=", "?ids=x", "?ids=1,", "?ids=1,-2", "?ids=1,99999999999999999", "?ids=1;2"]
)
def test_a_fragment_of_what_are_no_ids_is_refused_in_words(client: FlaskClient, ids: str) -> None:
    answer = client.get(f"/statuses{ids}")
    assert answer.status_code == 422
    assert "List the posts by id" in answer.text


def test_a_fragment_is_no_longer_than_a_page(client: FlaskClient) -> None:
    assert client.get("/statuses?ids=" + ",".join(map(str, range(1, 31)))).status_code == 200
    assert client.get("/statuses?ids=" + ",".join(map(str, range(1, 32)))).status_code == 422


def test_a_fragment_takes_two_trips_whatever_it_shows(
    app: Flask, client: FlaskClient, member: Member
) -> None:
    ids = post(member("ann"), *(f"text {number}" for number in range(9)))
    for asked in (ids[:1], ids):
        for trips in (2 + 2, 1):  # a kept page is looked for, and kept; the second time it is there
            before = app.extensions["linnet.db"].trips
            client.get(f"/statuses?ids={','.join(map(str, asked))}")
            assert app.extensions["linnet.db"].trips - before == trips


def test_a_posts_own_page_listens_for_its_thread_where_that_is_for_everybody(
    client: FlaskClient, member: Member
) -> None:
    ann, form = member("ann"), {"text": "for followers", "visibility": "followers"}
    [one] = post(ann, "one")
    ann.post("/statuses", data={"text": "so it is", "reply": one})
    for reader, where in ((ann, "in=thread&amp;"), (client, "")):
        page = reader.get(f"/@ann/{one}").text
        assert (
            f'/stream/thread/{one}" data-fragment="/statuses?{where}own={one}&amp;" data-most="0"'
            in page
        )
        assert 'data-one="# new reply"' in page and 'data-many="# new replies"' in page
        assert "data-stream" not in reader.get(f"/@ann/{one}?after={one}.1").text
        [article] = re.findall(rf'<article[^>]* id="status-{one}".*?</article>', page, re.DOTALL)
        assert article == reader.get(f"/statuses?own={one}&ids={one}").text.strip(), (
            "it looks as it does there"
        )
        assert article != reader.get(f"/statuses?ids={one}").text.strip()
    ann.post("/statuses", data=form)
    hidden = shown(ann.get("/home").text)[0]
    assert (
        "for followers" in ann.get(f"/@ann/{hidden}").text
        and "data-stream" not in ann.get(f"/@ann/{hidden}").text
    )


def test_a_page_names_the_newest_position_of_the_log(client: FlaskClient, member: Member) -> None:
    ann = member("ann")
    seen = set()
    for text in ("one", "two"):
        post(ann, text)
        positions = {
            re.findall(r'data-page="(\d+-\d+)"', one.get(path).text)[0]
            for one, path in pages(ann, client)
        }
        assert len(positions) == 1
        seen |= positions
    assert len(seen) == 2


def pages(ann: FlaskClient, client: FlaskClient) -> list[tuple[FlaskClient, str]]:
    own = f"/@ann/{shown(ann.get('/home').text)[-1]}"
    return [(ann, "/home"), (ann, "/public"), (client, "/@ann"), (ann, own)]


@pytest.mark.parametrize(
    ("settings_", "host", "address", "origin"),
    [
        ({}, "linnet.example", "http://linnet.example:8001", "http://linnet.example:8001"),
        ({}, "127.0.0.1:8000", "http://127.0.0.1:8001", "http://127.0.0.1:8001"),
        ({}, "[::1]:8000", "http://[::1]:8001", "http://[::1]:8001"),
        ({"trusted_proxies": 1}, "linnet.example", "", ""),
        (
            {"stream_url": "https://s.linnet.example/live/", "trusted_proxies": 1},
            "linnet.example",
            "https://s.linnet.example/live",
            "https://s.linnet.example",
        ),
    ],
)
def test_where_a_page_finds_the_streams(
    settings: Config, settings_: dict[str, object], host: str, address: str, origin: str
) -> None:
    app = make_app(replace(settings, **settings_))
    with app.test_request_context("/", headers={"Host": host}):
        assert (stream_base_url(), stream_origin()) == (address, origin)
    app.extensions["linnet.db"].close()
