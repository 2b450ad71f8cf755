"""The operator's commands about members."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, make_app
from tests.support import worker
from tests.support.operators import Linnet, linnet as linnet, store_db as store_db
from tests.support.settings import with_settings
from webapp.accounts import keys as account_keys, registration
from webapp.accounts.invitations import invites
from webapp.admin import doctor
from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.events import attempts, keys as event_keys
from webapp.core.store import Db, Site
from webapp.registry.upgrades import UpgradeLoop
from webapp.timelines.trends import store
from webapp.timelines.trends.ranking import Ranking, Trend


def can_sign_in(client: FlaskClient, login: str, password: str) -> bool:
    """Return True if a member can sign in."""
    return client.post("/login", data={"login": login, "password": password}).status_code == 303


def test_a_member_is_suspended_and_restored(
    linnet: Linnet,
    member: Callable[[str], FlaskClient],
    client: FlaskClient,
    settings: Config,
    store_db: Db,
) -> None:
    ann = member("ann")
    assert linnet("member", "suspend", "@ann").output == "@ann is suspended.\n"
    worker.drain(Site(store_db, settings))
    assert ann.get("/home").status_code == 303
    page = client.get("/@ann")
    assert page.status_code == 403 and "suspended" in page.text
    answer = client.post("/login", data={"login": "ann", "password": PASSWORD})
    assert answer.status_code == 403 and "This account is suspended." in answer.text
    assert "already" in linnet("member", "suspend", "ann").output
    assert linnet("member", "restore", "ann").output == "@ann is restored.\n"
    assert can_sign_in(client, "ann", PASSWORD)
    assert "was not suspended" in linnet("member", "restore", "ann").output


def test_an_operator_reads_what_happened_to_an_account(
    linnet: Linnet, member: Callable[[str], FlaskClient], client: FlaskClient
) -> None:
    member("ann")
    agent = {"User-Agent": "a \x1b[31mbrowser"}
    for password in ("no", "neither"):
        client.post("/login", data={"login": "ann", "password": password}, headers=agent)
    failed, signed_in = linnet("member", "security", "@ann").output.splitlines()
    assert failed.endswith("failed x 2  a ?[31mbrowser") and "signed_in" in signed_in


def test_a_deletion_asks_for_confirmation(
    linnet: Linnet, member: Callable[[str], FlaskClient], client: FlaskClient
) -> None:
    member("ann")
    refused = linnet("member", "remove", "ann", input="n\n")
    assert refused.exit_code == 1 and client.get("/@ann").status_code == 200
    assert "is deleted" in linnet("member", "remove", "ann", "--yes").output
    assert client.get("/@ann").status_code == 404
    assert not can_sign_in(client, "ann", PASSWORD)


def test_a_password_is_reset(
    linnet: Linnet, member: Callable[[str], FlaskClient], client: FlaskClient
) -> None:
    ann = member("ann")
    output = linnet("member", "reset-password", "ann").output
    password = output.splitlines()[0].rpartition(" ")[2]
    assert ann.get("/home").status_code == 303
    assert not can_sign_in(client, "ann", PASSWORD)
    assert can_sign_in(client, "ann", password)
    assert client.get("/home").location == "/settings/password"


def test_rights_are_granted_and_revoked(
    linnet: Linnet, member: Callable[[str], FlaskClient]
) -> None:
    member("ann")
    firehose, none = "@ann has these rights: firehose.\n", "@ann has these rights: none.\n"
    assert linnet("member", "grant", "ann", "firehose").output == firehose
    assert linnet("member", "grant", "ann", "firehose", "--revoke").output == none
    assert linnet("member", "grant", "ann", "flight").exit_code == 2
    assert linnet("grant", "ann", "firehose").output == firehose
    assert linnet("grant", "--revoke", "ann", "firehose").output == none


@pytest.mark.parametrize(
    "command", [("suspend",), ("restore",), ("remove", "--yes"), ("reset-password",)]
)
def test_an_unknown_member_is_a_one_line_error(command: tuple[str, ...], linnet: Linnet) -> None:
    result = linnet("member", command[0], "nobody", *command[1:])
    assert result.exit_code == 1
    assert result.output == "Error: This member doesn’t exist.\n"


def test_a_store_that_refuses_is_a_one_line_error(
    linnet: Linnet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_db: Db) -> int:
        raise Unavailable("read_only")

    monkeypatch.setattr(attempts, "retry_parked", refuse)
    result = linnet("retry")
    assert result.exit_code == 1 and result.output.startswith("Error: We can’t save anything")
    assert result.output.count("\n") == 1


def test_an_argument_that_is_no_text_is_a_one_line_error(linnet: Linnet) -> None:
    result = linnet("invite", "--note", "\udcff")
    assert result.exit_code == 1
    assert result.output == "Error: Write arguments in UTF-8.\n"


def test_an_invitation_is_created_listed_and_cancelled(
    linnet: Linnet, settings: Config, store_db: Db
) -> None:
    created = linnet("invite", "--places", "2")
    assert created.output.startswith(f"http://127.0.0.1:{settings.port}/signup?")
    code = re.search(r"/signup\?invite=(\S+)", created.output)
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
    assert answer.status_code == 403 and "no longer valid" in answer.text


@pytest.mark.parametrize(
    ("signup", "sentence"),
    [("closed", "isn’t taking new members"), ("invite", "need an invitation")],
)
def test_a_refused_sign_up_says_why(signup: str, sentence: str, settings: Config) -> None:
    client = make_app(replace(settings, signup=signup)).test_client()
    form = {"login": "ann", "name": "Ann", "password": PASSWORD}
    for answer in (client.get("/signup"), client.post("/signup", data=form)):
        assert answer.status_code == 403 and sentence in answer.text
    assert client.get("/@ann").status_code == 404


def test_an_invitation_has_a_bounded_number_of_places(db: Db, config: Config) -> None:
    invite = invites.create(db, 3, 3600)
    expected = [True, True, True, False, False]
    assert [invites.redeem(db, invite.code, uid) for uid in range(1, 6)] == expected
    assert not invites.is_valid(db, invite.code)
    invites.release(db, invite.code, 2)
    assert invites.redeem(db, invite.code, 6)
    assert not invites.redeem(db, invite.code, 7)


def test_the_place_of_an_abandoned_sign_up_is_reused(site: Site) -> None:
    invite = invites.create(site.db, 2, 3600)
    uid = registration.sign_up(site, "ann", "Ann", PASSWORD, invite.code).uid
    assert invites.redeem(site.db, invite.code, 99)  # then its process dies
    assert not invites.redeem(site.db, invite.code, 100)
    for redeemer in (uid, 99):
        site.db.run(("ZADD", account_keys.invite_redemptions(invite.code), 1_000, redeemer))
    assert invites.redeem(site.db, invite.code, 100)
    assert not invites.redeem(site.db, invite.code, 101)


def test_a_refused_sign_up_releases_its_place(site: Site) -> None:
    invite = invites.create(site.db, 1, 3600)
    full = with_settings(site, outbox_max=1)
    site.db.run(("XADD", event_keys.outbox(1), "*", "type", "x"))
    full.refuses(
        Exception, registration.sign_up, "ann", "Ann", PASSWORD, invite.code, match="overloaded"
    )
    site.db.run(("DEL", event_keys.outbox(1)))
    assert registration.sign_up(site, "ann", "Ann", PASSWORD, invite.code)


@pytest.mark.parametrize("code", ["", "x", "x" * 16, "é" * 16, "a:b" * 6])
def test_a_forged_invitation_is_invalid(code: str, db: Db) -> None:
    assert not invites.is_valid(db, code)
    assert not invites.redeem(db, code, 1)


def test_the_operator_hides_a_trend_and_shows_it_again(linnet: Linnet, store_db: Db) -> None:
    assert linnet("trends").output == "Nothing trends.\n"
    trend = Trend("#birds", 12, "en", (1,) * 8)
    store.save(store_db, 1, Ranking((trend,)))
    assert linnet("trends").output == "     12  #birds\n"
    assert linnet("trends", "--hide", "#Birds").output == "It is hidden from everybody.\n"
    assert "already" in linnet("trends", "--hide", "#birds").output
    assert linnet("trends").output == " hidden  #birds\n"
    assert linnet("trends", "--show", "#birds").output == "It may trend again.\n"
    assert "was not hidden" in linnet("trends", "--show", "#birds").output
    link = Trend("https://birds.press/", 9, "en", (1,) * 8)
    store.save(store_db, 2, Ranking((), (link,)))
    hide = linnet("trends", "--hide", "HTTPS://Birds.press#top")
    assert hide.output == "It is hidden from everybody.\n"
    assert linnet("trends").output == " hidden  https://birds.press/\n"
    other = linnet("trends", "--hide", "https://birds.press/other").output
    assert "It does not trend now: https://birds.press/other" in other
    refused = linnet("trends", "--hide", "birds")
    assert refused.exit_code == 2 and "Give a hashtag" in refused.output


def test_an_upgrade_is_done_again_on_request(
    linnet: Linnet, member: Callable[[str], FlaskClient], settings: Config, store_db: Db
) -> None:
    member("ann")
    ben = member("ben")
    for key in store_db.run(("KEYS", "name_index:*")) + store_db.run(("KEYS", "indexed_names:*")):
        store_db.run(("DEL", key))
    assert "option" not in ben.get("/autocomplete/members?q=an").text
    assert linnet("upgrade").output == "All data is up to date.\n"
    assert "none of pictures, media" in linnet("upgrade", "birds").output
    assert linnet("upgrade", "names").output == "names 0 of 2 members\n"
    site = Site(store_db, settings)
    finding = next(one for one in doctor.findings(site) if "upgrades" in one.message)
    assert not finding.ok and "names 0 of 2 members" in finding.message
    loop = UpgradeLoop(site)
    while loop.do_slice():
        pass
    assert linnet("upgrade").output == "All data is up to date.\n"
    worker.drain(site)
    assert "@ann" in ben.get("/autocomplete/members?q=an").text
