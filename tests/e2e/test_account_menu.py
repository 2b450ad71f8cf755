"""The account menu: what phones have no room for, preferences and the way out."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, log_out, sign_up, start_session


# Each of the three widths has a layout of its own, with the same links.
@pytest.mark.parametrize(
    ("scripts", "width"),
    [
        (True, 390),
        (False, 800),
        long(True, 1280),
        long(False, 390),
        long(True, 800),
        long(False, 1280),
    ],
)
def test_the_menu_leads_everywhere_and_out(open_page: OpenPage, scripts: bool, width: int) -> None:
    size: Any = {"width": width, "height": 700}
    page = start_session(open_page(scripts, viewport=size), "wren")
    body = page.locator(".account-menu > .menu-body")
    for name in ("Bookmarks", "Lists", "Drafts", "Settings"):
        page.goto("/public")
        page.locator(".account-menu > summary").click()
        expect(body).to_be_in_viewport(ratio=1)
        body.get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
    page.goto("/public")
    page.locator(".account-menu > summary").click()
    body.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page).to_have_url(f"{page.url.partition('/public')[0]}/public")
    log_out(page)


def test_a_phone_leads_to_five_places_and_the_menu_closes_by_escape_and_by_a_press_beside_it(
    open_page: OpenPage,
) -> None:
    page = sign_up(open_page(width=390), "wren")
    page.wait_for_load_state()
    menu, summary = page.locator(".account-menu"), page.locator(".account-menu > summary")
    body = menu.locator(".menu-body")
    summary.click()
    expect(body).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(body).to_be_hidden()
    expect(summary).to_be_focused()
    summary.click()
    expect(body).to_be_visible()
    page.mouse.click(2, 500)
    expect(body).to_be_hidden()
    links = page.locator(".nav-member .nav-link:visible .nav-label")
    expect(links).to_have_text(["Home", "Explore", "Notifications", "Chats", "Profile"])
    page.get_by_role("link", name="Write a post").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Write a post")
