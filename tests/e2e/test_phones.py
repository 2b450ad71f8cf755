"""Test the header of phones, which goes while the reader scrolls down, and the button to write."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, add_member, add_post, sign_up, start_session

PHONE = {"width": 390, "height": 700}
PRESSED = {
    "/explore/find-groups": ".chips a",
    "/leaderboards": ".chips a",
    "/market": ".chips a",
    "/search": "summary",
    "/shortcuts": "label",
}


@pytest.fixture
def phone(open_page: OpenPage) -> Page:
    """Return the phone of a member, at a profile that is longer than its screen."""
    author = add_member("wren")
    for number in range(8):
        add_post(author, f"song {number}\n\n\nla")
    page = sign_up(open_page(viewport=PHONE), "finch", "/@wren")
    page.wait_for_load_state("networkidle")
    return page


def test_the_header_goes_on_the_way_down_and_comes_back_on_the_way_up_or_with_the_focus(
    phone: Page,
) -> None:
    brand, nav = phone.locator(".brand"), phone.locator(".nav-member")
    for _ in range(4):
        phone.mouse.wheel(0, 150)
        phone.wait_for_timeout(100)
    expect(brand).not_to_be_in_viewport()
    expect(nav).to_be_in_viewport()
    phone.mouse.wheel(0, -100)
    expect(brand).to_be_in_viewport()
    phone.mouse.wheel(0, 150)
    expect(brand).not_to_be_in_viewport()
    for _ in range(2):  # the link to the content comes first
        phone.keyboard.press("Tab")
    brand.focus()
    expect(brand).to_be_in_viewport()


def test_the_button_to_write_is_at_hand_except_where_one_writes(phone: Page) -> None:
    button = phone.locator(".write-button")
    box, nav = button.bounding_box(), phone.locator(".nav-member").bounding_box()
    assert box and nav
    assert box["x"] > 300 and box["y"] + box["height"] < nav["y"]
    phone.set_viewport_size({"width": 844, "height": 390})
    expect(button).to_be_in_viewport()
    phone.set_viewport_size(PHONE)
    phone.goto("/home")
    phone.locator(".composer-input").focus()
    expect(button).to_be_hidden()
    for path in ("/statuses/new", "/chats"):
        phone.goto(path)
        expect(button).to_be_hidden()
    phone.set_viewport_size({"width": 1280, "height": 800})
    expect(button).to_be_hidden()


def test_what_a_finger_presses_is_40_pixels_high(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    start_session(page, "finch")
    for path, what in PRESSED.items():
        page.goto(path)
        pressed = page.get_by_role("main").locator(what)
        assert pressed.count(), path
        for one in pressed.all():
            box = one.bounding_box()
            assert box and box["height"] >= 40, (path, one.inner_text())
