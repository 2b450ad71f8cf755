"""The desk of moderators, and what members see of their decisions."""

import re
from dataclasses import replace
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, ApplyEvents, SignUp, make_app
from tests.support.pages import check_error, page_text, post_status
from webapp.accounts import lifecycle, store as accounts
from webapp.accounts.email import keys as email_keys
from webapp.core.web.context import site_of
from webapp.mail import queue
from webapp.moderation import acting, history
from webapp.reports import listing


def test_a_moderator_answers_several_reports_at_once(app: Flask, member: SignUp) -> None:
    ann, ben, mod = member("ann"), member("ben"), member("jay", "moderator")
    post = post_status(ben, "rude words")
    for path in (f"/@ben/{post}/report", "/@ben/report"):
        ann.post(path, data={"category": "harassment", "reason": "always rude"})
    page = page_text(mod.get("/moderation"))
    assert "@ann reported a post by @ben" in page and "rude words" in page and "always rude" in page
    assert "always" not in page_text(mod.get("/moderation?category=spam"))
    ids = [one.id for one in listing.list_newest(app.extensions["linnet.db"])]
    refused = mod.post("/moderation", data={"report": ids, "act": "warn", "why": " "})
    assert refused.status_code == 422 and "Write a reason." in page_text(refused)
    assert refused.text.count(" checked") == 2
    for form in ({"report": ids, "act": "ban", "why": "x"}, {"act": "warn", "why": "x"}):
        assert mod.post("/moderation", data=form).status_code == 422
    assert mod.post("/moderation", data={"report": ids, "act": "take"}).status_code == 303
    assert "@jay takes care of it" in page_text(mod.get("/moderation?state=mine"))
    sent = mod.post("/moderation", data={"report": ids, "act": "remove", "why": "＝1+1"})
    page = page_text(mod.get(sent.location))
    assert "1 report is done." in page and "This post doesn’t exist" in page
    check_error(ben.get(f"/@ben/{post}"), 404)
    mod.post("/moderation", data={"report": ids, "act": "dismiss"})
    assert "There are no reports here." in page_text(mod.get("/moderation"))
    assert "Leave as it is · @jay" in page_text(mod.get("/moderation?state=done"))
    assert "removed a post by @ben" in page_text(mod.get("/moderation/log"))
    assert f"jay,remove,ben,{post},'＝1+1\r\n" in mod.get("/moderation/log.csv").text


def test_the_next_page_shows_reports_of_the_same_category(
    app: Flask, member: SignUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.extensions, "linnet.config", replace(site_of(app).config, page_size=1))
    ann, ben, mod = member("ann"), member("ben"), member("jay", "moderator")
    for text, category in (("first", "spam"), ("other", "harassment"), ("second", "spam")):
        data = {"category": category, "reason": ""}
        ann.post(f"/@ben/{post_status(ben, text)}/report", data=data)
    page = mod.get("/moderation?category=spam")
    assert "second" in page_text(page)
    [older] = re.findall(r'rel="next" href="([^"]+)"', page.text)
    page = mod.get(unescape(older))
    assert "first" in page_text(page) and 'rel="next"' not in page.text


def test_a_warning_that_is_no_longer_kept_is_in_nobodys_way(
    member: SignUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acting, "ACTS_MAX", 2)
    ann, mod = member("ann"), member("jay", "moderator")
    for act in ("warn", "note", "note"):
        mod.post("/moderation/@ann", data={"act": act, "why": "Please be kind."})
    assert ann.get("/home").location == "/standing/warning"
    assert ann.get("/standing/warning").location == "/standing"
    assert ann.get("/home").status_code == 200


