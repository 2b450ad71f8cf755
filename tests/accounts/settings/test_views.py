"""The pages of a member's settings."""

import io
import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, SignUp, make_app
from tests.support import chat
from tests.support.members.profiles import picture, save_profile
from tests.support.quadrants import corners, quadrants
from tests.support.world import Web
from webapp.chat.reports import store as reports
from webapp.config import Config, Rate
from webapp.core.store import Db, Site
from webapp.reports import listing

NEW_PASSWORD = "another battery staple"
PAGES = [
    *"/settings/profile /settings/password /settings/username /settings/sessions".split(),
    *"/settings/tokens /settings/delete".split(),
]

MARKED = 'href="/settings" aria-current="page"'


@pytest.mark.parametrize("path", PAGES)
def test_settings_are_not_indexed_by_search_engines(path: str, member: SignUp) -> None:
    page = member("ann").get(path)
    assert page.status_code == 200 and '<meta name="robots" content="noindex">' in page.text


def test_each_page_marks_settings_as_current(shared_web: Web) -> None:
    ann = shared_web.member("ann")
    rules = shared_web.app.url_map.iter_rules()
    paths = {rule.rule for rule in rules if "GET" in (rule.methods or ()) and not rule.arguments}
    settings = [path for path in paths if path.startswith("/settings") and "." not in path]
    pages = {path: ann.get(path) for path in [*settings, "/settings/nowhere", "/home"]}
    marked = {path for path, page in pages.items() if MARKED in page.text}
    assert marked == set(settings) >= set(PAGES)


def test_a_profile_shows_its_saved_fields(member: SignUp, client: FlaskClient) -> None:
    ann = member("ann")
    answer = save_profile(
        ann,
        name="Wren",
        bio="I sing.\r\nSee https://example.org #song",
        location="Reeds",
        website="example.org",
    )
    assert answer.status_code == 303
    page = client.get("/@ann").text
    for part in ("Wren", "I sing.\n", 'href="https://example.org"', "#song", "Reeds"):
        assert part in page, part
    form = ann.get("/settings/profile").text
    assert 'value="https://example.org"' in form and "I sing." in form


def test_pictures_are_saved_and_removed(member: SignUp, client: FlaskClient) -> None:
    ann = member("ann")
    answer = save_profile(
        ann, avatar=(picture(), "me.png"), header=(picture(format_="JPEG"), "sky.jpg")
    )
    assert answer.status_code == 303
    sources = re.findall(r'src="(/media/[^"]+)"', client.get("/@ann").text)
    assert len(sources) == 2
    for path in sources:
        answer = client.get(path)
        assert answer.status_code == 200 and answer.content_type == "image/webp"
    save_profile(ann, bio="the pictures stay")
    assert client.get("/@ann").text.count('src="/media/') == 2
    save_profile(ann, remove_avatar="y", remove_header="y")
    assert "/media/" not in client.get("/@ann").text


@pytest.mark.parametrize(
    ("sliders", "kept"),
    [
        (None, "rgbw"),
        (("50", "50", "100"), "rgbw"),
        (("0", "0", "200"), "rrrr"),
        (("100", "0", "200"), "gggg"),
        (("0", "100", "200"), "bbbb"),
        (("100", "100", "400"), "wwww"),
        (("-7", "1e9", "200"), "bbbb"),
        (("0", "0", "99999"), "rrrr"),
        (("100", "0", "1"), "rgbw"),
        (("nan", "-inf", "many"), "rgbw"),
        (("", "", ""), "rgbw"),
    ],
)
def test_the_part_that_the_sliders_choose_is_kept(
    sliders: tuple[str, str, str] | None, kept: str, member: SignUp, client: FlaskClient
) -> None:
    fields = dict(zip(("avatar_x", "avatar_y", "avatar_zoom"), sliders or (), strict=False))
    assert save_profile(member("ann"), avatar=(quadrants(), "me.png"), **fields).status_code == 303
    [path] = set(re.findall(r'src="(/media/[^"]+)"', client.get("/@ann").text))
    assert corners(client.get(path).data) == kept


