"""Live pages: the fragments added to them, and the streams they read."""

import re
import time
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.support.pages import without_popular
from tests.support.world import Web
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.web import site, stream_base_url
from webapp.core.web.stream_urls import stream_origin


def post(member: FlaskClient, *texts: str) -> list[int]:
    """Post through the form. Return the ids of all statuses of this member, newest first."""
    for text in texts:
        form = {"text": text, "key": f"key-{text:0>8}"}
        assert member.post("/statuses", data=form).status_code == 303
    return listed_ids(without_popular(member.get("/home").text))


def listed_ids(page: str) -> list[int]:
    return [int(found) for found in re.findall(r'<article[^>]* id="status-(\d+)"', page)]


def test_a_fragment_has_the_statuses_newest_first_without_a_page(web: Web) -> None:
    ids = post(web.member("ann"), "one", "two", "three")
    response = web.client.get(f"/statuses?ids={ids[2]},{ids[0]},{ids[2]}")
    assert response.status_code == 200
    assert listed_ids(response.text) == [ids[0], ids[2]]
    assert "<html" not in response.text
    page = web.client.get("/public").text
    [article] = re.findall(rf'<article[^>]* id="status-{ids[0]}".*?</article>', page, re.DOTALL)
    assert article in response.text, "the same HTML as on a page"


def test_a_fragment_omits_deleted_and_hidden_statuses(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    [visible, deleted] = post(ann, "one", "two")
    [hidden] = post(ben, "three")
    assert ann.post(f"/statuses/{deleted}/delete").status_code == 303
    with web.app.app_context():
        lifecycle.suspend(site(), 2)
    found = listed_ids(web.client.get(f"/statuses?ids={visible},{deleted},{hidden},12345").text)
    assert found == [visible]
    assert web.client.get("/statuses?ids=12345").text.strip() == ""


@pytest.mark.parametrize(
    "ids", ["?ids=", "?ids=x", "?ids=1,", "?ids=1,-2", "?ids=1,99999999999999999", "?ids=1;2"]
)
def test_a_fragment_with_invalid_ids_is_refused(web: Web, ids: str) -> None:
    response = web.client.get(f"/statuses{ids}")
    assert response.status_code == 422
    assert "Give valid post ids" in response.text


def test_a_fragment_is_at_most_a_page_long(web: Web) -> None:
    assert web.client.get("/statuses?ids=" + ",".join(map(str, range(1, 31)))).status_code == 200
    assert web.client.get("/statuses?ids=" + ",".join(map(str, range(1, 32)))).status_code == 422


def test_a_fragment_takes_a_fixed_number_of_trips(web: Web) -> None:
    ids = post(web.member("ann"), *(f"text {number}" for number in range(9)))
    for requested in (ids[:1], ids):
        for trips in (2 + 2, 1):  # rendered and cached, then read from the cache
            before = web.db.trips
            web.client.get(f"/statuses?ids={','.join(map(str, requested))}")
            assert web.db.trips - before == trips


def test_the_page_of_a_public_status_streams_its_thread(web: Web) -> None:
    ann, form = web.member("ann"), {"text": "for followers", "visibility": "followers"}
    [status_id] = post(ann, "one")
    ann.post("/statuses", data={"text": "so it is", "reply": status_id})
    for reader, thread_param in ((ann, "in=thread&amp;"), (web.client, "")):
        page = reader.get(f"/@ann/{status_id}").text
        fragment_url = f"/statuses?{thread_param}permalink={status_id}&amp;"
        found = f'/stream/thread/{status_id}?" data-fragment="{fragment_url}" data-max-items="0"'
        assert found in page
        assert 'data-one="# new reply"' in page and 'data-many="# new replies"' in page
        assert "data-stream" not in reader.get(f"/@ann/{status_id}?after={status_id}.1").text
        [article] = re.findall(
            rf'<article[^>]* id="status-{status_id}".*?</article>', page, re.DOTALL
        )
        fragment = reader.get(f"/statuses?permalink={status_id}&ids={status_id}").text
        assert article == fragment.strip()
        assert article != reader.get(f"/statuses?ids={status_id}").text.strip()
    ann.post("/statuses", data=form)
    restricted_id = listed_ids(ann.get("/home").text)[0]
    assert "for followers" in ann.get(f"/@ann/{restricted_id}").text
    assert "data-stream" not in ann.get(f"/@ann/{restricted_id}").text


def test_a_page_names_the_time_at_which_it_was_read(ann: FlaskClient, web: Web) -> None:
    """The newest entry of the log may be about something that is not for the reader."""
    for text in ("one", "two"):
        post(ann, text)
        for viewer, path in pages(ann, web.client):
            before = int(time.time() * 1000)
            [read_at] = re.findall(r'data-page="(\d+)-0"', viewer.get(path).text)
            assert before <= int(read_at) <= int(time.time() * 1000), path


def pages(ann: FlaskClient, client: FlaskClient) -> list[tuple[FlaskClient, str]]:
    permalink = f"/@ann/{listed_ids(ann.get('/home').text)[-1]}"
    return [(ann, "/home"), (ann, "/public"), (client, "/@ann"), (ann, permalink)]


@pytest.mark.parametrize(
    ("changes", "host", "base_url", "origin"),
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
def test_the_urls_of_streams_follow_the_settings(
    settings: Config, changes: dict[str, object], host: str, base_url: str, origin: str
) -> None:
    app = make_app(replace(settings, **changes))
    with app.test_request_context("/", headers={"Host": host}):
        assert (stream_base_url(), stream_origin()) == (base_url, origin)
    app.extensions["linnet.db"].close()
