"""Test hiding a reply in a browser, and what others see of it."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, open_menu, sign_up


@pytest.mark.long
def test_the_author_of_a_thread_hides_a_reply_and_shows_it_again(open_page: OpenPage) -> None:
    ann, ben = open_page(), open_page(width=390)
    sign_up(ann, "ann", post="a song")
    sign_up(ben, "ben", "/public")
    ben.locator(".status-time").click()
    expect(ben.get_by_role("heading", name="Post", exact=True)).to_be_visible()
    ben.locator("#text").fill("too loud")
    ben.get_by_role("main").get_by_role("button", name="Reply", exact=True).click()
    reply = ben.locator(".thread .status-body")
    expect(reply).to_have_text("too loud")
    ann.goto(ben.url)
    open_menu(ann.locator(".thread .status")).get_by_role("button", name="Hide reply").click()
    expect(ann.get_by_text("Reply hidden.")).to_be_visible()
    ben.reload()
    expect(reply).to_be_hidden()
    ben.get_by_text("Show hidden replies").press("Enter")
    expect(reply).to_be_visible()
    ann.get_by_text("Show hidden replies").click()
    open_menu(ann.locator(".thread .status")).get_by_role("button", name="Show reply").click()
    expect(ann.locator(".thread .status-body")).to_be_visible()
    expect(ann.locator(".thread-hidden")).to_have_count(0)
