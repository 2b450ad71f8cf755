"""Every page works with the keyboard alone, and shows where the focus is."""

import re

import pytest
from playwright.sync_api import expect

from tests.conftest import PASSWORD, long
from tests.e2e.conftest import OpenPage, add_member, add_post, sign_in, sign_up
from tests.e2e.keyboard import activate, assert_focus_is_clear, type_into
from tests.support.world import Web
from webapp.lists import store as lists
from webapp.statuses import Filter
from webapp.statuses.drafts import store as drafts
from webapp.statuses.filters import store as filters
from webapp.statuses.quotes import store as quotes

MEMBER_PATHS = (
    "/home /public /@ann /@ann/followers /statuses/new /settings /settings/profile "
    "/settings/password /settings/username "
    "/settings/sessions /settings/home /settings/hidden-boosts "
    "/settings/tokens /settings/delete /lists /lists/1/edit "
    "/@ann/lists/1/members /@ben/lists/add /settings/filters /settings/filters/1 "
    "/settings/privacy /settings/mutes /notifications /bookmarks /drafts /drafts/form-draft "
    "/@ann/{id} /@ann/{id}/quotes /requests /@ann/{id}/menu /@ben/menu /@ben/report"
)


def create_content(web: Web) -> int:
    """Create ann, who is protected and owns something of every kind, and a follow request to her.

    Return a status of hers with a quote and a reply.
    """
    ann, ben, cid = web.people("ann", "ben", "cid")
    web.follow(ben, "ann")
    for _ in range(6):
        web.post(ann, "more " * 20)
    status = web.post(ann, "hello @ann example.com")
    web.post(ben, "so it is", reply=status)
    quote = web.post(ben, "listen", quote=status)
    web.apply_events()
    quotes.detach(web, ann, quote)
    number = lists.create(web, ann, "Birds", True, True)
    lists.set_memberships(web, ann, "ben", {number: True})
    filters.save(web, ann, Filter("crumbs"))
    drafts.save(web, ann, "form-draft", {"text": "not yet"})
    web.bookmark(ann, status)
    web.mute(ann, "cid")
    web.protect(ann)
    web.follow(cid, "ann")
    web.apply_events()
    return status


@pytest.mark.parametrize("scripts", [True, long(False)], ids=["with scripts", "without scripts"])
def test_a_new_member_does_everything_with_the_keyboard(open_page: OpenPage, scripts: bool) -> None:
    add_post(add_member("ann"), "a song")
    page = open_page(scripts)
    page.goto("/")
    activate(page, "Create an account")
    expect(page.get_by_role("heading", level=1)).to_have_text("Join Linnet")
    for name, text in (("Username", "wren"), ("Display name", "Wren"), ("Password", PASSWORD)):
        type_into(page, name, text)
    page.keyboard.press("Enter")
    for step, button in (
        ("Follow some people", "Continue"),
        ("Add a picture", "Skip"),
        ("Get recovery codes", "Skip"),
        ("Write your first post", "Skip"),
    ):
        expect(page.get_by_role("heading", level=1)).to_have_text(step)
        page.wait_for_load_state()
        activate(page, button)
    expect(page.get_by_role("heading", level=1)).to_have_text("You’re all set")
    page.wait_for_load_state()
    activate(page, "Go to your home page")
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")
    page.wait_for_load_state()  # Chromium follows "#main" again once it has run the scripts
    activate(page, "Skip to content")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Home settings")).to_be_focused()
    for _ in range(3):  # two tabs come before it
        page.keyboard.press("Tab")
    expect(page.get_by_label("What’s happening?")).to_be_focused()
    page.keyboard.type("by hand")
    activate(page, "Post", "Space")
    expect(page.locator(".status-body").first).to_have_text("by hand")
    activate(page, "More options for this post by Wren")
    expect(page.locator(".menu-items")).to_be_visible()
    activate(page, "Delete…")
    activate(page, "Delete post")
    expect(page.get_by_text("Post deleted.")).to_be_visible()
    activate(page, "Explore")
    expect(page.get_by_role("heading", level=1)).to_have_text("Explore")
    activate(page, "Ann @ann")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ann")
    activate(page, "Follow @ann")
    following = page.get_by_role("button", name="Following. Unfollow @ann")
    following.focus()
    expect(following.get_by_text("Unfollow")).to_be_hidden()
    activate(page, "Settings")
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings")
    activate(page, "Name, bio and pictures")
    expect(page.get_by_role("heading", level=1)).to_have_text("Edit profile")
    type_into(page, "Display name", "Winter Wren")
    activate(page, "Save")
    expect(page.get_by_role("heading", level=1)).to_have_text("Winter Wren")
    activate(page, "Dark", "Space")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    activate(page, "Account menu Winter Wren @wren")
    activate(page, "Log out")  # a question
    activate(page, "Log out", "Space")
    expect(page.get_by_text("You’re logged out.")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("width", [390, 1280])
def test_every_focusable_element_is_named_visible_outlined_and_in_order(
    open_page: OpenPage, web: Web, width: int
) -> None:
    page = open_page(width=width, reduced_motion="reduce")
    status = create_content(web)
    sign_in(page, "ann")
    for path in MEMBER_PATHS.format(id=status).split():
        response = page.goto(path)
        assert response and response.ok, path
        if path == "/statuses/new":
            expect(page.get_by_label("What’s happening?")).to_be_focused()
        assert_focus_is_clear(page, path, count_min=10)


def test_the_skip_link_comes_first_and_leads_to_the_content(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren")
    page.keyboard.press("Tab")
    skip_link = page.get_by_role("link", name="Skip to content")
    expect(skip_link).to_be_focused()
    expect(skip_link).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
