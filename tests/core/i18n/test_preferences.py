"""The language and the theme: by choice, then by what the browser asks for."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.system.test_pages import check_error, serving, write
from webapp.config import Config
from webapp.core.i18n.formatting import short_time

Member = Callable[[str], FlaskClient]


def page(client: FlaskClient, path: str = "/public", **headers: str) -> str:
    """The <html> tag of a page."""
    found = re.search("<html[^>]*>", client.get(path, headers=headers).text)
    assert found
    return found[0]


def pressed(client: FlaskClient) -> list[str]:
    """What is marked as chosen in the foot of a page."""
    return re.findall(r'value="(\w+)"[^>]* aria-pressed="true"', client.get("/public").text)


@pytest.mark.parametrize(
    ("asked", "tag"),
    [
        ("", "en"),
        ("zh", "zh-Hans"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"),
        ("zh-TW", "zh-Hans"),
        ("zh-Hant-HK", "zh-Hans"),
        ("ZH-hans", "zh-Hans"),
        ("en-GB,zh;q=0.9", "en"),
        ("zh;q=0.5,en;q=0.6", "en"),
        ("en;q=0.5,zh;q=0.6", "zh-Hans"),
        ("fr,de;q=0.9,zh-SG;q=0.2", "zh-Hans"),
        ("zh;q=0,fr", "en"),
        ("*", "en"),
        ("*,zh;q=0.1", "zh-Hans"),
        ("fr", "en"),
        ("zha", "en"),
        (",;q=,=;zh_CN;q=x", "en"),
        ("z" * 5_000, "en"),
    ],
)
def test_without_a_choice_the_page_speaks_the_first_language_the_browser_asks_for(
    client: FlaskClient, asked: str, tag: str
) -> None:
    answer = client.get("/public", headers={"Accept-Language": asked})
    assert f'<html lang="{tag}">' in answer.text
    assert answer.headers["Content-Language"] == tag
    assert {"Accept-Language", "Cookie"} <= set(answer.vary)
    assert ("广场" in answer.text) == (tag == "zh-Hans")


def test_a_chosen_language_goes_before_the_browsers_and_a_strange_cookie_is_as_none(
    client: FlaskClient,
) -> None:
    client.set_cookie("linnet_lang", "zh")
    assert page(client, **{"Accept-Language": "en"}) == '<html lang="zh-Hans">'
    client.set_cookie("linnet_lang", "en")
    assert page(client, **{"Accept-Language": "zh"}) == '<html lang="en">'
    client.set_cookie("linnet_lang", "../../etc")
    assert page(client, **{"Accept-Language": "zh"}) == '<html lang="zh-Hans">'


def test_errors_and_refused_forms_speak_the_chosen_language_too(
    client: FlaskClient, member: Member
) -> None:
    member("wren")
    client.set_cookie("linnet_lang", "zh")
    check_error(client.get("/nowhere"), 404, "这里什么都没有")
    answer = client.post("/login", data={"login": "wren", "password": "wrong password"})
    assert "用户名与密码不匹配。" in answer.text
    assert answer.headers["Content-Language"] == "zh-Hans"


def test_choosing_keeps_both_for_a_year_and_comes_back(client: FlaskClient) -> None:
    answer = client.post("/preferences", data={"language": "zh", "next": "/public?max_id=5"})
    assert (answer.status_code, answer.location) == (303, "/public?max_id=5")
    (cookie,) = [
        one for one in answer.headers.getlist("Set-Cookie") if one.startswith("linnet_lang=zh;")
    ]
    assert "Max-Age=31536000" in cookie and "SameSite=Lax" in cookie and "Secure" not in cookie
    assert client.post("/preferences", data={"theme": "dark"}).location == "/"
    assert page(client) == '<html lang="zh-Hans" data-theme="dark">'
    assert pressed(client) == ["zh", "dark"]
    client.post("/preferences", data={"theme": "system", "language": "en"})
    assert page(client) == '<html lang="en">'
    assert pressed(client) == ["en", "system"]


def test_a_preference_is_kept_secure_over_https(client: FlaskClient) -> None:
    answer = client.post(
        "/preferences", data={"theme": "light", "language": "en"}, base_url="https://localhost"
    )
    kept = [
        one
        for one in answer.headers.getlist("Set-Cookie")
        if one.startswith(("linnet_lang", "linnet_theme"))
    ]
    assert len(kept) == 2 and all("Secure" in one for one in kept)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"language": ""},
        {"language": "fr"},
        {"language": "zh_Hans_CN"},
        {"theme": ""},
        {"theme": "DARK"},
        {"theme": 'dark" onload="x'},
        {"language": "zh", "theme": "pink"},
        {"language": "\0\ud7ff" * 5_000},
    ],
)
def test_a_preference_we_do_not_have_is_refused_and_nothing_kept(
    client: FlaskClient, form: dict[str, str]
) -> None:
    answer = client.post("/preferences", data=form)
    check_error(answer, 422)
    assert not [
        one
        for one in answer.headers.getlist("Set-Cookie")
        if one.startswith(("linnet_lang", "linnet_theme"))
    ]
    assert page(client) == '<html lang="en">'


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "/\\evil", "javascript:x", "", "/a\nb"]
)
def test_a_preference_never_leads_off_the_site(client: FlaskClient, target: str) -> None:
    assert client.post("/preferences", data={"theme": "dark", "next": target}).location == "/"


@pytest.mark.parametrize(
    ("site", "status"),
    [("cross-site", 403), ("same-site", 403), ("same-origin", 303), ("none", 303), (None, 303)],
)
def test_another_site_cannot_choose(site: str | None, status: int, settings: Config) -> None:
    with serving(settings, WTF_CSRF_ENABLED=True) as app:
        headers = {"Sec-Fetch-Site": site} if site else {}
        answer = app.test_client().post("/preferences", data={"theme": "dark"}, headers=headers)
        assert answer.status_code == status
        assert ("Set-Cookie" in answer.headers) == (status == 303)


def test_a_visitors_page_sets_no_cookie(client: FlaskClient) -> None:
    for path in ("/", "/public", "/nowhere"):
        assert "Set-Cookie" not in client.get(path).headers, path


def test_the_form_comes_back_to_a_page_and_never_to_the_answer_of_another_form(
    client: FlaskClient,
) -> None:
    assert 'name="next" value="/public?max_id=5&amp;a=b"' in client.get("/public?max_id=5&a=b").text
    assert 'name="next" value=""' in client.post("/login", data={}).text
    assert 'name="next" value=""' in client.get("/nowhere").text


@pytest.mark.parametrize(
    ("theme", "scheme", "colours"),
    [
        ("", "light dark", ["#ffffff", "#161b1a"]),
        ("light", "light", ["#ffffff"]),
        ("dark", "dark", ["#161b1a"]),
    ],
)
def test_the_head_of_a_page_follows_the_theme(
    client: FlaskClient, theme: str, scheme: str, colours: list[str]
) -> None:
    client.set_cookie("linnet_theme", theme)
    text = client.get("/public").text
    assert f'<meta name="color-scheme" content="{scheme}">' in text
    assert re.findall('<meta name="theme-color" content="([^"]+)"', text) == colours


def test_preferences_outlast_signing_in_and_out(client: FlaskClient, member: Member) -> None:
    member("wren")
    client.post("/preferences", data={"language": "zh", "theme": "dark"})
    client.post("/login", data={"login": "wren", "password": PASSWORD})
    assert page(client, "/home") == '<html lang="zh-Hans" data-theme="dark">'
    client.post("/logout")
    assert page(client) == '<html lang="zh-Hans" data-theme="dark">'


def test_times_are_absolute_without_a_script_and_say_their_zone(app: Flask, member: Member) -> None:
    wren = member("wren")
    write(wren, "hello")
    found = re.search(
        r'<time datetime="([^"]+)" data-relative title="([^"]+)">([^<]+)</time>',
        wren.get("/home").text,
    )
    assert found
    assert datetime.fromisoformat(found[1]).tzinfo and "UTC" in found[2]
    now = datetime.now(UTC)
    old = datetime(2020, 11, 5, 23, 59, tzinfo=UTC)
    with app.test_request_context(headers={"Accept-Language": "en"}):
        assert short_time(now) == f"{now:%H:%M} UTC"
        assert short_time(old) == "Nov 5, 2020"
        assert "UTC" not in short_time(now - timedelta(days=1))
    with app.test_request_context(headers={"Accept-Language": "zh"}):
        assert short_time(old) == "2020年11月5日"


def test_counts_are_written_as_the_language_does(app: Flask) -> None:
    for asked, expected in (("en", "12.3K"), ("zh", "1.2万")):
        with app.test_request_context(headers={"Accept-Language": asked}):
            assert app.jinja_env.filters["format_number"](12_345) == expected


def test_crawlers_may_read_pages_but_no_settings(client: FlaskClient) -> None:
    answer = client.get("/robots.txt")
    assert (answer.status_code, answer.mimetype) == (200, "text/plain")
    assert answer.text == "User-agent: *\nDisallow: /settings\n"
    assert "Set-Cookie" not in answer.headers


def test_a_page_names_itself_and_describes_itself_once(client: FlaskClient) -> None:
    for path in ("/public", "/login", "/"):
        text = client.get(path).text
        assert f'<link rel="canonical" href="http://localhost{path}">' in text
        assert text.count('<meta name="description"') == 1
    assert 'rel="canonical"' not in client.get("/public?max_id=5").text
    assert 'rel="canonical"' not in client.get("/nowhere").text


def test_the_composer_learns_what_a_text_counts(client: FlaskClient, member: Member) -> None:
    wren = member("wren")
    for text, weight in (
        ("", 0),
        (" a\r\nb ", 3),
        ("鸟", 2),
        ("see example.com/" + "x" * 99, 27),
        ("x" * 5_000, 5_000),
    ):
        assert wren.post("/statuses/weight", data={"text": text}).json == {
            "weight": weight,
            "max": 280,
        }
    assert wren.post("/statuses/weight").json == {"weight": 0, "max": 280}
    assert client.post("/statuses/weight", data={"text": "a"}).status_code == 303
