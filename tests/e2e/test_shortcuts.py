"""Test the keyboard shortcuts in a browser."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, add_pictures, start_session
from tests.support.statuses.pictures import photo


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """Return the public page of a member, with three posts."""
    page = start_session(open_page(), "ann", "one", "two", "three")
    page.goto("/public")
    return page


def test_keys_move_between_posts_and_act_on_them(page: Page) -> None:
    posts = page.locator(".status")
    page.keyboard.press("j")
    expect(posts.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(posts.nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(posts.nth(0)).to_be_focused()
    page.keyboard.press("l")
    expect(posts.nth(0).locator(".action-like")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("b")
    expect(posts.nth(0).locator(".action-boost")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("s")
    expect(posts.nth(0).locator(".action-bookmark")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("r")
    expect(page.get_by_label("Write a reply")).to_be_visible()
    expect(page.locator("h1")).to_have_text("Post")


def test_enter_opens_the_post_that_has_the_focus_and_follows_a_link_in_it(page: Page) -> None:
    page.keyboard.press("j")
    expect(page.locator(".status").nth(0)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".status-large .status-body")).to_have_text("three")
    page.go_back()
    page.locator(".status .byline").first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/@ann$"))


@pytest.mark.long
def test_keys_move_between_the_squares_of_pictures_and_open_them(
    page: Page, tmp_path: Path
) -> None:
    file = tmp_path / "red.png"
    file.write_bytes(photo())
    for text in ("red", "redder"):
        page.goto("/home")
        page.get_by_label("What’s happening?").fill(text)
        add_pictures(page, file)
        page.get_by_label("Description of picture 1").fill("all white")
        page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
        expect(page.locator(".status-body").first).to_have_text(text)
    page.goto("/@ann/media")
    squares = page.locator(".tile")
    for key, number in (("j", 0), ("j", 1), ("k", 0), ("j", 1)):
        page.keyboard.press(key)
        expect(squares.nth(number)).to_be_focused()
    page.keyboard.press("o")
    expect(page.locator(".status-large .status-body")).to_have_text("red")


def test_keys_work_without_storage_and_popovers(page: Page) -> None:
    page.add_init_script(
        """
        Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no") } })
        const find = Document.prototype.querySelector
        Document.prototype.querySelector = function (selector) {
            return find.call(this, selector.replace(":popover-open", ":unknown"))
        }
        """
    )
    page.reload()
    page.keyboard.press("j")
    expect(page.locator(".status").first).to_be_focused()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    dialog.get_by_label("Use keyboard shortcuts in this browser").uncheck()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    page.keyboard.press("j")
    expect(page.locator(".status").nth(1)).not_to_be_focused()
    expect(page.locator(".status").first).to_be_focused()


def test_keys_lead_to_pages_and_to_the_composer(page: Page) -> None:
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.wait_for_url("**/home")  # with its scripts: a key before them is lost
    page.keyboard.press("n")
    field = page.get_by_label("What’s happening?")
    expect(field).to_be_focused()
    page.keyboard.type("no gh jk here")
    expect(field).to_have_value("no gh jk here")
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")


def test_the_list_opens_closes_and_turns_the_keys_off(page: Page) -> None:
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_contain_text("Next post")
    dialog.get_by_label("Use keyboard shortcuts in this browser").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.press("?")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    page.keyboard.press("j")
    page.reload()
    page.keyboard.press("j")
    expect(page.locator(".status:focus")).to_have_count(0)
    page.goto("/shortcuts")
    switch = page.get_by_label("Use keyboard shortcuts in this browser")
    expect(switch).not_to_be_checked()
    switch.check()
    page.goto("/public")
    page.keyboard.press("j")
    expect(page.locator(".status:focus")).to_have_count(1)
