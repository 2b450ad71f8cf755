"""Forms that are refused before their view runs: what was written comes back, and can be sent."""

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from io import BytesIO

import pytest
from flask.testing import FlaskClient
from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD
from tests.support.pages import check_error, join, page_text, post_status, serving
from tests.support.world import Web
from webapp.config import Config, Rate

Store = tuple[str, Callable[[], None], Callable[[], None]]
HERE = {"Origin": "http://localhost"}
KEY = "refused-form-1"
TEXT = 'dawn <chorus> & "more"\n\nat five'


def form_of(response: TestResponse) -> tuple[str, MultiDict[str, str]]:
    """Return the address and the fields of the form that a page shows."""
    main = response.text.partition("<main")[2]
    form = re.search(r'<form class="form[^>]*action="([^"]*)"[^>]*>(.*?)</form>', main, re.DOTALL)
    assert form, main
    pattern = (
        r'<input (?=[^>]*type="hidden"|[^>]*class="input")[^>]*?name="([^"]+)"[^>]*?value="([^"]*)"'
        r'|<textarea[^>]*name="([^"]+)"[^>]*>\n?(.*?)</textarea>'
    )
    found = re.findall(pattern, form[2], re.DOTALL)
    fields = ((name or area, unescape(value or text)) for name, value, area, text in found)
    return unescape(form[1]), MultiDict(fields)


def end_session(client: FlaskClient) -> None:
    """End the session of a browser, which does not know of it."""
    client.set_cookie("linnet", client.get_cookie("linnet").value[:-4] + "AAAA")  # type: ignore[union-attr]


def test_a_post_without_a_session_waits_until_its_writer_has_logged_in(ann: FlaskClient) -> None:
    end_session(ann)
    fields = {"text": TEXT, "cw": "birds", "visibility": "followers", "key": KEY, "option1": ""}
    refused = ann.post("/statuses?from=home", data=fields, headers=HERE)
    assert refused.status_code == 403
    assert "You’re logged out. Log in to send what you wrote." in page_text(refused)
    address, carried = form_of(refused)
    assert address == "/login" and carried["refused.text"] == TEXT
    assert re.search(
        r'<label for="(refused-\d)">Text</label>\s*<textarea[^>]*id="\1"', refused.text
    )

    wrong = ann.post("/login", data={**carried, "login": "ann", "password": "not this one"})
    assert wrong.status_code == 422 and "Wrong username or password." in page_text(wrong)
    assert form_of(wrong)[1]["refused.text"] == TEXT

    back = ann.post("/login", data={**form_of(wrong)[1], "login": "ann", "password": PASSWORD})
    assert back.status_code == 200 and back.headers["Cache-Control"] == "no-store"
    assert "Nothing has been sent yet." in page_text(back)
    assert "/@ann" in back.text.partition("<main")[0]
    address, again = form_of(back)
    assert address == "/statuses?from=home"
    assert {name: again[name] for name in fields} == fields
    assert ann.post(address, data=again).status_code == 303
    home = ann.get("/home")
    assert "dawn &lt;chorus&gt; &amp;" in home.text and "Followers" in page_text(home)


def test_other_forms_without_a_session_lead_to_the_login(ann: FlaskClient) -> None:
    end_session(ann)
    for fields in ({}, {"text": " ", "key": KEY}):
        response = ann.post("/statuses", data=fields, headers=HERE)
        assert (response.status_code, response.location) == (303, "/login")


def test_a_script_without_a_session_is_told_so(ann: FlaskClient) -> None:
    end_session(ann)
    headers = {**HERE, "Accept": "application/json", "Sec-Fetch-Mode": "cors"}
    response = ann.post("/statuses", data={"text": TEXT}, headers=headers)
    check_error(response, 403, "You’re logged out. Log in to send what you wrote.")
    assert "<textarea" not in response.text


def test_a_form_with_an_old_token_comes_back_with_a_new_one(settings: Config) -> None:
    with serving(settings) as app:
        ann = join(app, "ann")
        app.config["WTF_CSRF_ENABLED"] = True
        sent = {"text": TEXT, "key": KEY, "csrf_token": "an old one"}
        refused = ann.post("/statuses", data=sent, headers=HERE)
        check_error(refused, 400, "This form was no longer valid.", "What you wrote is still here.")
        address, again = form_of(refused)
        assert again.getlist("csrf_token") != ["an old one"] and again["key"] == KEY
        assert ann.post(address, data=again).status_code == 303
        assert "dawn &lt;chorus&gt;" in ann.get("/home").text


