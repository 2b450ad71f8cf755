"""A real Chromium against the real app: `site` serves it, `open_page` opens a browser that tolerates no complaint."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from threading import Event, Thread
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect
from werkzeug.serving import make_server

from tests.conftest import PASSWORD, make_app
from tests.support.processes import free_port
from webapp.config import Config
from webapp.core.store.client import Db

# The first is the same engine without a browser's own windows around it: quicker, where a system has it.
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome", "google-chrome-stable")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
FLAGS = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
PATIENCE = 30_000  # milliseconds, for a machine that is busy with other tests
OpenPage = Callable[..., Page]
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what is in this folder, and skips it where there is no browser."""
    for item in items:
        if "/e2e/" in item.nodeid:
            item.add_marker(pytest.mark.browser)
            if not CHROMIUM:
                item.add_marker(pytest.mark.skip(reason="no chromium or google-chrome on the PATH"))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's own browser."""
    return {
        **browser_type_launch_args,
        "executable_path": CHROMIUM,
        "args": [*FLAGS.split(), "--no-first-run"],
    }


@pytest.fixture
def site(settings: Config) -> Iterator[str]:
    """The address of the app on an empty store, with form tokens and events applied at once."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    app = make_app(replace(settings, stream_url=url), WTF_CSRF_ENABLED=True)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    closing = Event()
    server = make_server("127.0.0.1", port, with_quiet_streams(app, closing), threaded=True)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield url
    closing.set()
    server.shutdown()
    thread.join()
    server.server_close()
    db: Db = app.extensions["linnet.db"]
    db.close()


def with_quiet_streams(app: Flask, closing: Event) -> Callable[..., Iterable[bytes]]:
    """The app, with streams that stay open and have nothing to say; those that speak are in test_live.py."""

    def stream() -> Iterator[bytes]:
        yield b":\n\n"
        closing.wait()

    def serve(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if not environ["PATH_INFO"].startswith("/stream/"):
            return app(environ, start_response)
        start_response("200 OK", [("Content-Type", "text/event-stream")])
        return stream()

    return serve


@pytest.fixture
def open_page(browser: Browser, site: str) -> Iterator[OpenPage]:
    """Opens a page in a browser of its own. At the end none may have complained: no errors, no CSP violations."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        of_the_page = (
            "Failed to load resource" in message.text
            and message.location["url"] == (message.page or page).url
        )
        if message.type in ("error", "warning") and not of_the_page:  # a page may be an error page
            complaints.append(f"{message.location['url']}: {message.text}")

    def lose(request: Request) -> None:
        if (
            request.failure != "net::ERR_ABORTED"
        ):  # as when one leaves a page before all of it is there
            complaints.append(f"{request.url}: {request.failure}")

    def open_(**options: Any) -> Page:
        nonlocal page
        contexts.append(browser.new_context(base_url=site, **options))
        contexts[-1].set_default_timeout(PATIENCE)
        contexts[-1].on("console", listen)
        contexts[-1].on("requestfailed", lose)
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    page: Page
    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


def join(page: Page, login: str) -> None:
    """Signs a new member up through the form."""
    page.goto("/signup")
    fill(page, Login=login, Name=login.title(), Password=PASSWORD)
    page.get_by_role("button", name="Create my account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")


def fill(page: Page, **fields: str) -> None:
    """Types into fields, by their labels."""
    for label, text in fields.items():
        page.get_by_label(label, exact=True).fill(text)


def sign_in(page: Page, login: str, password: str = PASSWORD) -> None:
    """Signs a member in through the form."""
    page.goto("/login")
    fill(page, Login=login, Password=password)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")


def speak(page: Page, language: str) -> None:
    """Has the site speak a language to whom this browser belongs, from the next page on."""
    page.context.add_cookies([{"name": "linnet_lang", "value": language, "url": page.url}])


def write(page: Page, text: str) -> None:
    """Posts from the home page."""
    page.goto("/home")
    page.get_by_label("What’s happening?").fill(text)
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-body").first).to_have_text(text)
