"""View counts on pages: who is told, who counts, and hostile reports."""

from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import SignUp, make_app
from tests.support.pages import post_status
from webapp.config import BadSetting, Config, Rate, load

BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0", "Accept-Language": "en"}


def report(
    client: FlaskClient,
    ids: object,
    headers: dict[str, str] | None = None,
    code: int = 204,
    address: str = "127.0.0.1",
) -> None:
    answer = client.post(
        "/statuses/views",
        data={"ids": ids},
        headers=headers or BROWSER,
        environ_overrides={"REMOTE_ADDR": address},
    )
    assert answer.status_code == code


def page(app: Flask, client: FlaskClient, path: str) -> str:
    """Return a page after everything collected was sent."""
    app.extensions["linnet.views"].flush()
    return client.get(path).text


def test_only_the_author_is_told_how_many_people_saw_a_post(app: Flask, member: SignUp) -> None:
    ann, ben, visitor = member("ann"), member("ben"), app.test_client()
    status_id = post_status(ann, "a wren sings")
    path = f"/@ann/{status_id}"
    assert "Seen by" not in page(app, ann, path)
    report(visitor, status_id)
    report(visitor, status_id)
    assert "Seen by 1 person" in page(app, ann, path)
    report(visitor, status_id, BROWSER | {"User-Agent": "Mozilla/5.0 (Mac) Safari/605"})
    assert "Seen by 1 person" in page(app, ann, path), "another name is no other person"
    ben.get(path)
    report(ben, status_id)
    report(ann, status_id)
    assert "Seen by 2 people" in page(app, ann, path)
    for client in (ben, visitor):
        assert "Seen by" not in page(app, client, path)


def test_visitors_count_once_a_network(app: Flask, member: SignUp) -> None:
    ann, visitor = member("ann"), app.test_client()
    status_id = post_status(ann, "a wren sings")
    for address in ("192.0.2.1", "192.0.2.2", *(f"2001:db8::{number}" for number in range(1, 9))):
        report(visitor, status_id, address=address)
    assert "Seen by 3 people" in page(app, ann, f"/@ann/{status_id}")


def test_reports_are_limited_for_each_network_and_member(settings: Config) -> None:
    app = make_app(replace(settings, limit_views=Rate(2, 600)))
    ann, visitor = app.test_client(), app.test_client()
    form = {"login": "ann", "name": "Ann", "password": "correct horse battery"}
    assert ann.post("/signup", data=form).status_code == 303
    status_id = post_status(ann, "a wren sings")
    for number, code in enumerate((204, 204, 429), 1):
        report(visitor, status_id, code=code, address=f"2001:db8::{number}")
        report(ann, status_id, code=code)
    report(visitor, status_id, address="2001:db8:0:1::1")
    assert "Seen by 2 people" in page(app, ann, f"/@ann/{status_id}")
    app.extensions["linnet.db"].close()


@pytest.mark.parametrize("agent", ["CUBOT_P30", "CUBOT X19 Build/1"])
def test_phones_whose_name_ends_in_bot_count(app: Flask, ann: FlaskClient, agent: str) -> None:
    status_id = post_status(ann, "a wren sings")
    agent = f"Mozilla/5.0 (Linux; Android 10; {agent}) Chrome/140.0 Mobile"
    report(app.test_client(), status_id, BROWSER | {"User-Agent": agent})
    assert "Seen by 1 person" in page(app, ann, f"/@ann/{status_id}")


def test_everyone_is_told_if_the_operator_says_so(settings: Config) -> None:
    app = make_app(replace(settings, show_views="everyone"))
    ann, visitor = app.test_client(), app.test_client()
    form = {"login": "ann", "name": "Ann", "password": "correct horse battery"}
    assert ann.post("/signup", data=form).status_code == 303
    status_id = post_status(ann, "a wren sings")
    report(visitor, status_id)
    assert "Seen by 1 person" in page(app, visitor, f"/@ann/{status_id}")
    app.extensions["linnet.db"].close()
    with pytest.raises(BadSetting):
        load({"show_views": "friends"}, {})


@pytest.mark.parametrize(
    "headers",
    [
        {"User-Agent": "Googlebot/2.1 (+http://www.google.com/bot.html)", "Accept-Language": "en"},
        {"User-Agent": "curl/8.5", "Accept-Language": "en"},
        {"User-Agent": "Mozilla/5.0 HeadlessChrome/140", "Accept-Language": "en"},
        {"User-Agent": "", "Accept-Language": "en"},
        {"User-Agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0"},
    ],
)
def test_programs_do_not_count(app: Flask, ann: FlaskClient, headers: dict[str, str]) -> None:
    status_id = post_status(ann, "a wren sings")
    report(app.test_client(), status_id, headers)
    assert "Seen by" not in page(app, ann, f"/@ann/{status_id}")


@pytest.mark.parametrize(
    "ids", ["", "x", "0", "-1", "1,,2", "1, 2", "٣", "9" * 17, ",".join(map(str, range(1, 52)))]
)
def test_hostile_reports_are_refused(client: FlaskClient, ids: str) -> None:
    report(client, ids, code=422)


def test_other_sites_cannot_report(client: FlaskClient) -> None:
    report(client, "64", BROWSER | {"Sec-Fetch-Site": "cross-site"}, code=403)


def test_nothing_in_the_store_names_a_viewer(app: Flask, member: SignUp) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = post_status(ann, "a wren sings")
    report(ben, status_id)
    report(app.test_client(), status_id)
    batch = app.extensions["linnet.views"]
    assert "127.0.0.1" not in repr(batch._viewers) and "Firefox" not in repr(batch._viewers)
    batch.flush()
    assert not batch._viewers
    assert "Seen by 2 people" in ann.get(f"/@ann/{status_id}").text
