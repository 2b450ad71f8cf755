"""A visitor who presses a member's button: they join, and the act is done."""

import re

import pytest
from playwright.sync_api import expect

from tests.conftest import PASSWORD, long
from tests.e2e.conftest import OpenPage, add_member, add_post, sign_in
from tests.e2e.live import accessibility_problems


@pytest.mark.parametrize("scripts", [True, long(False)], ids=["with scripts", "without scripts"])
def test_a_visitor_likes_a_post_after_logging_in(open_page: OpenPage, scripts: bool) -> None:
    add_post(add_member("wren"), "a song at dawn")
    add_member("ben")
    page = open_page(scripts, 390)
    page.goto("/public")
    page.get_by_role("link", name="Like this post by").click()
    expect(page.get_by_role("heading", name="Join to like this post")).to_be_visible()
    expect(page.get_by_text("a song at dawn")).to_be_visible()
    if scripts:
        assert accessibility_problems(page) == []
    page.locator(".join-page").get_by_role("link", name="Log in").click()
    page.get_by_label("Username").fill("ben")
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Log in").click()
    expect(page).to_have_url(re.compile(r"/@wren/\d+$"))
    expect(page.locator(".action-like").first).to_have_attribute("aria-pressed", "true")


def test_a_member_who_follows_such_a_link_confirms_it(open_page: OpenPage) -> None:
    add_member("wren")
    add_member("ben")
    page = open_page(width=390)
    sign_in(page, "ben")
    page.goto("/join/follow/wren")
    expect(page.get_by_role("heading", name="Follow @wren?")).to_be_visible()
    follow = page.locator(".join-page").get_by_role("button", name="Follow")
    expect(follow).to_be_focused()
    follow.press("Enter")
    expect(page).to_have_url(re.compile("/@wren$"))


def test_a_visitor_closes_the_invitation(open_page: OpenPage) -> None:
    page = open_page(width=390)
    page.goto("/public")
    page.locator(".join-strip").get_by_role("button", name="Close").click()
    expect(page).to_have_url(re.compile("/public$"))
    expect(page.locator(".join-strip")).to_be_hidden()
    page.goto("/explore")
    expect(page.get_by_text("New here?").locator("visible=true")).to_have_count(0)
