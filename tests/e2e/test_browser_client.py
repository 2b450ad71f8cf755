"""Phanpy, a client that runs in a browser on another origin: it signs in, reads and posts.

`PHANPY` names the folder of a build of it; no package has one. The site is behind https, as Phanpy
asks for no other.
"""

import os
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, expect

from tests.conftest import PASSWORD
from tests.support.client_site import ClientSite
from tests.support.processes import free_port
from tests.support.tls_proxy import tls_proxy
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses

FOLDER = os.environ.get("PHANPY", "")
PATIENCE = 90_000  # milliseconds
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not FOLDER, reason="PHANPY names no folder of a built Phanpy"),
]


class QuietFiles(SimpleHTTPRequestHandler):
    """Serves files without a word about each."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def phanpy() -> Iterator[str]:
    """The address of the client."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietFiles, directory=FOLDER))
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ClientSite]:
    """The site, of which ann is a member, behind https."""
    port = free_port()
    site = ClientSite(tmp_path, site_url=f"https://localhost:{port}", trusted_proxies=1)
    site.start_pages()
    site.stream(site.config.stream_port)
    with tls_proxy(tmp_path, port, site.config.port, site.config.stream_port):
        yield site
    site.close()


def test_it_signs_in_reads_and_posts(browser: Browser, site: ClientSite, phanpy: str) -> None:
    site.sign_up("ann")
    statuses.post(site, 1, parse("Hello from the site #birds"), "form-of-ann")
    host = site.config.site_url.removeprefix("https://")
    # Playwright lets a service worker trust no certificate of ours.
    context = browser.new_context(ignore_https_errors=True, service_workers="block")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    with page.expect_popup() as opened:
        page.goto(f"{phanpy}/#/login?instance={host}&submit=1")
    window = opened.value
    window.fill("[name=login]", "ann")
    window.fill("[name=password]", PASSWORD)
    window.press("[name=password]", "Enter")
    window.click("button[value=allow]")
    expect(page.locator("body")).to_contain_text("Hello from the site", timeout=PATIENCE)
    page.keyboard.press("c")
    page.fill("#compose-container textarea[name=status]", "Posted by Phanpy")
    page.keyboard.press("Control+Enter")
    expect(page.locator("body")).to_contain_text("Post published", timeout=PATIENCE)
    page.goto(f"{phanpy}/#/{host}/p")
    expect(page.locator("body")).to_contain_text("Posted by Phanpy", timeout=PATIENCE)
    context.close()
