"""Refused words and domains: their pages, the log, and reports that the site makes itself."""

import time

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.concurrently import concurrently
from tests.support.pages import check_error, page_text, post_status, status_ids
from tests.support.settings import with_settings
from tests.support.world import Web, World
from webapp.accounts import lifecycle, registration, store as accounts
from webapp.accounts.member import Member
from webapp.core.errors import Conflict, Forbidden
from webapp.core.settings import bans_and_countries
from webapp.core.settings.live import LiveSettings
from webapp.core.settings.store import refresh
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.core.web.context import site_of
from webapp.moderation import log
from webapp.moderation.bans import store
from webapp.moderation.bans.forms import TermForm
from webapp.moderation.bans.gate import LOGIN_PATHS, OPEN, SIGNUPS
from webapp.moderation.bans.labels import (
    ADDED,
    KINDS,
    LOGGED,
    NETWORK_ACTIONS,
    REMOVED,
    TEXT_ACTIONS,
)
from webapp.reports import listing, store as reports
from webapp.site_settings import Ban, BanList
from webapp.statuses import store as statuses

TERM = {"kind": "word", "value": "Casino", "action": "refuse", "lasts": "always", "note": "Spam"}


@pytest.fixture
def boss(web: Web) -> FlaskClient:
    """The client of an admin."""
    return web.member("boss", "admin")


def test_an_admin_refuses_a_word_and_lets_it_in_again(web: Web, boss: FlaskClient) -> None:
    ann = web.member("ann")
    assert boss.post("/moderation/terms", data=TERM).location == "/moderation/terms"
    page = page_text(boss.get("/moderation/terms"))
    assert "casino · Word or phrase · Refuse the text" in page and "@boss" in page
    refused = ann.post("/statuses", data={"text": "The CASINO is open", "key": "k" * 12})
    assert refused.status_code == 422 and "The CASINO is open" in refused.text
    assert "a word that this site does not allow: casino" in page_text(refused)
    version = site_of(web.app).config.bans.bans[0].name
    assert boss.post("/moderation/terms/remove", data={"name": version}).status_code == 303
    post_status(ann, "The CASINO is open")
    entries = log.page(site_of(web.app).db, None, 10).items
    expected = [("ban_removed", "boss", "casino\nSpam"), ("ban_added", "boss", "casino\nSpam")]
    assert [(one.kind, one.by_login, one.why) for one in entries] == expected
    page = page_text(boss.get("/moderation/log"))
    assert "@boss added a restriction: a word, refused" in page
    assert "boss,ban_added word.refuse" in boss.get("/moderation/log.csv").text


def test_moderators_read_the_list_and_leave_it_as_it_is(web: Web, boss: FlaskClient) -> None:
    mod = web.member("jay", "moderator")
    boss.post("/moderation/terms", data=TERM)
    page = mod.get("/moderation/terms")
    assert "casino" in page.text and 'action="/moderation/terms' not in page.text
    for path, data in (("", TERM), ("/remove", {"name": "word:casino"})):
        check_error(mod.post(f"/moderation/terms{path}", data=data), 403)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"value": "!!"}, "at least two letters"),
        ({"value": "x"}, "at least two letters"),
        ({"value": "y" * 101}, "The limit is 100."),
        ({"kind": "domain", "value": "spam"}, "Enter a domain"),
        ({"kind": "domain", "value": "http://[::1"}, "Enter a domain"),
        ({"kind": "network"}, "Not a valid choice"),
        ({"lasts": "2"}, "Not a valid choice"),
    ],
)
def test_a_form_that_is_not_valid_comes_back(
    boss: FlaskClient, changes: dict[str, str], sentence: str
) -> None:
    refused = boss.post("/moderation/terms", data=TERM | changes)
    assert refused.status_code == 422 and sentence in page_text(refused)
    assert 'value="Spam"' in refused.text


def test_the_site_does_not_refuse_itself(web: Web) -> None:
    data = TERM | {"kind": "domain", "value": "linnet.example"}
    with web.app.test_request_context(
        "/", base_url="http://www.linnet.example", method="POST", data=data
    ):
        form = TermForm()
        assert not form.validate() and form.value.errors == ["That is the address of this site."]


