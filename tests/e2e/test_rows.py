"""Test that a press beside the links of a row opens its page, in a browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, sign_up, start_session

POST = re.compile(r"/@wren/\d+$")


def reader_of_a_post(open_page: OpenPage) -> Page:
    """Return wren's home with a post, once scripts have loaded."""
    page = sign_up(open_page(), "wren", post="a song of two words")
    page.wait_for_load_state("networkidle")
    return page


def test_a_press_on_a_row_opens_its_page_and_links_keep_their_own(open_page: OpenPage) -> None:
    page = reader_of_a_post(open_page)
    page.locator(".status-body").click()
    expect(page).to_have_url(POST)
    page.goto("/home")
    page.locator(".status .byline-name").click()
    expect(page).to_have_url(re.compile("/@wren$"))
    finch = start_session(open_page(), "finch", "a #trill")
    finch.goto("/search?q=trill&tab=tags")
    finch.locator(".trend").click(position={"x": 300, "y": 4})
    expect(finch).to_have_url(re.compile("/tags/trill$"))
    finch.goto("/@wren")
    finch.locator(".action-like").click()
    expect(finch.locator(".action-like")).to_have_attribute("aria-pressed", "true")
    finch.goto("/lists")
    finch.get_by_label("Name").fill("Birds")
    finch.get_by_role("button", name="Create list").click()
    finch.goto("/lists")
    finch.locator(".entry-words p").last.click()
    expect(finch).to_have_url(re.compile(r"/@finch/lists/1$"))
    page.goto("/notifications")
    page.locator(".notification-kind").click()
    expect(page).to_have_url(POST)


@pytest.mark.long
def test_ctrl_and_the_middle_button_open_a_post_in_a_tab(open_page: OpenPage) -> None:
    page = reader_of_a_post(open_page)
    for options in ({"modifiers": ["Control"]}, {"button": "middle"}):
        with page.context.expect_page() as opened:
            page.locator(".status-body").click(**options)  # type: ignore[arg-type]
        expect(opened.value).to_have_url(POST)
    expect(page).to_have_url(re.compile("/home$"))


@pytest.mark.long
def test_text_can_be_selected_and_a_press_that_closes_a_menu_opens_nothing(
    open_page: OpenPage,
) -> None:
    page = reader_of_a_post(open_page)
    box = page.locator(".status-body").bounding_box()
    assert box
    page.mouse.move(box["x"] + 2, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 8)
    page.mouse.up()
    assert page.evaluate("String(getSelection())")
    page.wait_for_timeout(500)  # in which a module would have loaded and a page opened
    expect(page).to_have_url(re.compile("/home$"))
    page.evaluate("getSelection().empty()")
    page.locator(".status-more").click()
    expect(page.locator(".menu-items")).to_be_visible()
    page.mouse.click(box["x"] + 2, box["y"] + 8)
    expect(page.locator(".menu-items")).to_be_hidden()
    page.locator(".account-menu > summary").click()
    page.mouse.click(box["x"] + 2, box["y"] + 8)
    page.wait_for_timeout(500)
    expect(page).to_have_url(re.compile("/home$"))
