"""The language and the theme: chosen in a cookie, or taken from the browser."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.pages import check_error, post_status, serving
from tests.support.world import Web
from webapp.accounts import keys as account_keys
from webapp.accounts.settings import display
from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.i18n.formatting import short_time
from webapp.core.web.context import site_of


def html_tag(client: FlaskClient, path: str = "/public", **headers: str) -> str:
    """Return the <html> tag of a page."""
    tag = re.search("<html[^>]*>", client.get(path, headers=headers).text)
    assert tag
    return tag[0]


def chosen_values(client: FlaskClient) -> list[str]:
    """Return the values marked as chosen in the footer."""
    return re.findall(r'value="(\w+)"[^>]* aria-pressed="true"', client.get("/public").text)


@pytest.mark.parametrize(
    ("accepted", "tag"),
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
def test_without_a_choice_a_page_is_in_the_browsers_preferred_language(
    shared_web: Web, accepted: str, tag: str
) -> None:
    response = shared_web.client.get("/public", headers={"Accept-Language": accepted})
    assert f'<html lang="{tag}">' in response.text
    assert response.headers["Content-Language"] == tag
    assert {"Accept-Language", "Cookie"} <= set(response.vary)
    assert ("探索" in response.text) == (tag == "zh-Hans")


def test_a_chosen_language_overrides_the_browsers_and_invalid_cookies_are_ignored(web: Web) -> None:
    web.client.set_cookie("linnet_lang", "zh")
    assert html_tag(web.client, **{"Accept-Language": "en"}) == '<html lang="zh-Hans">'
    web.client.set_cookie("linnet_lang", "en")
    assert html_tag(web.client, **{"Accept-Language": "zh"}) == '<html lang="en">'
    web.client.set_cookie("linnet_lang", "../../etc")
    assert html_tag(web.client, **{"Accept-Language": "zh"}) == '<html lang="zh-Hans">'


def test_errors_and_refused_forms_are_in_the_chosen_language(web: Web) -> None:
    web.member("wren")
    web.client.set_cookie("linnet_lang", "zh")
    check_error(web.client.get("/nowhere"), 404, "找不到页面")
    response = web.client.post("/login", data={"login": "wren", "password": "wrong password"})
    assert "用户名或密码错误。" in response.text
    assert response.headers["Content-Language"] == "zh-Hans"


def test_choices_are_stored_for_a_year_and_redirect_back(web: Web) -> None:
    response = web.client.post("/preferences", data={"language": "zh", "next": "/public?max_id=5"})
    assert (response.status_code, response.location) == (303, "/public?max_id=5")
    (cookie,) = [
        line
        for line in response.headers.getlist("Set-Cookie")
        if line.startswith("linnet_lang=zh;")
    ]
    assert "Max-Age=31536000" in cookie and "SameSite=Lax" in cookie and "Secure" not in cookie
    assert web.client.post("/preferences", data={"theme": "dark"}).location == "/"
    assert html_tag(web.client) == '<html lang="zh-Hans" data-theme="dark">'
    assert chosen_values(web.client) == ["zh", "dark"]
    web.client.post("/preferences", data={"theme": "system", "language": "en"})
    assert html_tag(web.client) == '<html lang="en">'
    assert chosen_values(web.client) == ["en", "system"]


def test_cookies_of_preferences_are_secure_over_https(web: Web) -> None:
    form = {"theme": "light", "language": "en"}
    response = web.client.post("/preferences", data=form, base_url="https://localhost")
    cookies = [
        cookie
        for cookie in response.headers.getlist("Set-Cookie")
        if cookie.startswith(("linnet_lang", "linnet_theme"))
    ]
    assert len(cookies) == 2 and all("Secure" in cookie for cookie in cookies)


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
def test_an_unknown_preference_is_refused_and_not_stored(
    shared_web: Web, form: dict[str, str]
) -> None:
    response = shared_web.client.post("/preferences", data=form)
    check_error(response, 422)
    assert not [
        cookie
        for cookie in response.headers.getlist("Set-Cookie")
        if cookie.startswith(("linnet_lang", "linnet_theme"))
    ]
    assert html_tag(shared_web.client) == '<html lang="en">'


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "/\\evil", "javascript:x", "", "/a\nb"]
)
def test_a_choice_redirects_only_within_the_site(web: Web, target: str) -> None:
    assert web.client.post("/preferences", data={"theme": "dark", "next": target}).location == "/"


@pytest.mark.parametrize(
    ("site", "status"),
    [("cross-site", 403), ("same-site", 403), ("same-origin", 303), ("none", 303), (None, 303)],
)
def test_another_site_cannot_change_preferences(
    site: str | None, status: int, settings: Config
) -> None:
    with serving(settings, WTF_CSRF_ENABLED=True) as app:
        headers = {"Sec-Fetch-Site": site} if site else {}
        response = app.test_client().post("/preferences", data={"theme": "dark"}, headers=headers)
        assert response.status_code == status
        assert ("Set-Cookie" in response.headers) == (status == 303)


def test_a_visitors_page_sets_no_cookie(web: Web) -> None:
    for path in ("/", "/public", "/nowhere"):
        assert "Set-Cookie" not in web.client.get(path).headers, path


def test_the_form_returns_to_its_page_but_not_to_responses_of_forms(web: Web) -> None:
    found = 'name="next" value="/public?max_id=5&amp;a=b"'
    assert found in web.client.get("/public?max_id=5&a=b").text
    assert 'name="next" value=""' in web.client.post("/login", data={}).text
    assert 'name="next" value=""' in web.client.get("/nowhere").text


@pytest.mark.parametrize(
    ("theme", "scheme", "colours"),
    [
        ("", "light dark", ["#ffffff", "#161b1a"]),
        ("light", "light", ["#ffffff"]),
        ("dark", "dark", ["#161b1a"]),
    ],
)
def test_the_metadata_of_a_page_follows_the_theme(
    web: Web, theme: str, scheme: str, colours: list[str]
) -> None:
    web.client.set_cookie("linnet_theme", theme)
    text = web.client.get("/public").text
    assert f'<meta name="color-scheme" content="{scheme}">' in text
    assert re.findall('<meta name="theme-color" content="([^"]+)"', text) == colours


def test_preferences_survive_login_and_logout(web: Web) -> None:
    web.member("wren")
    web.client.post("/preferences", data={"language": "zh", "theme": "dark"})
    web.client.post("/login", data={"login": "wren", "password": PASSWORD})
    assert html_tag(web.client, "/home") == '<html lang="zh-Hans" data-theme="dark">'
    web.client.post("/logout")
    assert html_tag(web.client) == '<html lang="zh-Hans" data-theme="dark">'


def test_times_without_scripts_are_absolute_and_name_their_time_zone(web: Web) -> None:
    wren = web.member("wren")
    post_status(wren, "hello")
    match = re.search(
        r'<time datetime="([^"]+)" data-relative title="([^"]+)">([^<]+)</time>',
        wren.get("/home").text,
    )
    assert match
    assert datetime.fromisoformat(match[1]).tzinfo and "UTC" in match[2]
    now = datetime.now(UTC)
    old = datetime(2020, 11, 5, 23, 59, tzinfo=UTC)
    with web.app.test_request_context(headers={"Accept-Language": "en"}):
        assert short_time(now) == f"{now:%H:%M} UTC"
        assert short_time(old) == "Nov 5, 2020"
        assert "UTC" not in short_time(now - timedelta(days=1))
    with web.app.test_request_context(headers={"Accept-Language": "zh"}):
        assert short_time(old) == "2020年11月5日"


def test_counts_are_formatted_for_the_language(web: Web) -> None:
    for language, expected in (("en", "12.3K"), ("zh", "1.2万")):
        with web.app.test_request_context(headers={"Accept-Language": language}):
            assert web.app.jinja_env.filters["format_number"](12_345) == expected


def test_crawlers_may_read_all_pages_but_settings(web: Web) -> None:
    response = web.client.get("/robots.txt")
    assert (response.status_code, response.mimetype) == (200, "text/plain")
    assert response.text.startswith("User-agent: *\nDisallow: /settings\nDisallow: /join/\n\n")
    assert response.text.count("Disallow") == 2
    assert "Set-Cookie" not in response.headers


def test_a_page_has_one_canonical_url_and_one_description(web: Web) -> None:
    for path in ("/public", "/login", "/"):
        text = web.client.get(path).text
        assert f'<link rel="canonical" href="http://localhost{path}">' in text
        assert text.count('<meta name="description"') == 1
    assert 'rel="canonical"' not in web.client.get("/public?max_id=5").text
    assert 'rel="canonical"' not in web.client.get("/nowhere").text


def test_the_weight_of_a_text_is_returned(web: Web) -> None:
    wren = web.member("wren")
    for text, weight in (
        ("", 0),
        (" a\r\nb ", 3),
        ("鸟", 2),
        ("see example.com/" + "x" * 99, 27),
        ("x" * 5_000, 5_000),
    ):
        found = wren.post("/statuses/weight", data={"text": text}).json
        assert found == {"weight": weight, "max": 280}
    assert wren.post("/statuses/weight").json == {"weight": 0, "max": 280}


def test_language_and_theme_follow_a_member_to_another_device(web: Web) -> None:
    ann, other, db = web.member("ann"), web.app.test_client(), site_of(web.app).db
    ann.post("/preferences", data={"language": "zh"})
    ann.post("/preferences", data={"theme": "dark"})
    other.set_cookie("linnet_lang", "en")
    log_in(other)  # a device that is known from now on
    other.post("/logout")
    other.set_cookie("linnet_lang", "en")
    before = db.trips
    log_in(other)
    signing_in = db.trips - before
    assert html_tag(other) == '<html lang="zh-Hans" data-theme="dark">'
    ann.post("/preferences", data={"theme": "system"})
    other.post("/logout")
    before = db.trips
    log_in(other)
    assert db.trips - before == signing_in, "no trip more"
    assert html_tag(other) == '<html lang="zh-Hans">'
    assert html_tag(web.app.test_client()) == '<html lang="en">'


def test_a_browser_with_choices_gives_them_to_an_account_that_has_none(web: Web) -> None:
    first, second, db = web.app.test_client(), web.app.test_client(), site_of(web.app).db
    first.set_cookie("linnet_lang", "zh")
    first.set_cookie("linnet_theme", "purple")
    fields = {"login": "ann", "name": "Ann", "password": PASSWORD}
    assert first.post("/signup", data=fields).status_code == 303
    assert db.run(("HMGET", account_keys.user(1), "language", "theme")) == ["zh", None]
    log_in(second)
    assert html_tag(second) == '<html lang="zh-Hans">'


def test_a_choice_holds_in_the_browser_although_the_account_cannot_be_written(
    ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise Unavailable("busy")

    monkeypatch.setattr(display, "remember", fail)
    assert ann.post("/preferences", data={"theme": "dark"}).status_code == 303
    assert html_tag(ann) == '<html lang="en" data-theme="dark">'
    assert ann.post("/preferences", data={"theme": "purple"}).status_code == 422


def log_in(client: FlaskClient) -> None:
    assert client.post("/login", data={"login": "ann", "password": PASSWORD}).status_code == 303