def test_a_change_after_another_is_refused(web: Web, boss: FlaskClient) -> None:
    version = web.app.extensions["linnet.settings"].version
    boss.post("/moderation/terms", data=TERM)
    late = boss.post("/moderation/terms", data=TERM | {"value": "poker", "version": version})
    assert late.status_code == 409 and 'value="poker"' in late.text and "casino" in late.text
    form = {"name": "word:casino", "version": version}
    assert boss.post("/moderation/terms/remove", data=form).status_code == 409
    gone = boss.post("/moderation/terms/remove", data={"name": "word:poker"})
    assert gone.status_code == 409


def test_a_post_with_a_reported_word_is_posted_and_on_the_desk(web: Web, boss: FlaskClient) -> None:
    ann = web.member("ann")
    boss.post("/moderation/terms", data=TERM | {"action": "report"})
    data = {"text": "first", "more1": "my casino", "key": "k" * 12}
    assert ann.post("/statuses", data=data).status_code in (302, 303)
    [report] = listing.list_newest(site_of(web.app).db)
    assert report.is_by_site and report.reason == "casino" and report.texts == ["my casino"]
    page = page_text(boss.get("/moderation"))
    assert "This site reported a post by @ann" in page
    form = {"report": [report.id], "act": "dismiss"}
    assert boss.post("/moderation", data=form).status_code == 303
    assert not listing.list_newest(site_of(web.app).db)
    ann.post("/settings/profile", data={"name": "Casino Ann"})
    [report] = listing.list_newest(site_of(web.app).db)
    assert report.author and report.author.login == "ann" and not report.status_id
    assert "This site reported @ann" in page_text(boss.get("/moderation"))


def test_a_post_with_a_hidden_word_is_on_no_public_page(web: Web, boss: FlaskClient) -> None:
    ann = web.member("ann")
    boss.post("/moderation/terms", data=TERM | {"action": "hide"})
    data = {"text": "first #reeds", "more1": "my casino", "key": "k" * 12}
    assert ann.post("/statuses", data=data).status_code == 303
    own = status_ids(ann.get("/@ann"))
    assert own and not status_ids(boss.get("/public")) and not status_ids(boss.get("/tags/reeds"))
    [report] = listing.list_newest(site_of(web.app).db)
    assert report.reason == "casino" and report.texts == ["my casino"]
    assert boss.post("/moderation/terms/remove", data={"name": "word:casino"}).status_code == 303
    assert ann.post("/statuses", data=data).status_code == 303  # it was sent twice
    assert status_ids(ann.get("/@ann")) == own
    post_status(ann, "The casino is open")
    assert len(status_ids(boss.get("/public"))) == 1


def _admin(site: Site) -> Member:
    uid = registration.sign_up(site, "boss", "Boss", PASSWORD).uid
    lifecycle.grant(site.db, uid, "admin")
    found = site.db.read(accounts.get(uid))
    assert found
    return found


def test_of_fifty_changes_at_once_one_is_made(world: World) -> None:
    boss = _admin(world)

    def add(number: int) -> None:
        ban = Ban("word", f"spam{number}", "refuse", at=number)
        store.save(world.db, LiveSettings(world.config), boss, ban, "0")

    refused = concurrently(add, 50)
    live = LiveSettings(world.config)
    refresh(world.db, live)
    assert refused.count("settings_moved") == 49 and len(live.current.bans.bans) == 1
    assert len(log.page(world.db, None, 60).items) == 1


