"""The security log: what happened to an account, for its member and the operator alone."""

import pytest
from flask import Flask

from tests.conftest import PASSWORD, SignUp
from tests.support.client_api import allowed_code, register_app
from tests.support.pages import page_text
from tests.support.second_step import set_up
from tests.support.world import World
from webapp.accounts import keys as account_keys, lifecycle
from webapp.accounts.security_log import keys
from webapp.accounts.security_log.store import SENTENCES, security_log
from webapp.accounts.sessions import credentials, store as sessions
from webapp.accounts.sessions.devices import Device
from webapp.core.errors import Invalid
from webapp.core.store import Site

ANN = 1
PHONE = Device("192.0.2.1", "Mozilla/5.0 (iPhone) Safari\ud83d" + "x" * 400)


def kinds(site: Site, uid: int = ANN) -> list[tuple[str, int]]:
    return [(entry.kind, entry.count) for entry in site.db.read(security_log(uid))]


def fail(site: Site, login: str = "ann") -> None:
    with pytest.raises(Invalid):
        credentials.sign_in(site, login, "wrong password", "a browser")


def test_failures_in_a_row_are_one_entry_and_a_hundred_entries_are_kept(world: World) -> None:
    [ann] = world.people("ann")
    sessions.start(world, ann, device=PHONE)
    for login in ("ann", "ann", "nobody", "ann"):
        fail(world, login)
    assert kinds(world, ann) == [("failed", 3), ("signed_in", 1)]
    assert not world.db.run(("EXISTS", keys.security_log(0)))
    assert "nobody" not in str(world.db.run(("XRANGE", keys.security_failures(0), "-", "+")))
    for _ in range(60):
        sessions.start(world, ann, device=PHONE)
        fail(world)
    assert len(kinds(world, ann)) == 100
    newest = world.db.read(security_log(ann))[1]
    assert newest.agent.startswith("Mozilla/5.0 (iPhone) Safari?x") and len(newest.agent) == 300
    assert PHONE.ip_address not in str(world.db.run(("XRANGE", keys.security_log(ann), "-", "+")))


def test_consent_to_an_app_is_logged(app: Flask, member: SignUp) -> None:
    registered = register_app(app)
    allowed_code(member("ann"), registered)
    site = Site(app.extensions["linnet.db"], app.extensions["linnet.config"])
    assert kinds(site)[0] == ("allowed", 1)


def test_what_secures_an_account_is_logged_when_it_changes(app: Flask, member: SignUp) -> None:
    ann = member("ann")
    set_up(ann)
    ann.post("/settings/security/codes")
    ann.post("/settings/security/off")
    ann.post("/settings/tokens", data={"name": "script"})
    ann.post("/settings/apps", data={"name": "client"})
    page = ann.get("/settings/tokens").text
    sha = page.partition("/settings/tokens/")[2].partition("/")[0]
    ann.post(f"/settings/tokens/{sha}/revoke")
    new = "seven quiet herons wade"
    ann.post("/settings/password", data={"old": PASSWORD, "new": new})
    app.test_client().post("/login", data={"login": "ann", "password": PASSWORD})
    site = Site(app.extensions["linnet.db"], app.extensions["linnet.config"])
    expected = "failed password revoked app token two_step_off codes two_step_on signed_in"
    assert [kind for kind, _ in kinds(site)] == expected.split()
    assert set(expected.split()) < set(SENTENCES)
    text = page_text(ann.get("/settings/security"))
    assert "Changed the password" in text and "Failed to log in" in text
    assert "Changed the password" not in page_text(member("ben").get("/settings/security"))
    lifecycle.delete_account(site, ANN, None)
    assert not site.db.run(("HEXISTS", account_keys.user(ANN), "login"))
    fail(site)
