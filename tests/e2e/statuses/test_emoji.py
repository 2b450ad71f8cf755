"""Test the emoji picker in a browser: with the keyboard and a pointer, in both languages."""

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, set_language, sign_up, start_session
from tests.e2e.keyboard import press_while_composing

WORDS = {
    "en": ("What’s happening?", "Add an emoji", "Hands", "thumbs up", "tears of joy"),
    "zh": ("有什么新鲜事？", "添加表情", "手势", "赞", "笑哭"),
}


@pytest.mark.parametrize("language", ["en", long("zh")])
def test_an_emoji_is_inserted_at_the_caret(open_page: OpenPage, language: str) -> None:
    text_label, part, group, thumb, joy = WORDS[language]
    page = open_page(width=390)
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    start_session(page, "ann")
    set_language(page, language)
    page.goto("/home")
    assert not any("/emoji" in url for url in requested)
    text = page.get_by_label(text_label)
    text.fill("well done")
    for _ in range(5):
        text.press("ArrowLeft")
    summary = page.locator("summary").filter(has_text=part)
    summary.click()
    first = page.locator(".emoji-grid button").first
    search = page.locator(".composer-emoji input")
    expect(search).to_be_focused()
    press_while_composing(search, "Escape", isComposing=True)
    expect(search).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(first).to_be_focused()
    assert page.locator(".emoji-grid button").count() >= 100
    for key in ("ArrowRight",) * 5:
        page.keyboard.press(key)
    expect(page.get_by_role("button", name=joy)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(text).to_have_value("well😂 done")
    expect(text).to_be_focused()
    summary.click()
    expect(search).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name=joy)).to_be_focused()
    page.keyboard.press("Home")
    expect(first).to_be_focused()
    page.keyboard.press("Escape")
    expect(summary).to_be_focused()
    summary.click()
    page.get_by_role("group", name=group).get_by_role("button", name=thumb, exact=True).click()
    expect(text).to_have_value("well😂👍 done")
    expect(first).to_be_hidden()


def test_emoji_are_found_by_their_names_in_both_languages(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "ann")
    page.get_by_label("What’s happening?").fill("lunch: ")
    page.locator(".composer-emoji > summary").click()
    shown = page.locator(".emoji-grid button:visible")
    for words, found in (("PIZZA", "🍕"), ("披萨", "🍕"), ("heart red", "❤️")):
        page.get_by_label("Search emoji").fill(words)
        expect(shown).to_have_text([found])
    page.get_by_label("Search emoji").fill("xyzzy")
    expect(page.get_by_text("No emoji has that name.")).to_be_visible()
    page.get_by_label("Search emoji").fill("pizza")
    expect(shown).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_label("What’s happening?")).to_have_value("lunch: 🍕")


def test_without_scripts_there_is_no_empty_picker(open_page: OpenPage) -> None:
    page = sign_up(open_page(scripts=False), "ann")
    expect(page.locator(".composer-emoji")).to_be_hidden()


def test_an_opening_asks_again_for_a_script_that_did_not_come(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    page = sign_up(open_page(), "ann")
    expected_errors += ["ERR_FAILED", "emoji"]
    page.route("**/emoji.*.js", lambda route: route.abort(), times=1)
    summary = page.locator("summary").filter(has_text="Add an emoji")
    with page.expect_event("requestfailed"):
        summary.click()
    summary.click()
    summary.click()
    expect(page.locator(".emoji-grid button").first).to_be_visible()
