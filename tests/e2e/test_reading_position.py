"""Test that home tells the server what was read, in a browser."""

from urllib.parse import parse_qs

from playwright.sync_api import Request, expect

from tests.e2e.conftest import OpenPage, start_session
from tests.support.processes import until

HIDE = """
    Object.defineProperty(document, "hidden", { value: true, configurable: true })
    document.dispatchEvent(new Event("visibilitychange"))
"""


def test_home_tells_once_each_newest_post_that_was_on_the_screen(open_page: OpenPage) -> None:
    page = start_session(open_page(), "wren", "one", "two")
    page.goto("/home")
    newest = str(page.locator(".status").first.get_attribute("id")).removeprefix("status-")
    page.wait_for_load_state("networkidle")
    told: list[Request] = []
    page.on("request", lambda one: told.append(one) if "/position" in one.url else None)
    for _ in range(2):
        page.evaluate(HIDE)
    page.locator(".composer-input").fill("three")
    page.locator(".composer-input").press("Control+Enter")
    expect(page.locator(".status")).to_have_count(3)
    page.evaluate(HIDE)
    until(lambda: len(told) > 1)
    latest = str(page.locator(".status").first.get_attribute("id")).removeprefix("status-")
    assert [parse_qs(one.post_data or "")["id"] for one in told] == [[newest], [latest]]
