"""Test writing several posts together in a browser, with and without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, sign_up

TEXT = "What’s happening?"
PART = "Post {} of the thread"


@pytest.mark.parametrize("scripts", [True, False])
def test_a_thread_is_written_and_posted(open_page: OpenPage, scripts: bool) -> None:
    page = open_page(viewport={"width": 390, "height": 800}, java_script_enabled=scripts)
    sign_up(page, "ann")
    page.goto("/home")
    page.get_by_label(TEXT).fill("first")
    another = page.get_by_role("button", name="Add another post")
    for number, text in ((2, "second"), (3, "third")):
        another.click()
        expect(page.get_by_label(PART.format(number))).to_be_focused()
        page.get_by_label(PART.format(number)).fill(text)
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-body").filter(has_text="first")).to_be_visible()
    if scripts:
        expect(page.locator(".composer-more")).to_have_count(0)
    page.goto("/@ann")
    expect(page.locator(".status-body")).to_have_text(["third", "second", "first"])
    page.goto("/drafts")
    expect(page.get_by_text("No drafts yet")).to_be_visible()


def test_the_reason_stands_beside_the_post_that_is_refused(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    expected_errors.append("422")
    page = open_page()
    sign_up(page, "ann")
    page.goto("/home")
    page.get_by_label(TEXT).fill("first")
    page.get_by_role("button", name="Add another post").click()
    second = page.get_by_label(PART.format(2))
    second.fill("x" * 281)
    row = page.locator(".composer-more")
    expect(row.get_by_role("alert")).to_have_text("Characters over the limit: 1")
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(row.get_by_role("alert")).to_have_text("That’s 1 character too long.")
    expect(page.locator(".status-body")).to_have_count(0)
    second.fill("second")
    expect(row.get_by_role("alert")).to_have_count(0)
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-body").filter(has_text="first")).to_be_visible()
    expect(row).to_have_count(0)
