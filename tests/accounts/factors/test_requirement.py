"""A second factor that is required of moderators and admins: at every route, in every session."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from tests.conftest import PASSWORD, SignUp
from tests.support.authenticator import Authenticator
from tests.support.operators import Linnet, linnet as linnet
from tests.support.pages import page_text
from tests.support.second_step import code_of, hidden, set_up
from webapp.accounts.store import uid_by_login
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.settings import store
from webapp.core.settings.live import LiveSettings
from webapp.core.store import Db
from webapp.core.web.context import site_of

STAFF_PAGES = ("/admin", "/moderation")
ARGUMENTS = {"login": "ben", "banned": "terms"}  # of their routes; 1 for others
FACTORS = "/settings/security"
SETS_UP, LOGS_IN = "Set up two-step login", "Log out, then log in with your passkey"
LogIn = Callable[..., FlaskClient]


@pytest.fixture
def settings(settings: Config) -> Config:
    """The settings of a site where a factor is required."""
    return replace(settings, require_factors=True)


@pytest.fixture
def db(app: Flask) -> Db:
    """The store of the app."""
    found: Db = app.extensions["linnet.db"]
    return found


@pytest.fixture
def staff(member: SignUp) -> Callable[[str], FlaskClient]:
    """Return a function that makes a member with a right, called ann, and returns their browser."""
    return partial(member, "ann")


@pytest.fixture
def log_in(app: Flask) -> LogIn:
    """Return a function that logs ann in with another browser: with a code if she has an app."""

    def enter(code: str = "") -> FlaskClient:
        browser = app.test_client()
        page = browser.post("/login", data={"login": "ann", "password": PASSWORD})
        if code:
            form = {"challenge": hidden(page.text, "challenge"), "code": code}
            page = browser.post("/login/code", data=form)
        assert page.status_code == 303, page.text
        return browser

    return enter


def staff_routes(app: Flask) -> list[tuple[str, str]]:
    """Return the methods and paths of all pages of moderators and admins."""

    def path(rule: Rule) -> str:
        return re.sub(r"<(?:[^<>]+:)?(\w+)>", lambda name: ARGUMENTS.get(name[1], "1"), rule.rule)

    return [
        (method, path(rule))
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith(STAFF_PAGES)
        for method in sorted((rule.methods or set()) & {"GET", "HEAD", "POST"})
    ]


def refused(app: Flask, browser: FlaskClient, words: str) -> None:
    """Check that no page of moderators or admins is opened, and that the reason is said."""
    for method, path in staff_routes(app):
        answer = browser.open(path, method=method)
        if method == "POST":
            assert answer.status_code == 403 and words in page_text(answer), path
        else:
            assert (answer.status_code, answer.location) == (303, FACTORS), path
            assert words in page_text(browser.get(FACTORS)), path


def opened(app: Flask, browser: FlaskClient, pages: tuple[str, ...]) -> None:
    for method, path in staff_routes(app):
        if path.startswith(pages) and method == "GET":
            assert browser.get(path).status_code in (200, 303, 404), path
            assert browser.get(path).location != FACTORS, path
    assert all(browser.get(page).status_code == 200 for page in pages)


def add_passkey(browser: FlaskClient, device: Authenticator) -> int:
    """Add a passkey as a browser does, and return the status of the last answer."""
    options = browser.post(f"{FACTORS}/passkeys/options")
    if options.status_code != 200:
        return options.status_code
    form = {"name": "key", "passkey": device.make(options.text)}
    return browser.post(f"{FACTORS}/passkeys", data=form).status_code


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "pages"), [("admin", STAFF_PAGES), ("moderator", STAFF_PAGES[1:])]
)
def test_without_a_factor_no_page_opens_and_with_one_all_do(
    app: Flask, staff: Callable[[str], FlaskClient], right: str, pages: tuple[str, ...]
) -> None:
    assert len(staff_routes(app)) > 20
    ann = staff(right)
    if right == "admin":
        refused(app, ann, SETS_UP)
    assert ann.get("/moderation").location == FACTORS and ann.get("/home").status_code == 200
    set_up(ann)
    opened(app, ann, pages)
    if right == "moderator":
        assert ann.get("/admin").status_code == 403


@pytest.mark.slow
def test_a_session_that_used_no_factor_opens_nothing_although_the_account_has_one(
    app: Flask, staff: Callable[[str], FlaskClient], log_in: LogIn
) -> None:
    ann, thief = staff("admin"), log_in()
    secret, _ = set_up(ann)
    refused(app, thief, LOGS_IN)
    assert add_passkey(thief, Authenticator()) == 403
    for path in ("/off", "/codes", "/app", "/passkeys/remove"):
        answer = thief.post(f"{FACTORS}{path}", data={"current_password": PASSWORD})
        assert answer.status_code == 403, path
    opened(app, ann, STAFF_PAGES)
    opened(app, log_in(code_of(secret)), STAFF_PAGES)


def test_a_passkey_will_do_and_a_password_beside_it_will_not(
    app: Flask, staff: Callable[[str], FlaskClient], log_in: LogIn
) -> None:
    ann, device = staff("moderator"), Authenticator()
    assert add_passkey(ann, device) == 303
    opened(app, ann, STAFF_PAGES[1:])
    thief = log_in()
    assert thief.get("/moderation").location == FACTORS
    assert add_passkey(thief, Authenticator()) == 403
    other = app.test_client()
    answer = device.sign(other.post("/login/passkey/options").text)
    assert other.post("/login/passkey", data={"passkey": answer}).status_code == 303
    opened(app, other, STAFF_PAGES[1:])
    [passkey] = re.findall(r'name="id" value="([^"]+)"', other.get(FACTORS).text)
    other.post(f"{FACTORS}/passkeys/remove", data={"id": passkey, "current_password": PASSWORD})
    assert SETS_UP in page_text(other.get("/moderation", follow_redirects=True))


def db_uid(app: Flask) -> int:
    """Return ann's uid."""
    return app.extensions["linnet.db"].read(uid_by_login("ann")) or 0


