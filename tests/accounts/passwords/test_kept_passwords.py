"""Passwords are kept whole, whatever their characters, under a slow hash with a salt of its own."""

import re
from base64 import b64decode

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.world import World
from webapp.accounts import keys
from webapp.accounts.passwords import hashing
from webapp.accounts.sessions import store as sessions
from webapp.config import Config

COST = "8/1/1"
WORDS = "seven quiet herons wade through the reeds at dawn and nobody sees them " * 2
LONGEST = WORDS[:128]


@pytest.mark.parametrize(
    "password",
    [LONGEST, "七只苍鹭静静地涉水而过", "🦉 owl 🪶 feather", "a  b   c d!§", "ñandú\u00a0élégant"],
)
def test_every_character_counts(app: Flask, password: str) -> None:
    browser = app.test_client()
    form = {"login": "ann", "name": "Ann", "password": password}
    assert browser.post("/signup", data=form).status_code == 303

    def enter(text: str) -> int:
        return app.test_client().post("/login", data={"login": "ann", "password": text}).status_code

    assert enter(password) == 303
    for other in (password[:-1], password + "x", password[1:]):
        assert enter(other) == 422


def test_a_new_password_has_at_most_128_characters(client: FlaskClient) -> None:
    form = {"login": "ann", "name": "Ann", "password": f"{LONGEST}x"}
    answer = client.post("/signup", data=form)
    assert answer.status_code == 422 and "up to 128 characters" in answer.text


def test_each_hash_has_a_salt_of_its_own_and_the_costs_of_the_settings() -> None:
    hashes = {hashing.hash_password("seven quiet herons", COST) for _ in range(20)}
    salts = {b64decode(one.split("$")[4] + "==") for one in hashes}
    assert len(salts) == 20 and {len(salt) for salt in salts} == {16}
    assert all(one.startswith("$argon2id$v=19$m=8,t=1,p=1$") for one in hashes)
    memory, passes, _ = map(int, Config().password_cost.split("/"))
    assert memory >= 19_456 and passes >= 2


def test_a_session_token_has_256_random_bits(world: World) -> None:
    [ann] = world.people("ann")
    tokens = {sessions.start(world, ann).partition(".")[2] for _ in range(20)}
    assert len(tokens) == 20
    assert {len(b64decode(one + "=", altchars=b"-_")) for one in tokens} == {32}
    stored = world.db.run(("ZRANGE", keys.member_sessions(ann), 0, -1))
    assert not tokens & set(stored)


@pytest.mark.parametrize("path", ["/login", "/signup"])
def test_fields_of_passwords_take_pasted_text_and_name_their_purpose(
    client: FlaskClient, path: str
) -> None:
    field = re.search(r'<input[^>]*name="password"[^>]*>', client.get(path).text)
    purpose = "new-password" if path == "/signup" else "current-password"
    assert field and f'autocomplete="{purpose}"' in field[0]
    assert "onpaste" not in field[0] and "maxlength" not in field[0]
