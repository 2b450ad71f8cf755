"""The operator's commands about members, as typed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from click.testing import CliRunner, Result
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, make_app
from tests.support import worker
from webapp.accounts import invites, registration
from webapp.accounts import keys as account_keys
from webapp.cli import main
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.store.client import Db
from webapp.core.store.connection import connect

Linnet = Callable[..., Result]


@pytest.fixture
def linnet(settings: Config, monkeypatch: pytest.MonkeyPatch) -> Linnet:
    """Runs a command on the store under test."""
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    monkeypatch.setenv("PASSWORD_COST", settings.password_cost)
    return lambda *words, **options: CliRunner().invoke(main, words, **options)


@pytest.fixture
def store_db(settings: Config) -> Db:
    """The store under test."""
    return connect(settings)


def enters(client: FlaskClient, login: str, password: str) -> bool:
    """Whether a member can sign in."""
    return client.post("/login", data={"login": login, "password": password}).status_code == 303


def test_suspending_and_restoring(
    linnet: Linnet,
    member: Callable[[str], FlaskClient],
    client: FlaskClient,
    settings: Config,
    store_db: Db,
) -> None:
    ann = member("ann")
    assert linnet("member", "suspend", "@ann").output == "@ann is suspended.\n"
    worker.drain(store_db, settings)
    assert ann.get("/home").status_code == 303
    page = client.get("/@ann")
    assert page.status_code == 403 and "suspended" in page.text
    answer = client.post("/login", data={"login": "ann", "password": PASSWORD})
    assert answer.status_code == 403 and "This account is suspended." in answer.text
    assert "already" in linnet("member", "suspend", "ann").output
    assert linnet("member", "restore", "ann").output == "@ann is restored.\n"
    assert enters(client, "ann", PASSWORD)
    assert "was not suspended" in linnet("member", "restore", "ann").output


def test_removing_asks_first(
    linnet: Linnet, member: Callable[[str], FlaskClient], client: FlaskClient
) -> None:
    member("ann")
    refused = linnet("member", "remove", "ann", input="n\n")
    assert refused.exit_code == 1 and client.get("/@ann").status_code == 200
    assert "is deleted" in linnet("member", "remove", "ann", "--yes").output
    assert client.get("/@ann").status_code == 404
    assert not enters(client, "ann", PASSWORD)


def test_resetting_a_password(
    linnet: Linnet, member: Callable[[str], FlaskClient], client: FlaskClient
) -> None:
    ann = member("ann")
    output = linnet("member", "reset-password", "ann").output
    password = output.splitlines()[0].rpartition(" ")[2]
    assert ann.get("/home").status_code == 303
    assert not enters(client, "ann", PASSWORD)
    assert enters(client, "ann", password)


def test_granting_and_revoking(linnet: Linnet, member: Callable[[str], FlaskClient]) -> None:
    member("ann")
    assert (
        linnet("member", "grant", "ann", "firehose").output == "@ann has these rights: firehose.\n"
    )
    assert (
        linnet("member", "grant", "ann", "firehose", "--revoke").output
        == "@ann has these rights: none.\n"
    )
    assert linnet("member", "grant", "ann", "flight").exit_code == 2
    assert linnet("grant", "ann", "firehose").output == "@ann has these rights: firehose.\n"
    assert linnet("grant", "--revoke", "ann", "firehose").output == "@ann has these rights: none.\n"


@pytest.mark.parametrize(
    "command", [("suspend",), ("restore",), ("remove", "--yes"), ("reset-password",)]
)
def test_an_unknown_member_is_one_clear_line(command: tuple[str, ...], linnet: Linnet) -> None:
    result = linnet("member", command[0], "nobody", *command[1:])
    assert result.exit_code == 1
    assert result.output == "Error: This member doesn’t exist.\n"


def test_an_invitation_is_made_listed_counted_and_cancelled(
    linnet: Linnet, settings: Config, store_db: Db
) -> None:
    made = linnet("invite", "--places", "2")
    code = re.search(r"/signup\?invite=(\S+)", made.output)
    assert code
    client = make_app(replace(settings, signup="invite")).test_client()
    form = {"login": "ann", "name": "Ann", "password": PASSWORD, "invite": code[1]}
    assert client.get(f"/signup?invite={code[1]}").status_code == 200
    assert client.post("/signup", data=form).status_code == 303
    assert f"{code[1]}  1 of 2 came" in linnet("invite", "--list").output
    assert "invalid now" in linnet("invite", "--cancel", code[1]).output
    assert linnet("invite", "--list").output == ""
    assert client.post("/logout").status_code == 303
    answer = client.post("/signup", data={**form, "login": "ben"})
    assert answer.status_code == 403 and "has expired" in answer.text


@pytest.mark.parametrize(
    ("signup", "sentence"),
    [("closed", "isn’t taking new members"), ("invite", "need an invitation")],
)
def test_who_may_not_sign_up_is_told_so(signup: str, sentence: str, settings: Config) -> None:
    client = make_app(replace(settings, signup=signup)).test_client()
    form = {"login": "ann", "name": "Ann", "password": PASSWORD}
    for answer in (client.get("/signup"), client.post("/signup", data=form)):
        assert answer.status_code == 403 and sentence in answer.text
    assert client.get("/@ann").status_code == 404


def test_an_invitation_is_never_used_by_more_than_it_is_for(db: Db, config: Config) -> None:
    invite = invites.create(db, 3, 3600)
    assert [invites.redeem(db, invite.code, uid) for uid in range(1, 6)] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert not invites.is_valid(db, invite.code)
    invites.release(db, invite.code, 2)
    assert invites.redeem(db, invite.code, 6)
    assert not invites.redeem(db, invite.code, 7)


def test_a_place_whose_account_was_never_made_is_given_on(db: Db, config: Config) -> None:
    invite = invites.create(db, 2, 3600)
    uid = registration.sign_up(db, config, "ann", "Ann", PASSWORD, invite.code).uid
    assert invites.redeem(db, invite.code, 99)  # and its process dies
    assert not invites.redeem(db, invite.code, 100)
    for taken in (uid, 99):
        db.run(("ZADD", account_keys.invite_redemptions(invite.code), 1_000, taken))
    assert invites.redeem(db, invite.code, 100)
    assert not invites.redeem(db, invite.code, 101)


def test_a_sign_up_that_is_refused_gives_its_place_back(db: Db, config: Config) -> None:
    invite = invites.create(db, 1, 3600)
    full = replace(config, outbox_max=1)
    db.run(("XADD", event_keys.outbox(1), "*", "type", "x"))
    with pytest.raises(Exception, match="overloaded"):
        registration.sign_up(db, full, "ann", "Ann", PASSWORD, invite.code)
    db.run(("DEL", event_keys.outbox(1)))
    assert registration.sign_up(db, config, "ann", "Ann", PASSWORD, invite.code)


@pytest.mark.parametrize("code", ["", "x", "x" * 16, "é" * 16, "a:b" * 6])
def test_a_forged_invitation_is_none(code: str, db: Db) -> None:
    assert not invites.is_valid(db, code)
    assert not invites.redeem(db, code, 1)