def test_no_token_opens_these_pages_and_no_endpoint_does_what_they_do(
    app: Flask, staff: Callable[[str], FlaskClient]
) -> None:
    set_up(staff("admin"))
    token = tokens.create(site_of(app), db_uid(app), "script")
    bearer = {"Authorization": f"Bearer {token}"}
    for method, path in staff_routes(app):
        answer = app.test_client().open(path, method=method, headers=bearer)
        assert answer.status_code in (303, 403) and answer.location != FACTORS, path
        assert (answer.location or "/login").startswith("/login"), path
    apis = [rule.rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/api/")]
    assert [one for one in apis if "admin" in one or "moderation" in one] == []


def test_members_without_a_role_notice_nothing(member: SignUp) -> None:
    ben = member("ben")
    assert ben.get("/moderation").status_code == 403 == ben.get("/admin").status_code
    set_up(ben)
    assert ben.post(f"{FACTORS}/codes").status_code == 201


class TestSwitchingItOn:
    @pytest.fixture
    def settings(self, settings: Config) -> Config:
        """The settings of a site where no factor is required."""
        return replace(settings, require_factors=False)

    def test_an_operator_without_a_factor_is_told_before(
        self, app: Flask, staff: Callable[[str], FlaskClient], log_in: LogIn
    ) -> None:
        ann, form = staff("admin"), {"require_factors": "yes"}
        live: LiveSettings = app.extensions["linnet.settings"]
        answer = ann.post("/admin/settings", data=form)
        assert answer.status_code == 422 and "would lose access to these pages" in page_text(answer)
        assert not live.current.require_factors
        other = log_in()
        set_up(ann)
        assert other.post("/admin/settings", data=form).status_code == 422
        assert ann.post("/admin/settings", data=form).status_code == 303
        assert live.current.require_factors and ann.get("/admin").status_code == 200
        assert other.get("/admin").location == FACTORS

    def test_undoing_is_no_way_around_the_warning(
        self, app: Flask, db: Db, staff: Callable[[str], FlaskClient]
    ) -> None:
        ann = staff("admin")
        live: LiveSettings = app.extensions["linnet.settings"]
        for value in ("yes", "no"):
            store.change(db, live, {"require_factors": value})
        [last, _] = db.read(store.history())
        answer = ann.post("/admin/settings/undo", data={"id": last.id}, follow_redirects=True)
        assert "would lose access to these pages" in page_text(answer)
        assert not live.current.require_factors


def test_the_command_line_lets_in_who_lost_every_device(
    app: Flask, staff: Callable[[str], FlaskClient], log_in: LogIn, linnet: Linnet
) -> None:
    ann, device = staff("admin"), Authenticator()
    set_up(ann)
    assert add_passkey(ann, device) == 303
    done = linnet("member", "reset-second-step", "ann")
    assert "passkeys removed: 1" in done.output
    assert SETS_UP in page_text(log_in().get("/admin", follow_redirects=True))
