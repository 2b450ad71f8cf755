"""A real Chromium against the real app. `site` serves it, `open_page` opens a page of it."""

import logging
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, expect

from tests.conftest import PASSWORD, close_app, make_app
from tests.e2e.contexts import Contexts
from tests.e2e.loaded_pages import wait_for_loads
from tests.e2e.served_app import AppServer
from tests.support.live_site import LiveSite
from tests.support.processes import free_port
from tests.support.world import Web, World
from webapp.accounts import keys as account_keys, registration
from webapp.accounts.passwords.hashing import hash_password
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.config import Config
from webapp.core.store import Db

# The first is the same engine without windows, which is quicker.
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome", "google-chrome-stable")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
# The last three: fewer processes, and no compilers for pages that live for seconds. They take a
# twelfth off the processor time of a test.
FLAGS = """
    --no-sandbox --disable-gpu --disable-background-networking --disable-component-update
    --disable-sync --renderer-process-limit=1 --disable-site-isolation-trials
    --in-process-gpu --enable-features=NetworkServiceInProcess2 --js-flags=--no-opt,--no-maglev
"""
BLOCKED_WORKER = "Service Worker registration blocked by Playwright"
PATIENCE = 30_000  # milliseconds, for a machine that is busy with other tests
OpenPage = Callable[..., Page]
SERVED: list[Flask] = []  # the app of the test that runs
expect.set_options(timeout=PATIENCE)
wait_for_loads()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder. Skip them where there is no browser."""
    for item in items:
        if "/e2e/" in item.nodeid:
            item.add_marker(pytest.mark.browser)
            if not CHROMIUM and "engine" not in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.skip(reason="no chromium or google-chrome on the PATH"))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Use the system's browser."""
    return {
        **browser_type_launch_args,
        "executable_path": CHROMIUM,
        "args": [*FLAGS.split(), "--no-first-run"],
    }


@pytest.fixture(scope="session")
def live_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """A whole site that keeps running, on which each test has members of its own."""
    site = LiveSite(tmp_path_factory.mktemp("live"), page_size=6, chat_page=12)
    yield site
    site.close()


@pytest.fixture(scope="session")
def port() -> int:
    """The port of the served app, the same for all tests: browsers keep its static files."""
    return free_port()


@pytest.fixture(scope="session")
def kept_contexts(browser: Browser) -> Contexts:
    """The browser contexts that tests use one after another."""
    return Contexts(browser)


@pytest.fixture
def contexts(kept_contexts: Contexts) -> Iterator[Contexts]:
    """Browser contexts for one test."""
    yield kept_contexts
    kept_contexts.give_back()


@pytest.fixture
def served(settings: Config, port: int) -> Iterator[Flask]:
    """Serve the app on an empty store, with form tokens and inline events."""
    url = f"http://127.0.0.1:{port}"
    app = make_app(replace(settings, stream_url=url), WTF_CSRF_ENABLED=True)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = AppServer(app, port)
    SERVED.append(app)
    yield app
    SERVED.clear()
    server.close()
    close_app(app)


@pytest.fixture
def site(served: Flask) -> str:
    """Return the address of the served app."""
    config: Config = served.extensions["linnet.config"]
    return config.stream_url


@pytest.fixture
def web(served: Flask) -> Web:
    """The site, and what tests do to it."""
    return Web(served)


@pytest.fixture
def db(web: Web) -> Db:
    """The store of the site."""
    return web.db


@pytest.fixture
def expected_errors() -> list[str]:
    """Return a list for parts of the error messages that a test causes itself."""
    return []


