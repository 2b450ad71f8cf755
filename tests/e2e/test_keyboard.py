"""Everything with the keyboard alone: Tab, Enter and Space, and one always sees where one is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import PASSWORD
from tests.e2e.conftest import OpenPage, join, sign_in, write
from tests.support import worker
from webapp.accounts import lifecycle, registration
from webapp.config import Config
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.mutes import store as mutes
from webapp.lists import store as lists
from webapp.statuses.drafts import store as drafts
from webapp.statuses.filters import store as filters
from webapp.statuses.filters.store import Filter
from webapp.statuses.interactions import bookmarks
from webapp.statuses.quotes import store as quotes
from webapp.statuses.store import post

STOPS_MAX = 160  # more than any page under test has
# Where the keyboard is: its name, its place, and whether one sees it, not only that it is there.
STOP = """() => {
    const one = document.activeElement, box = one.getBoundingClientRect(), style = getComputedStyle(one)
    if (one === document.body) return null
    const labels = [...(one.labels ?? [])].map(label => label.innerText).join(" ")
    const drawn = one.querySelector("svg[aria-label]")?.getAttribute("aria-label")
    const middle = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
    return {
        name: (one.getAttribute("aria-label") || labels || (drawn ?? "") + one.textContent).trim(),
        html: one.outerHTML.slice(0, 160),
        seen: box.width > 0 && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight && box.right > 0,
        uncovered: one.contains(middle) || middle?.contains(one) || false,
        marked: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
        order: [...document.querySelectorAll("*")].indexOf(one),
    }
}"""
PAGES = (
    "/home /public /@ann /@ann/followers /statuses/new /settings/profile /settings/password /settings/sessions "
    "/settings/tokens /settings/delete /lists /lists/1/edit /@ann/lists/1/members /@ben/lists/add /settings/filters "
    "/settings/filters/1 /settings/privacy /settings/mutes /notifications /bookmarks /drafts /drafts/form-draft "
    "/@ann/{id} /@ann/{id}/quotes /requests"
)


def furnish(settings: Config) -> int:
    """Makes ann, who is protected and has one of everything, and who asks to follow her; a post of hers that is quoted
    and replied to.
    """
    db = connect(settings)
    ann, ben, cid = (
        registration.sign_up(db, settings, one, one.title(), PASSWORD).uid
        for one in ("ann", "ben", "cid")
    )
    following.follow(db, settings, ben, "ann")
    for number in range(6):
        post(db, settings, ann, parse("more " * 20), f"form-more-{number}")
    status = post(db, settings, ann, parse("hello @ann example.com"), "form-hello")
    post(db, settings, ben, parse("so it is"), "form-reply", reply=status)
    quote = post(db, settings, ben, parse("listen"), "form-quote", quote=status)
    worker.drain(db, settings)
    quotes.detach(db, settings, ann, quote)
    lists.set_memberships(
        db, settings, ann, "ben", {lists.create(db, settings, ann, "Birds", True, True): True}
    )
    filters.save(db, settings, ann, Filter("crumbs"))
    drafts.save(db, settings, ann, "form-draft", {"text": "not yet"})
    bookmarks.bookmark(db, settings, ann, status)
    mutes.mute(db, settings, ann, "cid")
    lifecycle.protect(db, settings, ann)
    following.follow(db, settings, cid, "ann")
    worker.drain(db, settings)
    db.close()
    return status


def tab_to(page: Page, name: str) -> None:
    """Presses Tab until the keyboard is on what has this name."""
    passed = []
    for _ in range(STOPS_MAX):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop and stop["name"] == name:
            return
        passed.append(stop and stop["name"])
    raise AssertionError(f"no {name!r} among {passed}")


def stops(page: Page) -> list[dict[str, Any]]:
    """Every place that Tab leads to, in order, once round the page."""
    found = []
    for _ in range(STOPS_MAX):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None or 'class="skip"' in stop["html"]:
            return found
        found.append(stop)
    raise AssertionError("the keyboard is caught")


def enter(page: Page, name: str, text: str) -> None:
    tab_to(page, name)
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def activate(page: Page, name: str, key: str = "Enter") -> None:
    tab_to(page, name)
    page.keyboard.press(key)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_newcomer_does_everything_by_hand(open_page: OpenPage, scripts: bool) -> None:
    ann, page = open_page(), open_page(java_script_enabled=scripts)
    join(ann, "ann")
    write(ann, "a song")
    page.goto("/")
    activate(page, "Create an account")
    expect(page.get_by_role("heading", level=1)).to_have_text("Join Linnet")
    for name, text in (("Login", "wren"), ("Name", "Wren"), ("Password", PASSWORD)):
        enter(page, name, text)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")
    activate(page, "Skip to the content")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("What’s happening?")).to_be_focused()
    page.keyboard.type("by hand")
    activate(page, "Post", "Space")
    expect(page.locator(".status-body")).to_have_text(["by hand"])
    activate(page, "Change, pin or delete")
    activate(page, "Delete post")
    expect(page.get_by_text("Post deleted.")).to_be_visible()
    activate(page, "Public")
    expect(page.get_by_role("heading", level=1)).to_have_text("Public")
    activate(page, "Ann @ann")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ann")
    activate(page, "Follow @ann")
    expect(page.get_by_role("button", name="Unfollow @ann")).to_be_visible()
    activate(page, "Settings")
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings")
    enter(page, "Name", "Winter Wren")
    activate(page, "Save")
    expect(page.get_by_role("heading", level=1)).to_have_text("Winter Wren")
    activate(page, "Dark", "Space")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    activate(page, "Sign out")
    expect(page.get_by_text("You’re signed out.")).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_every_stop_is_named_seen_marked_and_in_order(
    open_page: OpenPage, settings: Config, width: int
) -> None:
    page, status = (
        open_page(viewport={"width": width, "height": 800}, reduced_motion="reduce"),
        furnish(settings),
    )
    sign_in(page, "ann")
    for path in PAGES.format(id=status).split():
        answer = page.goto(path)
        assert answer and answer.ok, path
        if path == "/statuses/new":
            expect(page.get_by_label("What’s happening?")).to_be_focused()
        page.locator(".skip").focus()  # which the last test looks at; a page may begin elsewhere
        found = stops(page)
        assert len(found) >= 10, path
        for stop in found:
            assert all(stop[part] for part in ("name", "seen", "uncovered", "marked")), (path, stop)
        places = [stop["order"] for stop in found]
        assert places == sorted(places), path


def test_the_skip_link_is_first_and_leads_past_the_links(open_page: OpenPage) -> None:
    page = open_page()
    join(page, "wren")
    page.goto("/home")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
