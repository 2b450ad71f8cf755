"""The private feed of a home: whoever has its address reads it, until the member ends it."""

import re

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, ApplyEvents, SignUp
from tests.support.feeds import read_feed, texts
from tests.support.pages import check_error, post_status
from tests.support.statuses.filters import FORM
from tests.support.world import Web
from webapp.accounts import keys as account_keys, lifecycle
from webapp.accounts.security_log.store import security_log
from webapp.accounts.sessions import password_proof
from webapp.accounts.store import uid_by_login
from webapp.core.web.context import site_of


def make_address(member: FlaskClient) -> str:
    """Make the address of a member's feed. Return its path."""
    page = member.post("/settings/home/feed").text
    found = re.search(r"<code>http://localhost(/feeds/[\w-]+/home\.atom)</code>", page)
    assert found, page
    return found[1]


def test_a_private_feed_has_what_its_member_reads(
    client: FlaskClient, member: SignUp, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = member("ann"), member("ben"), member("cid")
    ann.post("/@ben/follow")
    apply_events()
    spiders = {"words": "spiders", "filter_action": "hide", "expires_in": "always", "home": "y"}
    assert ann.post("/settings/filters", data=spiders).status_code == 303
    post_status(ben, "for all", key="1")
    post_status(ben, "for followers", visibility="followers", key="2")
    post_status(ben, "about spiders", key="3")
    post_status(cid, "by a stranger", key="4")
    post_status(ann, "her own", key="5")
    apply_events()
    feed = read_feed(client, make_address(ann))
    assert texts(feed) == ["her own", "for followers", "for all"]


def test_a_private_feed_covers_what_a_filter_folds_up(
    client: FlaskClient, member: SignUp, apply_events: ApplyEvents
) -> None:
    ann, ben = member("ann"), member("ben")
    ann.post("/@ben/follow")
    apply_events()
    ann.post("/settings/filters", data=FORM)
    post_status(ben, "two crumbs on a sill", key="1")
    post_status(ben, "for all", key="2")
    apply_events()
    feed = client.get(make_address(ann)).text
    assert "for all" in feed and "Warning: Crumbs" in feed and "sill" not in feed


def test_a_new_address_ends_the_one_before(ann: FlaskClient, web: Web) -> None:
    assert "New address" not in ann.get("/settings/home").text
    first = make_address(ann)
    assert web.client.get(first).headers["Cache-Control"] == "no-store"
    page = ann.get("/settings/home").text
    assert "New address" in page and first not in page
    second = make_address(ann)
    check_error(web.client.get(first), 404, "This feed doesn’t exist, or its address has ended.")
    assert web.client.get(second).status_code == 200
    assert [one.kind for one in web.db.read(security_log(1))].count("feed") == 2
    assert ann.post("/settings/home/feed/end").status_code == 303
    assert web.client.get(second).status_code == 404
    assert "New address" not in ann.get("/settings/home").text


def test_a_new_address_asks_for_the_password_after_ten_minutes(
    ann: FlaskClient, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, path = make_address(ann), "/settings/home/feed"
    assert "current_password" not in ann.get("/settings/home").text
    monkeypatch.setattr(password_proof, "PROOF_SECONDS", -1)
    assert 'name="current_password"' in ann.get("/settings/home").text
    for password, sentence in (("", "Enter your password."), ("wrong", "not your password.")):
        answer = ann.post(path, data={"current_password": password})
        assert answer.status_code == 422 and sentence in answer.text
        assert "<code>" not in answer.text
    assert web.client.get(first).status_code == 200
    assert "<code>" in ann.post(path, data={"current_password": PASSWORD}).text
    assert web.client.get(first).status_code == 404
    assert ann.post(f"{path}/end").status_code == 303, "to end it takes no password"


def test_only_the_exact_key_opens_a_feed(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    address = make_address(ann)
    uid, _, secret = address.split("/")[2].partition("-")
    make_address(ben)
    others = (f"{uid}-{'A' * 32}", f"{int(uid) + 1}-{secret}", f"{uid}-{secret}x", f"{uid}-", uid)
    for key in (*others, f"{'9' * 16}-{secret}", "0-" + secret, "x" * 500, "%00"):
        assert web.client.get(f"/feeds/{key}/home.atom").status_code == 404, key
    stored = site_of(web.app).db.run(("HGET", account_keys.user(int(uid)), "home_feed"))
    assert len(stored) == 64 and secret not in stored


def test_a_suspension_and_a_revoking_password_end_a_feed(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    hers, his = make_address(ann), make_address(ben)
    site = site_of(web.app)
    lifecycle.suspend(site, site.db.read(uid_by_login("ann")))
    assert web.client.get(hers).status_code == 404
    passwords = {"old": PASSWORD, "new": "another horse battery", "revoke": "y"}
    assert ben.post("/settings/password", data=passwords).status_code == 303
    assert web.client.get(his).status_code == 404