@pytest.fixture
def open_page(contexts: Contexts, site: str, expected_errors: list[str]) -> Iterator[OpenPage]:
    """Return a function that opens a page in a browser context of its own, 800 pixels high.

    At the end there may be no other error, and no violation of the security policy, on any page.
    """
    errors: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        url = message.location["url"]
        # The response to a page's own address may be an error page.
        is_error_page = (
            "Failed to load resource" in message.text and url == (message.page or page).url
        )
        if BLOCKED_WORKER in message.text:
            return
        if message.type in ("error", "warning") and not is_error_page:
            errors.append(f"{url}: {message.text}")

    def on_request_failed(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left while it loaded
            errors.append(f"{request.url}: {request.failure}")

    def open_(scripts: bool = True, width: int = 0, **options: Any) -> Page:
        nonlocal page
        size = {"viewport": {"width": width, "height": 800}} if width else {}
        defaults = {"base_url": site, "java_script_enabled": scripts}
        context = contexts.take(listeners, **{**defaults, **size, **options})
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    listeners = {"console": on_console, "requestfailed": on_request_failed}
    page: Page
    yield open_
    contexts.give_back()
    assert [error for error in errors if not any(map(error.__contains__, expected_errors))] == []


def add_member(login: str) -> int:
    """Create a member who is past the first steps on the site of the test. Return the uid."""
    web = Web(*SERVED)
    uid = web.db.run(("INCR", account_keys.last_uid()))
    password = hash_password(PASSWORD, web.config.password_cost)
    web.do(registration.create_account, uid, login, login.title(), password)
    return int(uid)


def add_post(uid: int, text: str) -> None:
    """Post a text as a member of the site of the test."""
    Web(*SERVED).do(World.post, uid, text)


def sign_up(page: Page, login: str, path: str = "/home", post: str = "") -> Page:
    """Create a member who is past the first steps, sign them in, and open a page. Return it.

    `post`: what they posted before, if anything.
    """
    start_session(page, login, post).goto(path)
    if path == "/home":
        expect(page.get_by_role("heading", level=1)).to_have_text("Home")
    return page


def start_session(page: Page, login: str, *posts: str) -> Page:
    """Sign a new member in who has posted these texts. No page is opened yet: each takes time."""
    uid, web = add_member(login), Web(*SERVED)
    for text in filter(None, posts):
        add_post(uid, text)
    set_cookie(page, COOKIE_NAME, sessions.start(web, uid))
    return page


def set_cookie(page: Page, name: str, value: str) -> None:
    """Let a browser send a cookie to the site of the test."""
    url = Web(*SERVED).config.stream_url
    page.context.add_cookies([{"name": name, "value": value, "url": url}])


def end_first_steps(page: Page) -> None:
    """Go from the first steps of a new member to their home."""
    expect(page.locator(".welcome-progress")).to_be_visible()
    page.goto("/welcome/done")
    page.get_by_role("button", name="Go to your home page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")


def log_out(page: Page) -> None:
    """Log out through the account menu, which asks once."""
    page.locator(".account-menu > summary").click()
    page.locator(".log-out > summary").click()
    page.locator(".log-out button").click()
    expect(page.locator(".notices")).to_be_visible()


def fill(page: Page, **fields: str) -> None:
    """Fill fields, by their labels, with `_` for a blank."""
    for label, text in fields.items():
        page.get_by_label(label.replace("_", " "), exact=True).fill(text)


def sign_in(page: Page, login: str, password: str = PASSWORD) -> None:
    """Sign a member in through the form."""
    page.goto("/login")
    fill(page, Username=login, Password=password)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")


def set_language(page: Page, language: str) -> None:
    """Choose the language of the next pages."""
    set_cookie(page, "linnet_lang", language)


def open_part(page: Page, name: str) -> None:
    """Open a part of the composer, or close it. On a phone its buttons come with the focus."""
    page.locator(".composer-input").focus()
    page.locator(".composer-bar > details > summary", has_text=name).click()


def add_pictures(page: Page, *files: Any) -> None:
    """Choose pictures, paths or payloads, in the composer or a chat. Each gets a row."""
    rows = page.locator(".picture-slot:visible")
    count = rows.count()
    page.locator(".picture-adder").set_input_files(list(files))
    expect(page.locator(".attach[data-ready]")).to_be_attached()
    expect(rows).to_have_count(count + len(files))


def write_kept(field: Locator, text: str) -> None:
    """Fill a field, and wait until its text is kept: the script that does so may be on its way."""
    field.fill(text)
    kept = "text => Object.values(sessionStorage).some(kept => kept.includes(text))"
    field.page.wait_for_function(kept, arg=text)


def open_menu(part: Locator) -> Locator:
    """Open the menu of a part of a page, such as a post, and return the menu's list."""
    part.locator("[data-menu]").first.click()
    menu = part.page.locator(".menu-items")
    expect(menu).to_be_visible()
    return menu


def delete_post(page: Page) -> None:
    """Delete the first post of a page through its menu."""
    menu = open_menu(page.locator(".status").first)
    menu.get_by_text("Delete…").click()
    menu.get_by_role("button", name="Delete post").click()


def write_post(page: Page, text: str) -> None:
    """Post as the member of a page, and open their home."""
    [cookie] = [one["value"] for one in page.context.cookies() if one["name"] == COOKIE_NAME]
    requester = sessions.requester(cookie)
    assert requester and requester.uid
    add_post(requester.uid, text)
    page.goto("/home")
    expect(page.locator(".status-body").first).to_have_text(text)


def fill_composer(page: Page, text: str) -> None:
    """Post through the form of the home page."""
    page.goto("/home")
    page.get_by_label("What’s happening?").fill(text)
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-body").first).to_have_text(text)
