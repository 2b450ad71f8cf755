"""Search in chats with the keyboard alone, on a phone, without scripts."""

from playwright.sync_api import expect

from tests.e2e import measurements
from tests.e2e.conftest import OpenPage, sign_up


def test_a_message_is_found_from_the_list_and_from_its_chat(open_page: OpenPage) -> None:
    page = sign_up(open_page(scripts=False, width=390), "wren", "/chats/new")
    page.locator("[name=name]").fill("Hedge")
    page.locator("[name=text]").fill("Two herons in the reeds")
    page.locator("main form button.button:not(.button-quiet)").last.click()
    expect(page.locator("#m1")).to_be_visible()
    chat_url = page.url
    page.goto("/chats/search")
    page.get_by_role("searchbox", name="Search messages").fill("heron")
    page.keyboard.press("Enter")
    expect(page.locator(".chat-hit")).to_have_count(1)
    assert not measurements.overflows(page)
    page.locator(".chat-hit a").press("Enter")
    expect(page).to_have_url(f"{chat_url}?around=1#m1")
    page.locator(".chat-menu > summary").press("Enter")
    box = page.get_by_role("searchbox", name="Search in this chat")
    box.fill("crane")
    box.press("Enter")
    expect(page.get_by_role("heading", name="No results for “crane”")).to_be_visible()
    expect(page.get_by_role("searchbox", name="Search in Hedge")).to_have_value("crane")
