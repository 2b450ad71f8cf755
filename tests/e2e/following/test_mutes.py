"""Muting and blocking in a real browser, with scripts and without."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, join, write

Visit = Callable[[], Page]


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def visit(request: pytest.FixtureRequest, open_page: OpenPage) -> Visit:
    """Open a visitor's page."""
    return lambda: open_page(java_script_enabled=request.param)


@pytest.fixture
def finch(visit: Visit) -> Page:
    """Return a member who follows wren, and wren has posted."""
    wren, finch = visit(), visit()
    join(wren, "wren")
    write(wren, "a song")
    join(finch, "finch")
    finch.goto("/@wren")
    finch.get_by_role("button", name="Follow @wren", exact=True).click()
    return finch


def test_a_member_mutes_for_a_day_and_finds_them_on_their_profile(finch: Page) -> None:
    finch.get_by_label("More about @wren").focus()
    finch.keyboard.press("Enter")
    finch.get_by_label("Mute for").select_option("a day")
    finch.get_by_label("No notifications of them either").uncheck()
    finch.get_by_role("button", name="Mute @wren").click()
    expect(finch.get_by_text("@wren is muted.")).to_be_visible()
    expect(finch.get_by_text("Muted · 1 day left")).to_be_visible()
    expect(finch.locator(".status-body")).to_have_text(["a song"])
    for path in ("/home", "/public"):
        finch.goto(path)
        expect(finch.locator(".status")).to_have_count(0)
    finch.goto("/settings/mutes")
    expect(finch.get_by_text(re.compile("@wren · 1 day left$"))).to_be_visible()
    finch.get_by_role("button", name="Unmute @wren").click()
    expect(finch.get_by_text("You mute nobody.")).to_be_visible()
    finch.goto("/home")
    expect(finch.locator(".status-body")).to_have_text(["a song"])


def test_a_blocked_profile_says_so_instead_of_posts(finch: Page) -> None:
    finch.get_by_label("More about @wren").click()
    finch.get_by_role("button", name="Block @wren").click()
    expect(finch.get_by_role("heading", name="You block @wren")).to_be_visible()
    expect(finch.locator(".status")).to_have_count(0)
    finch.get_by_role("button", name="Unblock @wren").click()
    expect(finch.locator(".status-body")).to_have_text(["a song"])
    expect(finch.get_by_role("button", name="Follow @wren", exact=True)).to_be_visible()


def test_muting_speaks_chinese_and_keeps_its_menu_on_a_phone(open_page: OpenPage) -> None:
    english, wren = open_page(), open_page(locale="zh-CN", viewport={"width": 360, "height": 640})
    join(open_page(), "finch")
    join(english, "wren")
    wren.context.add_cookies(english.context.cookies())
    wren.goto("/@finch")
    wren.get_by_label("关于 @finch 的更多操作").click()
    body = wren.locator(".menu-body").bounding_box()
    assert body and body["x"] >= 0 and body["x"] + body["width"] <= 360
    wren.get_by_label("静音时长").select_option("一周")
    wren.get_by_role("button", name="静音 @finch").click()
    expect(wren.get_by_text("已静音 · 还剩")).to_be_visible()
