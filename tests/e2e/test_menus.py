"""Test the menus of posts and members in a browser, with scripts and without."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, add_member, add_post, open_menu, sign_up, start_session
from tests.e2e.measurements import layout_faults, prepare

FOCUSED = "document.activeElement.textContent.trim()"


@pytest.fixture
def ann_at_bens(open_page: OpenPage) -> Page:
    """Return the page of ann, who follows ben, at ben's profile with one post."""
    add_post(add_member("ben"), "a song")
    ann = open_page(permissions=["clipboard-read", "clipboard-write"])
    sign_up(ann, "ann", "/@ben")
    ann.get_by_role("button", name="Follow @ben", exact=True).click()
    expect(ann.get_by_role("button", name="Unfollow @ben")).to_be_visible()
    return ann


def test_keys_move_in_a_menu_escape_gives_the_focus_back_and_the_link_is_copied(
    ann_at_bens: Page,
) -> None:
    page = ann_at_bens
    opener = page.locator(".status [data-menu]")
    opener.focus()
    page.keyboard.press("Enter")
    menu = page.locator(".popover-menu:popover-open")
    expect(menu.get_by_role("link", name="Open post")).to_be_focused()
    expect(opener).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("End")
    expect(menu.get_by_role("link", name="Report post…")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(menu.get_by_role("button", name="Copy link")).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    expect(menu.get_by_role("link", name="Report post…")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    expect(opener).to_be_focused()
    expect(opener).not_to_have_attribute("aria-expanded", "true")
    address = page.locator(".status-time").evaluate("link => link.href")
    open_menu(page.locator(".status")).get_by_role("button", name="Copy link").click()
    expect(page.locator(".toast")).to_have_text("Link copied.")
    assert page.evaluate("navigator.clipboard.readText()") == address
    expect(page.locator(".status [data-menu]")).to_be_focused()


def test_a_menu_that_comes_late_leaves_who_writes_alone_and_without_its_script_is_a_page(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    page = sign_up(open_page(), "ann", post="a song")
    held: list[Route] = []
    page.route("**/menu", lambda route: held.append(route))
    with page.expect_request("**/menu"):
        page.locator(".status [data-menu]").click()
    field = page.locator(".composer-input")
    field.press_sequentially("so ")
    with page.expect_response("**/menu"):
        held[0].continue_()
    field.press_sequentially("it is")
    expect(field).to_have_value("so it is")
    expect(page.locator(".popover-menu:popover-open")).to_have_count(0)
    page.unroute("**/menu")
    page.locator(".status [data-menu]").click()
    expect(page.locator(".popover-menu:popover-open")).to_be_visible()
    expected_errors += ["ERR_FAILED", "popover-menu"]
    page.route("**/popover-menu*", lambda route: route.abort())
    page.reload()
    page.locator(".status [data-menu]").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("More options for this post")


@pytest.mark.long
def test_a_press_closes_a_menu_the_html_is_copied_and_muting_leads_back(ann_at_bens: Page) -> None:
    page = ann_at_bens
    menu, opener = page.locator(".popover-menu:popover-open"), page.locator(".status [data-menu]")
    opener.click()
    expect(menu).to_be_visible()
    opener.click()
    expect(menu).to_have_count(0)
    opener.click()
    expect(menu).to_be_visible()
    page.mouse.click(5, 5)
    expect(menu).to_have_count(0)
    prepare(page)
    page.reload()
    menu = open_menu(page.locator(".status"))
    menu.get_by_text("Embed post").click()
    field = menu.get_by_role("textbox", name="HTML of the post")
    html = field.input_value()
    assert html.startswith("<iframe src=")
    menu.get_by_text("Embed post").press("ArrowDown")
    expect(field).to_be_focused()
    assert layout_faults(page, "the menu with the HTML", 1280) == []
    menu.get_by_role("button", name="Copy HTML").click()
    expect(page.locator(".toast")).to_have_text("HTML copied.")
    assert page.evaluate("navigator.clipboard.readText()") == html
    page.goto("/public")
    menu = open_menu(page.locator(".status"))
    menu.get_by_text("Mute @ben…").click()
    menu.get_by_role("button", name="For an hour").click()
    expect(page.locator(".notices")).to_have_text("@ben is muted.")
    expect(page).to_have_url("/public")
    expect(page.locator(".status")).to_have_count(0)


def test_the_html_of_a_post_is_shown_without_a_script(open_page: OpenPage) -> None:
    page = sign_up(open_page(scripts=False, width=390), "ann", post="a song")
    page.locator(".status [data-menu]").click()
    page.get_by_text("Embed post").click()
    field = page.get_by_role("textbox", name="HTML of the post")
    expect(field).to_have_value(re.compile("^<iframe src="))
    expect(field).not_to_be_editable()


@pytest.mark.parametrize("scripts", [long(True), False], ids=["with scripts", "without scripts"])
def test_a_member_is_reported_and_their_boosts_hidden_and_shown(
    open_page: OpenPage, scripts: bool
) -> None:
    add_post(add_member("cid"), "a song")
    ann, ben = open_page(scripts), open_page(scripts)
    start_session(ben, "ben")
    sign_up(ann, "ann", "/@ben")
    ann.get_by_role("button", name="Follow @ben", exact=True).click()
    expect(ann.get_by_role("button", name="Unfollow @ben")).to_be_visible()
    ben.goto("/public")
    ben.locator(".action-boost").click()
    expect(ben.locator(".action-boost")).to_have_attribute("aria-pressed", "true")
    ann.goto("/home")
    expect(ann.locator(".boosted")).to_have_count(1)
    ann.goto("/@ben")
    open_menu(ann.locator(".profile")).get_by_role("button", name="Hide boosts by @ben").click()
    expect(ann.locator(".notices")).to_have_text("Boosts by @ben won’t show on your home page.")
    expect(ann.locator(".boosted")).to_have_count(1)
    ann.goto("/home")
    expect(ann.locator(".boosted")).to_have_count(0)
    ann.goto("/@ben")
    open_menu(ann.locator(".profile")).get_by_role("button", name="Show boosts by @ben").click()
    ann.goto("/home")
    expect(ann.locator(".boosted")).to_have_count(1)

    open_menu(ann.locator(".status")).get_by_role("link", name="Report post…").click()
    expect(ann.get_by_role("heading", level=1)).to_have_text("Report post")
    expect(ann.locator(".status-body")).to_have_text("a song")
    ann.get_by_label("Harassment or bullying").check()
    ann.get_by_label("Tell us more (optional)").fill("It is out of tune.")
    ann.get_by_role("button", name="Send report").click()
    expect(ann.locator(".notices")).to_contain_text("Thanks for your report.")


def test_what_was_done_to_a_post_is_said_beside_it(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 390, "height": 400})
    sign_up(page, "ann", post="a song")
    for number in range(3):
        add_post(1, f"song {number}")
    page.reload()
    open_menu(page.locator(".status").last).get_by_role("button", name="Mute conversation").click()
    expect(page.locator(".notices")).to_contain_text("Conversation muted.")
    expect(page.locator(".notices")).to_be_in_viewport(ratio=1)
    expect(page.locator(".status:target")).to_be_in_viewport()


def test_a_visitor_gets_a_menu_without_what_needs_an_account(open_page: OpenPage) -> None:
    add_post(add_member("ann"), "a song")
    visitor = open_page()
    visitor.goto("/public")
    menu = open_menu(visitor.locator(".status"))
    expect(menu.locator("a, button").locator("visible=true")).to_have_text(
        ["Open post", "Copy link"]
    )
    assert visitor.evaluate(FOCUSED) == "Open post"