def test_a_logout_elsewhere_in_the_browser_asks_to_log_in(settings: Config) -> None:
    with serving(settings) as app:
        ann = join(app, "ann")
        app.config["WTF_CSRF_ENABLED"] = True
        ann.delete_cookie("linnet")
        ann.delete_cookie("linnet_form")
        refused = ann.post("/statuses", data={"text": TEXT, "csrf_token": "x"}, headers=HERE)
        address, carried = form_of(refused)
        assert (refused.status_code, address) == (400, "/login")
        back = ann.post("/login", data={**carried, "login": "ann", "password": PASSWORD})
        assert form_of(back)[1]["text"] == TEXT


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/statuses", {"text": TEXT, "more1": "two", "key": KEY}),
        ("/drafts", {"text": TEXT, "key": KEY}),
        ("/settings/profile", {"name": "Ann", "bio": TEXT}),
        ("/chats/1.5/messages", {"text": TEXT, "key": KEY}),
        ("/chats/new", {"name": "Birds", "topic": "of the fen", "text": TEXT}),
        ("/@ben/report", {"category": "spam", "reason": TEXT}),
    ],
)
def test_texts_come_back_while_the_store_is_down_and_are_taken_once_it_is_up(
    settings: Config, own_store: Store, path: str, fields: dict[str, str]
) -> None:
    url, stop, start = own_store
    with serving(replace(settings, redis_url=url, inline_projections=False)) as app:
        ann = join(app, "ann")
        join(app, "ben")
        stop()
        refused = ann.post(path, data=fields, headers=HERE)
        check_error(refused, 503, "We can’t reach our data right now.")
        assert int(refused.headers["Retry-After"]) > 0
        address, again = form_of(refused)
        assert address == path
        again.pop("csrf_token")
        assert again.to_dict() == fields
        start()
        expected = 404 if path.startswith("/chats/1.5") else 303
        assert ann.post(address, data=again, headers=HERE).status_code == expected


def test_a_rate_limit_gives_the_text_back_with_the_wait(settings: Config) -> None:
    with serving(replace(settings, limit_follow=Rate(1, 600))) as app:
        ann, _ = join(app, "ann"), join(app, "ben")
        report = {"category": "spam", "reason": TEXT}
        assert ann.post("/@ben/report", data=report, headers=HERE).status_code == 303
        refused = ann.post("/@ben/report", data=report, headers=HERE)
        check_error(refused, 429, "You’re doing that too often. Please wait ")
        assert form_of(refused)[1]["reason"] == TEXT


def test_a_bid_is_typed_once(web: Web) -> None:
    bid = {"what": "bid", "amount": "77"}
    refused = web.member("ann").post("/market/99/pay", data=bid, headers=HERE)
    assert refused.status_code == 404
    path, fields = form_of(refused)
    assert (path, fields["what"], fields["amount"]) == ("/market/99/pay", "bid", "77")


def test_a_limit_of_logins_keeps_what_the_login_carries(settings: Config) -> None:
    with serving(replace(settings, limit_signin_address=Rate(1, 600))) as app:
        join(app, "ann")
        ann = app.test_client()  # on a device that the account does not know
        carried = form_of(ann.post("/statuses", data={"text": TEXT}, headers=HERE))[1]
        wrong = {**carried, "login": "ann", "password": "not this one"}
        assert ann.post("/login", data=wrong, headers=HERE).status_code == 422
        refused = ann.post("/login", data=wrong, headers=HERE)
        check_error(refused, 429, "What you wrote is still here.")
        address, again = form_of(refused)
        assert address == "/login" and again["refused.text"] == TEXT
        assert "not this one" not in refused.text


def test_a_failure_of_ours_gives_the_text_back(web: Web) -> None:
    def broken() -> str:
        raise ZeroDivisionError

    web.app.view_functions["statuses.create"] = broken
    refused = web.member("ann").post("/statuses", data={"text": TEXT}, headers=HERE)
    check_error(refused, 500, "It’s our mistake")
    assert form_of(refused)[1]["text"] == TEXT


def test_an_answer_to_a_chat_that_is_gone_comes_back(web: Web) -> None:
    refused = web.member("ann").post("/chats/1.5/messages", data={"text": TEXT}, headers=HERE)
    check_error(refused, 404)
    assert form_of(refused)[1]["text"] == TEXT


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://example.com"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"},
    ],
)
def test_other_sites_and_scripts_get_no_form(web: Web, headers: dict[str, str]) -> None:
    response = web.member("ann").post("/chats/1.5/messages", data={"text": TEXT}, headers=headers)
    check_error(response, 404)
    assert "chorus" not in response.text


def test_passwords_and_tokens_are_not_shown_again(web: Web) -> None:
    fields = {
        "text": TEXT,
        **dict.fromkeys(("password", "current_password", "old", "new"), "the secret one"),
        **dict.fromkeys(("csrf_token", "token"), "the secret one"),
    }
    refused = web.member("ann").post("/chats/1.5/messages", data=fields, headers=HERE)
    assert form_of(refused)[1]["text"] == TEXT and "the secret one" not in refused.text


def test_pictures_must_be_chosen_again(settings: Config, own_store: Store) -> None:
    url, stop, _ = own_store
    with serving(replace(settings, redis_url=url, inline_projections=False)) as app:
        ann = join(app, "ann")
        stop()
        large = BytesIO(b"x" * 200_000)  # more than a form without pictures may have
        fields = {"text": TEXT, "alt": ["A heron", ""], "pictures": [(large, "heron.png")]}
        fields["pictures"] += [(BytesIO(), "")]  # type: ignore[operator]
        refused = ann.post("/statuses", data=fields, headers=HERE)
        check_error(refused, 503, "Picture: please choose it again")
        assert form_of(refused)[1].getlist("alt") == ["A heron", ""]
        inputs = re.findall(r'<input [^>]*type="file"[^>]*>', refused.text)
        assert ["required" in one for one in inputs] == [True, False]
        assert ["hidden" in one for one in inputs] == [False, True]


def test_a_carried_form_leads_to_no_other_site(web: Web) -> None:
    fields = {"refused_action": "//example.com/", "refused.text": TEXT}
    ann = web.member("ann")
    response = ann.post("/login", data=fields)
    assert (response.status_code, response.location) == (303, "/home")
    assert post_status(ann, "still here")