def test_a_warning_is_read_before_anything_else(member: SignUp) -> None:
    ann, mod = member("ann"), member("jay", "moderator")
    mod.post("/moderation/@ann", data={"act": "warn", "why": "Please be kind."})
    assert "<b>warned</b> @ann" in mod.get("/moderation/@ann").text
    assert mod.post("/moderation/@ann", data={"act": "warn", "why": "x"}).status_code == 409
    assert ann.get("/home").location == "/standing/warning"
    assert ann.get("/terms").status_code == 200
    assert ann.get("/home", headers={"Sec-Fetch-Mode": "cors"}).status_code == 200
    assert "Please be kind." in page_text(ann.get("/standing/warning"))
    mod.post("/moderation/@ann/1")
    mod.post("/moderation/@ann", data={"act": "warn", "why": "Be kind at last."})
    for number in ("1", "2"):  # that of a page from before the second warning, too
        assert "Be kind at last." in page_text(ann.get("/standing/warning"))
        assert ann.post("/standing/warning", data={"number": number}).location == "/home"
    assert ann.get("/home").status_code == 200
    assert ann.get("/standing/warning").location == "/standing"
    assert "Be kind at last." in page_text(ann.get("/standing"))


def test_a_suspended_member_reads_why_and_appeals_once(
    member: SignUp, client: FlaskClient, apply_events: ApplyEvents
) -> None:
    member("ann")
    mod = member("jay", "moderator")
    mod.post("/moderation/@ann", data={"act": "suspend", "why": "Nothing but spam."})
    assert client.get("/standing").location == "/login?next=/standing"
    refused = client.post("/login", data={"login": "ann", "password": PASSWORD})
    assert refused.status_code == 403 and 'href="/standing"' in refused.text
    assert client.get("/standing").text.count('id="text-1"') == 1
    page = page_text(client.get("/standing"))
    assert "Nothing but spam." in page and "are deleted on" in page
    assert "are deleted on" in page_text(mod.get("/moderation/@ann"))
    assert client.post("/standing/1/appeal", data={"text": " "}).status_code == 422
    assert client.post("/standing/1/appeal", data={"text": "I sell honey."}).status_code == 303
    check_error(client.post("/standing/1/appeal", data={"text": "Again."}), 409)
    check_error(client.post("/standing/7/appeal", data={"text": "Again."}), 404)
    assert "I sell honey." in page_text(mod.get("/moderation/appeals"))
    assert mod.post("/moderation/@ann/1").status_code == 303
    assert "No appeals are waiting" in page_text(mod.get("/moderation/appeals"))
    assert "This decision was taken back." in page_text(client.get("/standing"))
    assert "are deleted on" not in page_text(mod.get("/moderation/@ann"))
    assert client.post("/login", data={"login": "ann", "password": PASSWORD}).status_code == 303


def test_a_username_that_no_one_has_leads_to_members_with_such_a_name(member: SignUp) -> None:
    member("anna")
    mod = member("jay", "moderator")
    assert mod.get("/moderation/find?login=@anna").location == "/moderation/@anna"
    search = mod.get("/moderation/find?login=ann").location
    assert search == "/admin/members?q=ann" and "@anna" in page_text(mod.get(search))


def test_the_form_of_acts_does_not_say_that_members_read_notes(member: SignUp) -> None:
    mod = member("jay", "moderator")
    page = page_text(mod.get("/moderation/@jay"))
    assert "Add a note" in page and "reads it only if you act against them" in page


def test_admins_make_moderators_and_nobody_touches_their_equals(app: Flask, member: SignUp) -> None:
    member("ann")
    mod, boss = member("jay", "moderator"), member("boss", "admin")
    check_error(mod.post("/moderation/@ann", data={"act": "promote"}), 403)
    assert boss.post("/moderation/@ann", data={"act": "promote"}).status_code == 303
    check_error(mod.post("/moderation/@ann", data={"act": "limit", "why": "x"}), 403)
    assert "rank or above" in page_text(mod.get("/moderation/@ann"))
    assert mod.post("/moderation/@boss", data={"act": "note", "why": "Kind."}).status_code == 303
    check_error(mod.post("/moderation/@boss/1"), 403)
    member("cid")
    mod.post("/moderation/@cid", data={"act": "suspend", "why": "x"})
    assert "Make moderator" not in page_text(boss.get("/moderation/@cid"))
    check_error(boss.post("/moderation/@cid", data={"act": "promote"}), 403)
    check_error(mod.get("/moderation/@nobody"), 404)
    db = site_of(app).db
    entries = db.read(history.acts_on(accounts.get_by_login(db, "boss").uid))
    assert [entry.why for entry in entries] == ["Kind."]


