"""Search in a browser: what the device keeps, and what a member saves."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, add_member, add_post, sign_up, start_session
from tests.e2e.live import accessibility_problems
from tests.support.processes import until

STORED = "localStorage.getItem('searches')"


def box(page: Page) -> Locator:
    return page.locator(".search-box").first


def search(page: Page, words: str) -> None:
    box(page).fill(words)
    box(page).press("Enter")
    expect(page).to_have_title(f"{words} – Search · Linnet")
    page.wait_for_load_state()  # its scripts keep the next search


def until_completed(page: Page, hashtag: str) -> None:
    """Wait until a hashtag that was posted is among the completions of its first letters."""
    until(lambda: hashtag in page.request.get(f"/autocomplete/tags?q={hashtag[:3]}").text())


def recent(page: Page) -> Locator:
    return page.get_by_role("region", name="Recent searches")


def test_recent_searches_stay_on_the_device(open_page: OpenPage) -> None:
    page = sign_up(open_page(reduced_motion="reduce"), "ann", "/search")
    for number in range(12):
        search(page, f"heron {number}")
    search(page, "heron 5")
    kept = ["heron 5", *(f"heron {number}" for number in (11, 10, 9, 8, 7, 6, 4, 3, 2))]
    box(page).fill("")
    links = recent(page).get_by_role("link")
    expect(links).to_have_text(kept)
    expect(page.locator("body > [role=status]")).to_have_text(
        "Recent searches: press the down arrow key."
    )
    box(page).press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    assert accessibility_problems(page) == []
    page.keyboard.press("Escape")
    expect(recent(page)).to_have_count(0)
    expect(box(page)).to_be_focused()
    page.goto("/search")  # where it stands in the page
    recent(page).get_by_role("link", name="heron 11").click()
    expect(box(page)).to_have_value("heron 11")
    page.goto("/explore")
    box(page).focus()
    expect(links).to_have_text(["heron 11", *(one for one in kept if one != "heron 11")])
    recent(page).get_by_role("button", name="Clear").click()
    expect(recent(page)).to_have_count(0)
    assert page.evaluate(STORED) is None


def test_recent_searches_are_kept_before_scripts_come_and_cleared_by_signing_out(
    open_page: OpenPage,
) -> None:
    page = sign_up(open_page(width=1280), "ann", "/search")
    search(page, "kite")
    held: list[Route] = []
    page.route("**/search/box*.js", lambda route: held.append(route))
    with page.expect_request("**/search/box*.js"):
        page.goto("/explore", wait_until="commit")
    box(page).focus()
    for route in held:
        route.continue_()
    expect(recent(page).get_by_role("link")).to_have_text(["kite"])
    page.unroute_all()
    search(page, "heron")
    assert "heron" in page.evaluate(STORED)
    page.locator(".account-menu > summary").click()
    page.locator(".log-out > summary").click()
    page.locator(".log-out button").click()
    page.goto("/search")
    assert page.evaluate(STORED) is None
    expect(recent(page)).to_have_count(0)


@pytest.mark.long
def test_a_search_sent_before_the_list_has_come_is_kept(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "ann", "/explore")
    page.route("**/search/recent*.js", lambda route: None)
    search(page, "kite")
    page.unroute_all()
    page.goto("/search")
    expect(recent(page).get_by_role("link")).to_have_text(["kite"])


@pytest.mark.long
def test_recent_searches_and_completion_share_the_box(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "ann", "/search", post="hello #herons")
    until_completed(page, "herons")
    search(page, "kite")
    box(page).fill("")
    expect(recent(page)).to_be_visible()
    box(page).press_sequentially("#her")
    expect(recent(page)).to_have_count(0)
    expect(page.locator("#completions [role=option]")).to_have_text("#herons")
    box(page).press("ArrowDown")
    box(page).press("Enter")
    expect(box(page)).to_have_value("#herons ")
    box(page).fill("")
    expect(recent(page)).to_be_visible()


def test_what_is_typed_before_the_scripts_run_is_completed(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "ann", "/search", post="hello #herons")
    until_completed(page, "herons")
    held: list[Route] = []
    page.route("**/autocomplete-fields*", lambda route: held.append(route))
    page.goto("/search", wait_until="commit")
    box(page).press_sequentially("#her")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(page.locator("#completions [role=option]")).to_have_text("#herons")
    form, below = page.locator(".search-form").first, page.locator("#completions")
    assert below.evaluate("one => one.offsetWidth") >= form.evaluate("one => one.offsetWidth")


@pytest.mark.long
def test_searches_in_chats_are_no_recent_searches(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren", "/search")
    search(page, "heron")
    page.goto("/chats/search")
    chats_box = page.get_by_role("searchbox", name="Search messages")
    chats_box.fill("secret")
    chats_box.press("Enter")
    expect(chats_box).to_have_value("secret")
    chats_box.fill("")
    chats_box.blur()
    chats_box.focus()
    page.wait_for_load_state("networkidle")
    expect(recent(page)).to_have_count(0)
    page.goto("/search")
    expect(recent(page).get_by_role("link")).to_have_text(["heron"])


@pytest.mark.long
def test_another_member_is_not_shown_what_the_device_kept(open_page: OpenPage) -> None:
    page = open_page()
    page.goto("/search")
    page.evaluate('localStorage.setItem(\'searches\', \'{"owner":"@bob","queries":["secret"]}\')')
    page.reload()
    box(page).focus()
    expect(recent(page)).to_have_count(0)
    page.wait_for_function(f"() => {STORED} === null")


@pytest.mark.parametrize("scripts", [True, long(False)], ids=["with scripts", "without scripts"])
def test_a_member_saves_a_search_and_removes_it(open_page: OpenPage, scripts: bool) -> None:
    page = start_session(open_page(scripts, 390), "ann")
    add_post(add_member("wren"), "a heron")
    page.goto("/search?q=heron&tab=top")
    page.get_by_role("button", name="Save search").click()
    expect(page.get_by_role("button", name="Remove saved search")).to_be_visible()
    page.get_by_role("link", name="Saved searches").click()
    page.get_by_role("link", name="heron · Top").click()
    expect(page).to_have_url(f"{page.url.partition('/search')[0]}/search?q=heron&tab=top")
    page.get_by_role("link", name="Saved searches").click()
    page.get_by_role("button", name="Remove “heron”").click()
    expect(page.get_by_text("No saved searches yet")).to_be_visible()


def test_people_and_hashtags_are_suggested_from_the_first_letters(open_page: OpenPage) -> None:
    add_post(add_member("eider"), "#eiderdown")
    page = sign_up(open_page(width=390), "ann", "/explore")
    options = page.locator("#completions [role=option]")
    box(page).press_sequentially("eid")
    expect(options).to_have_count(2)
    expect(box(page)).to_have_role("combobox")
    expect(box(page)).to_have_attribute("aria-expanded", "true")
    assert box(page).get_attribute("aria-activedescendant") is None, "Enter searches for the text"
    assert accessibility_problems(page) == []
    box(page).press("Escape")
    expect(options.locator("visible=true")).to_have_count(0)
    expect(box(page)).to_have_value("eid")
    box(page).fill("")
    box(page).press_sequentially("eider")
    expect(options.locator("visible=true")).to_have_count(2)
    box(page).press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    box(page).press("Enter")
    expect(page).to_have_url(re.compile(r"/@eider$"))
    page.goto("/search")
    box(page).press_sequentially("eid")
    options.filter(has_text="#eiderdown").click()
    expect(page).to_have_url(re.compile(r"/tags/eiderdown$"))
    page.goto("/search")
    box(page).press_sequentially("eid")
    expect(options).to_have_count(2)
    box(page).press("Enter")
    expect(page).to_have_title("eid – Search · Linnet")
