"""Long texts show their first lines in lists, without scripts too, and marks stay in their text."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, add_member, add_post

LINES = [f"line {number}" for number in range(1, 31)]
WITH_LINK = "\n".join([*LINES[:29], "https://example.com/"])


def height(part: Locator) -> float:
    box = part.bounding_box()
    assert box
    return box["height"]


def own_page(page: Page) -> None:
    page.locator(".status-time").first.click()
    expect(page.locator(".status-large")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, long(False)])
@pytest.mark.parametrize("width", [390, long(1280)])
def test_a_long_text_is_shown_whole_when_asked(
    open_page: OpenPage, width: int, scripts: bool
) -> None:
    page = open_page(
        viewport={"width": width, "height": 900}, java_script_enabled=scripts, color_scheme="dark"
    )
    uid = add_member("wren")
    add_post(uid, "\n".join(LINES))
    page.goto("/@wren")
    text, more = page.locator("main .status-body"), page.locator(".text-more > summary")
    expect(more).to_have_text("Show more", use_inner_text=True)
    assert 12 * 18 < height(text) < 13 * 30
    assert height(more) >= 24
    more.focus()
    page.keyboard.press("Enter")
    expect(more).to_have_text("Show less", use_inner_text=True)
    assert height(text) > 30 * 18
    more.click()
    expect(more).to_have_text("Show more", use_inner_text=True)
    assert height(text) < 13 * 30
    own_page(page)
    expect(page.locator(".text-more")).to_have_count(0)
    assert height(page.locator(".status-large .status-body")) > 30 * 18


def test_fifteen_lines_are_whole_a_hidden_link_is_reached_and_marks_stay_in_their_text(
    open_page: OpenPage,
) -> None:
    page, wren = open_page(), add_member("wren")
    for text in ("q" + "\u0301" * 200, WITH_LINK, "\n".join(LINES[:15])):
        add_post(wren, text)
    page.goto("/@wren")
    whole, folded, marked = page.locator("main .status-body").all()
    expect(page.locator(".text-more")).to_have_count(1)
    assert height(whole) > 15 * 18
    assert marked.evaluate("element => getComputedStyle(element).overflow") == "clip"
    assert marked.text_content() == "q" + "\u0301" * 8
    link = page.get_by_role("link", name="example.com/")
    page.locator(".status-more").nth(1).focus()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    assert height(folded) > 30 * 18
