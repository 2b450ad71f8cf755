"""Test the open parts of the composer: accessible, and no wider than the screen."""

from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, add_pictures, open_part, sign_up
from tests.e2e.measurements import layout_faults, prepare
from tests.support.statuses.pictures import photo


def test_open_parts_have_no_layout_faults(open_page: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "red.png"
    file.write_bytes(photo((900, 600), "red"))
    page = open_page(width=390, reduced_motion="reduce")
    prepare(page)
    sign_up(page, "ann")
    open_part(page, "Add an emoji")
    expect(page.get_by_label("Search emoji")).to_be_focused()
    assert layout_faults(page, "emoji", 390) == []
    page.keyboard.press("Escape")
    open_part(page, "Add a place")
    add_pictures(page, file, file)
    expect(page.locator(".picture-slot canvas")).to_have_count(2)
    page.get_by_label("What’s happening?").fill("first")
    page.get_by_role("button", name="Add another post").click()
    page.get_by_label("Post 2 of the thread").fill("x" * 281)
    assert layout_faults(page, "pictures, place and thread", 390) == []


def test_tools_wait_until_a_composer_is_used_on_a_phone(open_page: OpenPage) -> None:
    page = open_page(width=390)
    sign_up(page, "ben")
    text, send = page.get_by_label("What’s happening?"), page.get_by_role("button", name="Post")
    expect(send).to_be_hidden()
    text.focus()
    expect(send).to_be_visible()


def test_the_first_letter_moves_no_tools_on_a_wide_screen(open_page: OpenPage) -> None:
    page = open_page(width=1280)
    sign_up(page, "cid")
    text, send = page.get_by_label("What’s happening?"), page.locator(".composer-send > button")
    text.focus()
    before = send.bounding_box()
    text.press_sequentially("H")
    expect(page.get_by_role("button", name="Save draft")).to_be_visible()
    assert send.bounding_box() == before