@pytest.mark.parametrize("by_command", [True, False])
def test_an_applicant_who_left_an_address_is_written_to_once_accepted(
    app: Flask, member: SignUp, by_command: bool
) -> None:
    jay, settings = member("jay", "moderator"), site_of(app).config
    sends = replace(settings, signup="approval", mail_folder="x", mail_from="site@example.org")
    older = replace(sends, secret_key="k" * 40)  # which is replaced while they wait
    site, client = site_of(make_app(sends)), make_app(older).test_client()
    form = {"login": "ann", "name": "Ann", "password": PASSWORD, "reason": "Birds."}
    wrong = client.post("/signup", data={**form, "address": "ann"})
    assert wrong.status_code == 422 and "That isn’t an email address." in wrong.text
    chinese = {"Accept-Language": "zh"}
    form["address"] = " Ann@example.org"
    sent = client.post("/signup", data=form, headers=chinese)
    assert sent.location == "/login"
    client.post("/signup", data={**form, "login": "ben", "address": ""})
    uids = [accounts.get_by_login(site.db, login).uid for login in ("ann", "ben")]
    assert [queue.claim(site.db, sends, uid % 64) for uid in uids] == [[], []]
    for login, uid in zip(("ann", "ben"), uids, strict=True):
        if by_command:
            lifecycle.suspend(site, uid, suspended=False)
        else:
            jay.post(f"/moderation/@{login}", data={"act": "accept"})
    [mail], none = (queue.claim(site.db, sends, uid % 64) for uid in uids)
    assert (mail.to, mail.kind, mail.values) == ("ann@example.org", "accepted", {"language": "zh"})
    assert none == [] and not site.db.run(("EXISTS", email_keys.email(uids[0]))), "it is forgotten"


def test_the_address_of_an_applicant_is_kept_by_the_script_that_creates_the_account(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = site_of(app).config
    sends = replace(settings, signup="approval", mail_folder="x", mail_from="site@example.org")
    made = make_app(sends)
    db = site_of(made).db

    def die() -> None:
        raise SystemExit

    monkeypatch.setattr("webapp.accounts.views.count_signup", die)
    form = {"login": "ann", "name": "Ann", "password": PASSWORD, "reason": "Birds."}
    with pytest.raises(SystemExit):
        made.test_client().post("/signup", data={**form, "address": "ann@example.org"})
    kept = db.run(("HGET", email_keys.email(accounts.get_by_login(db, "ann").uid), "applied"))
    assert kept == "ann@example.org"


def test_a_sign_up_waits_until_a_moderator_accepts_it(
    app: Flask, member: SignUp, apply_events: ApplyEvents
) -> None:
    jay = member("jay", "moderator")
    client = make_app(replace(site_of(app).config, signup="approval")).test_client()
    assert "get started" not in page_text(client.get("/signup"))
    form = {"login": "ann", "name": "Ann", "password": PASSWORD}
    refused = client.post("/signup", data=form)
    assert refused.status_code == 422 and "Say why you want to join." in refused.text
    for login in ("ann", "ben"):
        sent = client.post("/signup", data={**form, "login": login, "reason": "I watch birds."})
        assert sent.location == "/login"
    waits = client.post("/login", data={"login": "ann", "password": PASSWORD})
    assert waits.status_code == 403 and "waits for a moderator" in page_text(waits)
    check_error(jay.get("/@ann"), 403)
    page = page_text(jay.get("/moderation/sign-ups"))
    assert page.count("I watch birds.") == 2 and "suspended" not in page
    for login, act in (("ann", "accept"), ("ben", "refuse")):
        path = f"/moderation/@{login}"
        assert jay.post(path, data={"act": act}).location == "/moderation/sign-ups"
    assert "No accounts are waiting" in page_text(jay.get("/moderation/sign-ups"))
    assert jay.get("/@ann").status_code == 200
    check_error(jay.get("/@ben"), 404)
    apply_events()
    for password, status, told in (
        (PASSWORD, 403, "declined your sign-up"),
        ("another one", 422, "Wrong username or password"),
    ):
        refused = client.post("/login", data={"login": "Ben", "password": password})
        assert refused.status_code == status and told in page_text(refused)
    assert client.post("/login", data={"login": "ann", "password": PASSWORD}).status_code == 303
