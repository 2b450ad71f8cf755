"""The first steps and suggestions in a browser: with scripts, without, and by keyboard alone."""

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import PASSWORD, long
from tests.e2e.conftest import OpenPage, fill, log_out, sign_up
from tests.support.chat_pages import png_file

# Return, for each press, whether a script has refused it.
PRESS_TWICE = """() => {
    const refused = []
    addEventListener("submit", event => refused.push(event.defaultPrevented))
    const button = document.querySelector(".card .button-wide")
    button.click()
    button.click()
    return refused
}"""
WIDE = {"width": 1400, "height": 900}


def fill_site(page: Page) -> None:
    """Let two members be there before, one of whom posts under a hashtag."""
    for login in ("wren", "finch"):
        sign_up(page, login, post=f"{login} here #reeds")
        log_out(page)


def begin(page: Page, login: str = "robin") -> None:
    """Sign up from the profile of another member, up to the first step."""
    page.goto("/@wren")
    page.get_by_role("link", name="Sign up").last.click()
    fill(page, Username=login, Display_name=login.title(), Password=PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Choose topics")


def expect_step(page: Page, heading: str, progress: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)
    expect(page.locator(".welcome-progress")).to_have_text(progress)


def test_pressing_twice_signs_up_once(open_page: OpenPage) -> None:
    page = open_page()
    page.goto("/signup")
    fill(page, Username="robin", Display_name="Robin", Password=PASSWORD)
    page.wait_for_load_state()
    assert page.evaluate(PRESS_TWICE) == [False, True], "the second press is refused"
    expect(page.locator(".welcome-progress")).to_be_visible()


@pytest.mark.parametrize("with_scripts", [True, long(False)])
def test_all_steps_lead_back_to_where_the_visitor_was(
    open_page: OpenPage, with_scripts: bool
) -> None:
    fill_site(open_page())
    page = open_page(with_scripts)
    begin(page)
    expect_step(page, "Choose topics", "1 of 5")
    page.get_by_label("#reeds").check()
    page.get_by_role("button", name="Follow and continue").click()
    expect_step(page, "Follow some people", "2 of 5")
    page.get_by_role("button", name="Follow @wren", exact=True).click()
    expect(page.locator(".suggestion")).to_have_count(1)
    expect_step(page, "Follow some people", "2 of 5")
    page.get_by_role("link", name="Continue").click()
    expect_step(page, "Add a picture", "3 of 5")
    picture = {"name": "a.png", "mimeType": "image/png", "buffer": png_file().read()}
    page.locator(".welcome [type=file]").set_input_files([picture])
    page.get_by_role("button", name="Save and continue").click()
    expect_step(page, "Get recovery codes", "4 of 5")
    page.get_by_role("button", name="Get recovery codes").click()
    expect(page.locator(".secret li")).to_have_count(10)
    page.get_by_role("link", name="I’ve kept them safe").click()
    expect_step(page, "Write your first post", "5 of 5")
    page.locator(".composer-input").fill("hello everyone")
    page.locator(".composer-send button").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You’re all set")
    page.get_by_role("button", name="Back to where you were").click()
    page.wait_for_url("**/@wren")
    page.goto("/home")
    expect(page.locator(".welcome-offer")).to_have_count(0)
    expect(page.get_by_text("hello everyone")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("with_scripts", [long(True), False])
def test_steps_that_are_left_are_not_offered_again(open_page: OpenPage, with_scripts: bool) -> None:
    fill_site(open_page())
    page = open_page(with_scripts)
    begin(page)
    page.get_by_role("link", name="Skip", exact=True).last.click()
    expect_step(page, "Follow some people", "2 of 5")
    page.get_by_role("button", name="Follow all").click()
    expect_step(page, "Add a picture", "3 of 5")
    page.get_by_role("button", name="Skip all").click()
    page.wait_for_url("**/@wren")
    expect(page.get_by_role("button", name="Unfollow @wren")).to_be_visible()
    page.goto("/home")
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")
    expect(page.locator(".welcome-offer")).to_have_count(0)


@pytest.mark.long
def test_the_steps_are_taken_by_keyboard_alone(open_page: OpenPage) -> None:
    page = open_page()
    fill_site(page)
    begin(page)
    page.get_by_label("#reeds").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Follow and continue")).to_be_focused()
    page.keyboard.press("Enter")
    expect_step(page, "Follow some people", "2 of 5")
    page.locator(".suggestion a").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".suggestion")).to_have_count(1)
    expect(page.locator(".suggestion .follow button").first).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Choose topics")


def test_the_card_beside_home_follows_and_dismisses_in_place(open_page: OpenPage) -> None:
    page = open_page(viewport=WIDE)
    fill_site(page)
    sign_up(page, "robin")
    rows = page.locator(".suggestions-card .suggestion")
    expect(rows).to_have_count(2)
    page.evaluate("window.marked = true")
    rows.filter(has_text="@wren").get_by_role("button", name="Don’t suggest @wren").click()
    expect(rows).to_have_count(1)
    rows.get_by_role("button", name="Follow @finch", exact=True).click()
    expect(rows).to_have_count(0)
    assert page.evaluate("window.marked === true"), "the page stayed"
    page.reload()
    expect(page.get_by_role("link", name="Find people to follow")).to_be_visible()
    expect(rows).to_have_count(0)


@pytest.mark.long
def test_narrow_screens_do_not_ask_for_the_card(open_page: OpenPage) -> None:
    page = open_page(width=390)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    sign_up(page, "robin")
    page.goto("/home", wait_until="networkidle")
    assert any("/js/explore/suggestions." in url for url in asked)
    assert not [url for url in asked if url.endswith("/few") or "suggestions-card" in url]