def test_each_picture_has_sliders_of_its_own(member: SignUp, client: FlaskClient) -> None:
    ann = member("ann")
    parts = {"avatar_zoom": "200", "avatar_x": "100", "header_y": "0", "header_zoom": "100"}
    files = {"avatar": (quadrants(), "me.png"), "header": (quadrants(), "sky.png")}
    assert save_profile(ann, **files, **parts).status_code == 303
    avatar, header = re.findall(r'src="(/media/[^"]+)"', client.get("/@ann").text)
    shown = {corners(client.get(avatar).data), corners(client.get(header).data)}
    assert shown == {"ggww", "rgrg"}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": ""}, "Enter a name."),
        ({"name": "x" * 51}, "That’s 51 characters. The limit is 50."),
        ({"name": "\u200b\u202e"}, "Enter a name."),
        ({"bio": "x" * 161}, "The limit is 160"),
        ({"location": "x" * 31}, "The limit is 30"),
        ({"website": "javascript:alert(1)"}, "That isn’t a website address."),
        ({"website": "https://user@example.org"}, "That isn’t a website address."),
        ({"website": "https://exa mple.org"}, "That isn’t a website address."),
        ({"website": "https://example.org:port"}, "That isn’t a website address."),
        ({"website": "https://[::1"}, "That isn’t a website address."),
        ({"website": "ftp://example.org"}, "That isn’t a website address."),
        ({"website": "localhost"}, "That isn’t a website address."),
        ({"website": "https://example.org/" + "x" * 100}, "The limit is 100"),
    ],
)
def test_an_invalid_profile_comes_back_with_an_error(
    fields: dict[str, str], sentence: str, member: SignUp, client: FlaskClient
) -> None:
    ann = member("ann")
    answer = save_profile(ann, **{"bio": "as it was typed", **fields})
    assert answer.status_code == 422 and sentence in answer.text
    assert "bio" in fields or "as it was typed" in answer.text
    assert "as it was typed" not in client.get("/@ann").text


def test_an_invalid_picture_is_refused_and_nothing_is_saved(
    member: SignUp, client: FlaskClient, settings: Config
) -> None:
    ann, wrong = member("ann"), (io.BytesIO(b"<svg onload=alert(1)>"), "me.png")
    answer = save_profile(ann, name="Wren", avatar=(picture(), "me.png"), header=wrong)
    assert answer.status_code == 422 and 'id="header-error"' in answer.text
    assert "Wren" not in client.get("/@ann").text
    assert list(settings.media_path.rglob("*.webp")) == [], "the other picture is not kept"


def test_text_fields_ignore_files_and_file_fields_ignore_text(ann: FlaskClient) -> None:
    assert save_profile(ann, bio=(picture(), "bio.png")).status_code == 303
    assert save_profile(ann, avatar="not a file").status_code == 303
    form = {"text": (picture(), "text.png")}
    answer = ann.post("/statuses", data=form, content_type="multipart/form-data")
    assert answer.status_code == 422


def test_a_password_change_ends_other_sessions(app: Flask, member: SignUp) -> None:
    ann, other = member("ann"), app.test_client()
    other.post("/login", data={"login": "ann", "password": PASSWORD})
    wrong = ann.post("/settings/password", data={"old": "wrong", "new": NEW_PASSWORD})
    assert wrong.status_code == 422 and "That’s not your password." in wrong.text
    weak = ann.post("/settings/password", data={"old": PASSWORD, "new": "short"})
    assert weak.status_code == 422 and "at least 8 characters" in weak.text
    assert other.get("/home").status_code == 200
    form = {"old": PASSWORD, "new": NEW_PASSWORD}
    answer = ann.post("/settings/password", data=form, follow_redirects=True)
    assert "Password changed." in answer.text and "1 other device was logged out." in answer.text
    assert ann.get("/home").status_code == 200
    assert other.get("/home").status_code == 303
    assert other.post("/login", data={"login": "ann", "password": PASSWORD}).status_code == 422
    assert other.post("/login", data={"login": "ann", "password": NEW_PASSWORD}).status_code == 303


def test_devices_are_listed_and_logged_out(app: Flask, ann: FlaskClient, member: SignUp) -> None:
    agents = [
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 "
        "(KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
        "<script>alert(1)</script>",
    ]
    others = [app.test_client() for _ in agents]
    for other, agent in zip(others, agents, strict=True):
        headers = {"User-Agent": agent}
        other.post("/login", data={"login": "ann", "password": PASSWORD}, headers=headers)
    page = ann.get("/settings/sessions").text
    for text in ("Firefox on Linux", "Mobile Safari on iOS", "127.0.0.1", "This device"):
        assert text in page, text
    assert "alert(1)" not in page
    actions = re.findall(r'action="(/settings/sessions/[0-9a-f]{64}/end)"', page)
    assert len(actions) == 3
    stranger = member("ben")
    stranger.post(actions[0])
    assert sum(other.get("/home").status_code == 200 for other in others) == 3
    ann.post(actions[0])
    assert sum(other.get("/home").status_code == 200 for other in others) == 2
    page = ann.post("/settings/sessions/end", follow_redirects=True).text
    assert "2 other devices were logged out." in page
    assert sum(other.get("/home").status_code == 200 for other in others) == 0
    assert ann.get("/home").status_code == 200