def test_ended_bans_go_and_the_list_has_a_bound(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    boss, live = _admin(world), LiveSettings(world.config)
    monkeypatch.setattr(bans_and_countries, "BANS_MAX", 2)
    store.save(world.db, live, boss, Ban("word", "one", "refuse", until=1), "")
    store.save(world.db, live, boss, Ban("word", "two", "refuse"), "")
    store.save(world.db, live, boss, Ban("word", "three", "refuse"), "")
    with pytest.raises(Conflict):
        store.save(world.db, live, boss, Ban("word", "four", "refuse"), "")
    store.save(world.db, live, boss, Ban("word", "two", "report"), "")
    names = {ban.name: ban.action for ban in live.current.bans.bans}
    assert names == {"word:two": "report", "word:three": "refuse"}


def test_the_log_gets_what_a_dead_process_left(world: World) -> None:
    boss, live = _admin(world), LiveSettings(world.config)
    entry = {"kind": "ban_added", "about": "word.refuse", "login": "", "by_login": "boss"}
    entry |= {"why": "spam", "post": 0}
    bans_and_countries.change_ban(world.db, Ban("word", "spam", "refuse"), True, entry, "")
    assert not log.page(world.db, None, 10).items
    store.log_changes(world.db)
    store.log_changes(world.db)
    assert [one.why for one in log.page(world.db, None, 10).items] == ["spam"]
    with pytest.raises(Forbidden):
        ann = Member(9, "ann", "Ann", boss.joined)
        store.save(world.db, live, ann, Ban("word", "spam", "refuse"), "")


def test_a_ban_that_cannot_be_parsed_is_left_out() -> None:
    stored = {"word:a": "{", "word:b": '{"action":"refuse"}', "word:c": '{"what":1}'}
    assert [ban.value for ban in bans_and_countries.parse_bans(stored).bans] == ["b"]


def test_every_form_comes_back_with_the_word(web: Web, boss: FlaskClient) -> None:
    ann = web.member("ann")
    post, word = post_status(ann, "first"), "Casino Tom"
    ann.post("/groups/new", data={"slug": "birders", "name": "Birders", "kind": "open"})
    boss.post("/moderation/terms", data=TERM)
    forms: list[tuple[FlaskClient, str, dict[str, str]]] = [
        (web.client, "/signup", {"login": "tom", "name": word, "password": PASSWORD}),
        (ann, "/settings/profile", {"name": word}),
        (ann, "/settings/profile", {"name": "Ann", "bio": word}),
        (ann, f"/@ann/{post}/edit", {"text": word, "version": "0.0"}),
        (ann, "/lists", {"name": word}),
        (ann, "/groups/new", {"slug": "warblers", "name": word, "kind": "open", "voting": "both"}),
        (ann, "/groups/birders/settings", {"name": word, "voting": "both"}),
        (
            ann,
            "/jobs/new",
            {
                "title": word,
                "text": "a",
                "remote": "y",
                "skills-0-name": "go",
                "skills-0-level": "1",
            },
        ),
    ]
    for browser, path, form in forms:
        refused = browser.post(path, data=form)
        assert refused.status_code == 422, (path, refused.status_code)
        assert "that this site does not allow: casino" in page_text(refused), path
        assert word in refused.text, path


def network(**changes: str) -> dict[str, str]:
    return {"value": "192.0.2.0/24", "action": "write", "lasts": "day", "note": "Spam"} | changes


def _from(address: str) -> dict[str, dict[str, str]]:
    return {"environ_base": {"REMOTE_ADDR": address}}


@pytest.mark.parametrize(
    ("action", "refused"),
    [
        ("signup", ["/signup"]),
        ("login", ["/signup", "/login", "/login/recover", "/reset-password"]),
        ("write", ["/signup", "/login", "/login/recover", "/reset-password", "/statuses"]),
    ],
)
def test_a_network_may_not_do_what_is_refused(
    web: Web, boss: FlaskClient, action: str, refused: list[str]
) -> None:
    ann = web.member("ann")
    assert boss.post("/moderation/networks", data=network(action=action)).status_code == 303
    page = page_text(boss.get("/moderation/networks"))
    assert "192.0.2.0/24" in page and "Until" in page
    client = web.app.test_client()
    for path in ("/signup", "/login", "/login/recover", "/reset-password", "/statuses"):
        browser = ann if path == "/statuses" else client
        is_refused = path in refused
        answer = browser.post(path, data={"text": "Hello"}, **_from("192.0.2.9"))
        assert (answer.status_code == 403) is is_refused, path
        if is_refused:
            assert "from your network at the moment" in page_text(answer)
        assert browser.post(path, data={"text": "Hello"}).status_code != 403
        assert ann.get("/home", **_from("192.0.2.9")).status_code == 200
    form = {"text": "Let me in", "key": "k" * 12}
    assert boss.post("/statuses", data=form, **_from("192.0.2.9")).status_code == 303
    assert ann.post("/logout", **_from("192.0.2.9")).status_code == 303


def test_the_gate_knows_all_that_signs_up_and_nothing_that_is_gone(web: Web) -> None:
    rules = list(web.app.url_map.iter_rules())
    assert {rule.endpoint for rule in rules} >= SIGNUPS | OPEN
    entering = {rule.endpoint for rule in rules if rule.rule.startswith(LOGIN_PATHS)}
    assert entering >= {"accounts.login", "accounts.passkey", "email_login.log_in"}


def test_a_report_of_the_site_that_was_answered_stays_so(world: World) -> None:
    (ann,) = world.people("ann")
    strict = with_settings(world, bans=BanList((Ban("word", "casino", "report"),)))
    status_id = statuses.post(strict, ann, parse("A casino"), "form-key-1")
    world.apply_events()
    [report] = listing.list_newest(world.db)
    reports.close(world, [report.id], ann, "dismiss")
    reports.report_by_site(world, ann, "casino", 1, status_id)
    assert not listing.list_newest(world.db)
    reports.report_by_site(world, ann, "casino", int(time.time() * 1000) + 9, status_id)
    assert [one.id for one in listing.list_newest(world.db)] == [report.id]


def test_an_app_in_a_refused_network_gets_json(web: Web, boss: FlaskClient) -> None:
    boss.post("/moderation/networks", data=network(action="signup"))
    answer = web.app.test_client().post("/api/v1/accounts", json={}, **_from("192.0.2.9"))
    assert answer.status_code == 403 and "sign-ups" in answer.json["error"]
    boss.post("/moderation/networks", data=network())
    for path in ("/api/v1/accounts", "/api/v1/statuses", "/api/chats"):
        answer = web.app.test_client().post(path, json={}, **_from("192.0.2.9"))
        assert answer.status_code == 403 and answer.is_json, path


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("10.0.0.0/8", "At most /12"),
        ("2001:db8::/24", "At most /28"),
        ("127.0.0.1", "kept out yourselves"),
        ("::1", "kept out yourselves"),
        ("198.51.100.0/24", "kept out yourselves"),
        ("nobody.example", "Enter an address or a network"),
    ],
)
def test_a_network_that_keeps_out_too_many_is_not_refused(
    boss: FlaskClient, value: str, sentence: str
) -> None:
    answer = boss.post("/moderation/networks", data=network(value=value), **_from("198.51.100.4"))
    assert answer.status_code == 422 and sentence in page_text(answer)


