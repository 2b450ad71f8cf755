"""The service worker: an installed site without a connection, and what it keeps."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, log_out, set_language, sign_up
from webapp.core.rendering.static.assets import site_assets

KEPT = """
async () => {
  const kept = {}
  for (const name of await caches.keys()) {
    const requests = await (await caches.open(name)).keys()
    kept[name] = requests.map(request => new URL(request.url).pathname)
  }
  return kept
}
"""


@pytest.fixture
def open_worker_page(open_page: OpenPage) -> OpenPage:
    """Return a function that opens a page in a context with service workers."""
    return lambda **options: open_page(service_workers="allow", **options)


def install(page: Page, path: str = "/") -> None:
    """Open a page and wait until the worker answers for it."""
    page.goto(path)
    page.wait_for_function("() => navigator.serviceWorker.controller?.state === 'activated'")


def cached_paths(page: Page) -> dict[str, list[str]]:
    """Return the paths in each cache."""
    found: dict[str, list[str]] = page.evaluate(KEPT)
    return found


def asset_path(name: str) -> str:
    """Return the current address of a static file."""
    asset = site_assets().by_name(name)
    assert asset
    return f"/static/{asset.path}"


def cache_names(page: Page) -> set[str]:
    """Return the names of the caches."""
    return set(page.evaluate("caches.keys()"))


def test_without_a_connection_a_page_says_so_until_there_is_one_again(
    open_worker_page: OpenPage, expected_errors: list[str]
) -> None:
    expected_errors += ["ERR_INTERNET_DISCONNECTED"]
    page = open_worker_page()
    install(page)
    page.context.set_offline(True)
    page.goto("/public")
    expect(page.get_by_role("heading", level=1)).to_have_text("You’re offline")
    font = page.evaluate("getComputedStyle(document.body).fontFamily")
    assert "Segoe UI" in font, "with the site's styles"
    assert page.url.endswith("/public")
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You’re offline")
    page.context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Explore")


def test_only_static_files_and_the_offline_page_are_kept(open_worker_page: OpenPage) -> None:
    page = open_worker_page()
    install(page, "/login")
    sign_up(page, "ann", post="a secret song")
    for path in ("/settings", "/notifications", "/chats", "/@ann", "/public", "/home"):
        page.goto(path)
    log_out(page)
    page.goto("/")
    caches = cached_paths(page)
    assert len(caches) == 1
    [paths] = caches.values()
    assert "/offline" in paths and len(paths) > 5
    assert all(path.startswith("/static/") for path in paths if path != "/offline")
    text = page.evaluate(
        "(name) => caches.open(name).then(c => c.match('/offline')).then(r => r.text())",
        next(iter(caches)),
    )
    assert "ann" not in text.lower() and "signed-in" not in text


@pytest.mark.long
def test_another_version_replaces_what_was_kept(
    open_worker_page: OpenPage, expected_errors: list[str]
) -> None:
    expected_errors += ["ERR_INTERNET_DISCONNECTED"]
    page = open_worker_page()
    install(page)
    [before] = cached_paths(page)
    page.evaluate("caches.open('linnet-old')")
    page.evaluate("caches.open('another')")
    set_language(page, "zh")  # the offline page is another one
    page.goto("/")
    page.evaluate("navigator.serviceWorker.ready.then(worker => worker.update())")
    while {before, "linnet-old"} & cache_names(page):
        page.wait_for_timeout(50)
    assert "another" in cache_names(page)
    page.context.set_offline(True)
    page.goto("/public")
    expect(page.get_by_role("heading", level=1)).to_have_text("你已离线")


@pytest.mark.long
def test_kept_files_are_not_asked_for_again(open_worker_page: OpenPage) -> None:
    page = open_worker_page()
    install(page)
    page.goto("/")  # its files are kept from here on
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(describe(request)))
    page.goto("/")
    page.wait_for_load_state("networkidle")
    assert not [one for one in asked if one.startswith("worker /static/")]


@pytest.mark.long
def test_an_address_of_another_version_is_not_kept(open_worker_page: OpenPage) -> None:
    page = open_worker_page()
    install(page)
    old, current = "/static/js/core/live.0123456789ab.js", asset_path("js/core/live.js")
    for path in (old, current):  # the first redirects to the second
        assert page.evaluate("path => fetch(path).then(r => r.url)", path).endswith(current)
    while current not in (paths := next(iter(cached_paths(page).values()))):
        page.wait_for_timeout(50)
    assert old not in paths


def describe(request: Any) -> str:
    """Return who asks for which path."""
    path = "/" + request.url.split("/", 3)[3]
    return f"{'worker' if request.service_worker else 'page'} {path}"


def test_forms_and_errors_pass_through_the_worker(open_worker_page: OpenPage) -> None:
    page = open_worker_page()
    install(page)
    response = page.goto("/nowhere")
    assert response and response.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
    sign_up(page, "ben", post="a song")