def test_the_current_session_is_not_ended_from_the_list(member: SignUp) -> None:
    from webapp.accounts.sessions.cookie_value import sha_of

    ann = member("ann")
    cookie = ann.get_cookie("linnet")
    assert cookie
    ann.post(f"/settings/sessions/{sha_of(cookie.value)}/end")
    assert ann.get("/home").status_code == 200


def test_the_page_shows_a_token_once_and_revokes_it(ann: FlaskClient, member: SignUp) -> None:
    created = ann.post("/settings/tokens", data={"name": "My script"})
    token = re.search(r"<code>(linnet_1_[\w-]+)</code>", created.text)
    assert created.status_code == 201 and token
    page = ann.get("/settings/tokens").text
    assert "My script" in page and "Never used" in page and token[1] not in page
    revoke = re.search(r'action="(/settings/tokens/[0-9a-f]{64}/revoke)"', page)
    assert revoke
    member("ben").post(revoke[1])
    assert "My script" in ann.get("/settings/tokens").text
    assert "Token revoked." in ann.post(revoke[1], follow_redirects=True).text
    assert "You don’t have any tokens yet." in ann.get("/settings/tokens").text


@pytest.mark.parametrize("name", ["", " ", "\u200b", "x" * 51])
def test_a_token_needs_a_name(name: str, member: SignUp) -> None:
    answer = member("ann").post("/settings/tokens", data={"name": name})
    assert answer.status_code == 422 and 'id="name-error"' in answer.text


def test_deleting_the_account_needs_the_password(member: SignUp, client: FlaskClient) -> None:
    ann = member("ann")
    ann.post("/statuses", data={"text": "soon gone"})
    refused = ann.post("/settings/delete", data={"password": "wrong"})
    assert refused.status_code == 422 and "That’s not your password." in refused.text
    assert client.get("/@ann").status_code == 200
    answer = ann.post("/settings/delete", data={"password": PASSWORD}, follow_redirects=True)
    assert "Your account was deleted." in answer.text
    assert ann.get("/home").status_code == 303
    assert client.get("/@ann").status_code == 404
    assert "soon gone" not in client.get("/public").text
    sign_up = client.post("/signup", data={"login": "Ann", "name": "Ann", "password": PASSWORD})
    assert sign_up.status_code == 409 and "taken" in sign_up.text


def test_failed_password_checks_are_limited_and_strangers_do_not_count(settings: Config) -> None:
    app = make_app(replace(settings, limit_signin_account=Rate(3, 600)))
    ann, stranger = app.test_client(), app.test_client()
    ann.post("/signup", data={"login": "ann", "name": "Ann", "password": PASSWORD})
    for _ in range(4):
        stranger.post("/login", data={"login": "ann", "password": "wrong password"})
    wrong = {"old": "wrong", "new": NEW_PASSWORD}
    statuses = [ann.post("/settings/password", data=wrong).status_code for _ in range(4)]
    assert statuses == [422, 422, 422, 429]
    assert ann.post("/settings/delete", data={"password": PASSWORD}).status_code == 429


def test_the_page_says_what_stays_of_a_deleted_account_and_that_stays(
    app: Flask, settings: Config, member: SignUp
) -> None:
    ann, ben = member("ann"), member("ben")
    db: Db = app.extensions["linnet.db"]
    direct = ann.get("/chats/@ben").location.rpartition("/")[2]
    chats = (direct, chat.group(Site(db, settings), 1, [2]))
    for cid in chats:
        first, _ = chat.send_messages(
            Site(db, settings), 1, cid, f"kept in {cid}", "deleted before"
        )
        assert ann.post(f"/chats/{cid}/messages/{first + 1}/delete").status_code == 303
        assert reports.report(Site(db, settings), 2, cid, first, "rude")
    page = ann.get("/settings/delete").text
    assert "stay with the people you sent them to, without your name" in page
    assert "If someone reported something you wrote" in page
    assert ann.post("/settings/delete", data={"password": PASSWORD}).status_code == 303
    for cid in chats:
        shown = ben.get(f"/chats/{cid}").text
        assert f"kept in {cid}" in shown and "Former member" in shown
        assert "Ann" not in shown and "deleted before" not in shown
    found = [report.texts for report in listing.list_newest(db)]
    assert found == [[f"kept in {cid}"] for cid in reversed(chats)]