def test_who_asks_from_nowhere_may_keep_out_a_network(boss: FlaskClient) -> None:
    for address in ("", "unknown", "2001:db8::1"):
        answer = boss.post("/moderation/networks", data=network(), **_from(address))
        assert answer.status_code == 303


def test_a_network_is_let_in_again_and_the_log_says_so(boss: FlaskClient) -> None:
    boss.post("/moderation/networks", data=network(kind="word"))
    assert "192.0.2.0/24" not in page_text(boss.get("/moderation/terms"))
    boss.post("/moderation/networks/remove", data={"name": "network:192.0.2.0/24"})
    assert "Nothing is refused." in page_text(boss.get("/moderation/networks"))
    page = page_text(boss.get("/moderation/log"))
    assert "added a restriction: a network, all that it writes" in page
    assert "removed a restriction: a network, all that it writes" in page


def test_the_log_names_every_change_in_both_languages(boss: FlaskClient) -> None:
    pairs = {(kind, action) for kind in KINDS for action in TEXT_ACTIONS}
    pairs |= {("network", action) for action in NETWORK_ACTIONS}
    assert LOGGED.keys() == {ADDED, REMOVED, *(f"{kind}.{action}" for kind, action in pairs)}
    boss.post("/moderation/networks", data=network())
    boss.set_cookie("linnet_lang", "zh")
    assert "@boss 添加了限制项： 网络，禁止一切写操作" in page_text(boss.get("/moderation/log"))
