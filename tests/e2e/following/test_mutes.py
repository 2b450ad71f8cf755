"""Test muting and blocking in a browser, with scripts and without."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, add_member, add_post, open_menu, sign_up
from tests.e2e.following.conftest import Visit


@pytest.fixture
def finch(visit: Visit) -> Page:
    """Return a member who follows wren, and wren has posted."""
    add_post(add_member("wren"), "a song")
    finch = sign_up(visit(), "finch", "/@wren")
    finch.get_by_role("button", name="Follow @wren", exact=True).click()
    return finch


@pytest.mark.long
def test_a_profile_shows_how_long_it_is_muted(finch: Page) -> None:
    finch.get_by_label("More options for @wren").focus()
    finch.keyboard.press("Enter")
    finch.get_by_text("Mute @wren…").click()
    finch.get_by_label("Hide notifications from them too").uncheck()
    finch.get_by_role("button", name="For a day").click()
    expect(finch.get_by_text("@wren is muted.")).to_be_visible()
    expect(finch.get_by_text("Muted · 1 day left")).to_be_visible()
    expect(finch.locator(".status-body")).to_have_text(["a song"])
    for path in ("/home", "/public"):
        finch.goto(path)
        expect(finch.locator(".status")).to_have_count(0)
    finch.goto("/settings/mutes")
    expect(finch.get_by_text("1 day left", exact=True)).to_be_visible()
    finch.get_by_role("button", name="Unmute @wren").click()
    expect(finch.get_by_text("You haven’t muted anyone.")).to_be_visible()
    finch.goto("/home")
    expect(finch.locator(".status-body")).to_have_text(["a song"])


@pytest.mark.long
def test_a_blocked_profile_says_so_instead_of_showing_posts(finch: Page) -> None:
    open_menu(finch.locator(".profile")).get_by_text("Block @wren…").click()
    finch.get_by_role("button", name="Block @wren", exact=True).click()
    expect(finch.get_by_role("heading", name="You’ve blocked @wren")).to_be_visible()
    expect(finch.locator(".status")).to_have_count(0)
    finch.get_by_role("button", name="Unblock @wren").click()
    expect(finch.locator(".status-body")).to_have_text(["a song"])
    expect(finch.get_by_role("button", name="Follow @wren", exact=True)).to_be_visible()


@pytest.mark.long
def test_muting_works_in_chinese_on_a_phone(open_page: OpenPage) -> None:
    english = open_page()
    wren = open_page(locale="zh-CN", viewport={"width": 360, "height": 640})
    add_member("finch")
    sign_up(english, "wren")
    wren.context.add_cookies(english.context.cookies())
    wren.goto("/@finch")
    wren.get_by_label("@finch 的更多操作").click()
    wren.get_by_text("静音 @finch…").click()
    menu = wren.locator(".menu-items").bounding_box()
    assert menu and menu["x"] >= 0 and menu["x"] + menu["width"] <= 360
    wren.get_by_role("button", name="一周").click()
    expect(wren.get_by_text("已静音 · 还剩")).to_be_visible()
