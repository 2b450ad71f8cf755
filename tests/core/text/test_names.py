"""Names: none looks like a username, in any field."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from webapp.core.text.cleaning import clean_line, clean_name
from webapp.core.text.parser import Unacceptable

SENTENCE = "A name can’t look like a username. Leave out the @."
# fmt: off
LIKE_USERNAMES = [
    "@admin", "@ admin", "@\u3000\u200a admin", "＠admin", "﹫ admin", "@аdmin", "@管理员", "@_x",
    "@\u200badmin", "@\u0332admin", "@\u2800admin", "\u3164@admin", "\u3164@ admin", "★ @ admin",
    "\u2067@admin", "Ann @admin", "Ann (@admin)", "Ann😀@admin", "Ann \u3164@admin", "@7",
    "@ａｄｍｉｎ",
]
OTHER_NAMES = [
    "Ann @ the marsh", "ann@example.org", "R@b @ home", "@", "@_@", "(@_@)", "C@t", "x̄@home",
    "鸟@沼泽",
]
# fmt: on


@pytest.mark.parametrize("name", LIKE_USERNAMES)
def test_a_name_that_looks_like_a_username_is_refused(name: str) -> None:
    with pytest.raises(Unacceptable) as error:
        clean_name(name, 50)
    assert error.value.reason == "handle"
    assert clean_line(name, 50)  # a line of text may name people


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_an_at_sign_within_a_name_is_kept(name: str) -> None:
    assert clean_name(name, 50) == name


@pytest.mark.parametrize(
    ("path", "field", "more"),
    [
        ("/settings/profile", "name", {}),
        ("/lists", "name", {}),
        ("/chats/new", "name", {"kind": "private", "key": "form-key-1"}),
        ("/chats/7/settings", "name", {"kind": "private", "retention": "history"}),
        ("/settings/tokens", "name", {}),
        ("/settings/apps", "name", {}),
        ("/settings/bots", "name", {"login": "annbot"}),
        ("/settings/bots/annsbot/name", "name", {}),
        ("/settings/bots/annsbot/tokens", "token", {}),
    ],
)
def test_every_name_of_a_form_has_this_rule(
    path: str, field: str, more: dict[str, str], ann: FlaskClient
) -> None:
    form = {"login": "annsbot", "name": "Bot", "current_password": PASSWORD}
    ann.post("/settings/bots", data=form)
    group = ann.post("/chats/new", data={"name": "Larks", "kind": "private", "key": "form-key-0"})
    path = path.replace("/chats/7/", f"{group.location}/")
    for name, sentence in (("@ admin", SENTENCE), ("\u3164", "name")):
        response = ann.post(path, data={**more, field: name, "current_password": PASSWORD})
        assert response.status_code == 422 and sentence in response.text, name
    response = ann.post(path, data={**more, field: "Ann @ the marsh", "current_password": PASSWORD})
    assert response.status_code in (201, 303), response.text


def test_a_new_account_has_this_rule(app: Flask) -> None:
    client = app.test_client()
    form = {"login": "ann", "name": "@ admin", "password": PASSWORD}
    response = client.post("/signup", data=form)
    assert response.status_code == 422 and SENTENCE in response.text
