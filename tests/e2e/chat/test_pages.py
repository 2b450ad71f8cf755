"""Pages of chats fit every width, are accessible, and need neither mouse nor scripts."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import long
from tests.e2e import measurements
from tests.e2e.conftest import OpenPage, add_pictures, fill, sign_up, start_session
from tests.e2e.keyboard import activate, assert_focus_is_clear, tab_to
from tests.support.chat_pages import png_file
from tests.support.long_chats import LongChats, create_long_chats
from tests.support.world import Web
from webapp.accounts.sessions import store as sessions

PARTS = (".message-bubble", ".message-menu > summary")
MENUS = (".message-menu > summary", ".chat-menu > summary")
CONTROLS = ("button:not(.reaction)", ".button", "textarea", "nav", "summary", "svg.avatar")
MESSAGES_MAX = 20  # on a page whose every element is visited
OpenSignedIn = Callable[..., Page]


@pytest.fixture
def chats(web: Web) -> LongChats:
    """Chats that are hard to lay out."""
    return create_long_chats(web)


@pytest.fixture
def open_signed_in(open_page: OpenPage, web: Web, site: str, chats: LongChats) -> OpenSignedIn:
    """Return a function that opens a page as the member of the chats."""

    def open_(**options: Any) -> Page:
        page = open_page(**options)
        cookie = {
            "name": "linnet",
            "value": sessions.start(web, chats.uid),
            "url": site,
        }
        page.context.add_cookies([cookie])  # type: ignore[list-item]
        return page

    return open_


# Each language at one width: only the words differ.
@pytest.mark.long
@pytest.mark.parametrize(("locale", "width"), [("en-US", 1280), ("zh-CN", 390)])
def test_every_page_of_chats_fits_is_stable_and_accessible(
    open_signed_in: OpenSignedIn, chats: LongChats, locale: str, width: int
) -> None:
    size = {"width": width, "height": measurements.HEIGHT}
    page = open_signed_in(locale=locale, reduced_motion="reduce", viewport=size)
    measurements.prepare(page)
    faults: list[measurements.Fault] = []
    for path in chats.paths:
        page.goto(path)
        faults += measurements.movements(page, path, shift_max=0.001)
        faults += measurements.layout_faults(page, path, width)
    page.goto(chats.group_path)
    picture = {"name": "a.png", "mimeType": "image/png", "buffer": png_file().read()}
    add_pictures(page, *[picture] * 4)
    faults += measurements.layout_faults(page, "four pictures", width)
    for menu in MENUS:
        page.locator(menu).last.click()
        faults += measurements.accessibility_faults(page, menu, width)
        page.keyboard.press("Escape")
    assert faults == []


@pytest.mark.parametrize("width", [390, long(1280)])
def test_an_open_chat_fills_the_window_and_shows_its_end(
    open_signed_in: OpenSignedIn, chats: LongChats, width: int
) -> None:
    page = open_signed_in(viewport={"width": width, "height": 800}, java_script_enabled=True)
    for path in chats.paths:
        if not re.match(r"/chats/\d+(-\d+)?($|\?newest)", path):
            continue
        page.goto(path)
        overflow = page.evaluate("document.documentElement.scrollHeight - innerHeight")
        assert overflow <= 0, path
        expect(page.locator(".chat-foot")).to_be_in_viewport(ratio=1)
        if "unread" not in page.url:
            expect(page.locator(".messages > .message:not(.pending)").last).to_be_in_viewport()


@pytest.mark.long
@pytest.mark.parametrize("width", [390, 1280])
def test_every_focusable_element_of_chats_is_named_visible_outlined_and_in_order(
    open_signed_in: OpenSignedIn, chats: LongChats, width: int
) -> None:
    page = open_signed_in(viewport={"width": width, "height": 800}, reduced_motion="reduce")
    for path in chats.paths:
        if "newest" in path:
            continue
        page.goto(path)
        if page.locator(".messages > .message").count() <= MESSAGES_MAX:
            assert_focus_is_clear(page, path, count_min=8)


@pytest.mark.long
def test_two_members_chat_with_the_keyboard_and_without_scripts(open_page: OpenPage) -> None:
    wren, finch = (open_page(scripts=False) for _ in range(2))
    start_session(wren, "wren")
    sign_up(finch, "finch", "/@wren")
    activate(finch, "Follow @wren")
    wren.goto("/chats")
    activate(wren, "New group chat")
    words = {"Name of the group chat": "Hedge", "Find people": "@finch"}
    fill(wren, **words, **{"First message (optional)": "Welcome @finch"})
    activate(wren, "Find")
    expect(wren.locator(".picker .person")).to_have_count(1)
    tab_to(wren, "Finch @finch")
    wren.keyboard.press("Space")
    activate(wren, "Create group chat")
    expect(wren.get_by_role("heading", level=1)).to_have_text("Hedge")
    finch.goto("/home")
    tab_to(finch, "Notifications 1 unread")
    finch.keyboard.press("Enter")
    expect(finch.locator(".notification-head > span:first-child")).to_have_text(
        "New: Wren mentioned you in a chat"
    )
    finch.goto("/home")
    expect(finch.locator("[data-badge=chats]")).to_have_text(re.compile("1"))
    tab_to(finch, "Chats 1 unread, including requests")
    finch.keyboard.press("Enter")
    finch.locator(".chat-row a").focus()
    finch.keyboard.press("Enter")
    expect(finch.locator(".divider-new")).to_be_visible()
    tab_to(finch, "Actions for a message by Wren")
    finch.keyboard.press("Enter")
    activate(finch, "React with 👍")
    expect(finch.locator(".reaction")).to_have_attribute("aria-pressed", "true")
    expect(finch).to_have_url(re.compile("#m1$"))
    tab_to(finch, "Actions for a message by Wren")
    finch.keyboard.press("Enter")
    activate(finch, "Reply")
    expect(finch.get_by_label("Message", exact=True)).to_be_focused()
    finch.keyboard.type("Thank you")
    activate(finch, "Send")
    expect(finch.locator(".mine .message-text")).to_have_text("Thank you")
    expect(finch.locator(".mine .message-quote")).to_contain_text("Welcome")
    finch.locator(".mine .message-menu > summary").focus()
    bubble, menu = (finch.locator(f".mine {one}").bounding_box() for one in PARTS)
    assert bubble and menu and 0 <= bubble["x"] - menu["x"] - menu["width"] < 16, "side by side"
    finch.keyboard.press("Enter")
    activate(finch, "Edit")
    expect(finch.get_by_text("Edit message")).to_be_visible()
    expect(finch.get_by_label("Message", exact=True)).to_be_focused()
    finch.keyboard.type("! ")
    activate(finch, "Save")
    expect(finch.locator(".mine .message-edited")).to_be_visible()
    finch.locator(".mine .message-menu > summary").focus()
    finch.keyboard.press("Enter")
    activate(finch, "Delete")
    activate(finch, "Delete for everyone")
    expect(finch.get_by_text("Message deleted for everyone.")).to_be_visible()
    wren.reload()
    expect(wren.locator(".message.gone .message-text")).to_have_text("Message deleted")
    expect(wren.locator(".seen")).to_have_count(1)


@pytest.mark.long
def test_a_printed_chat_has_the_messages(open_signed_in: OpenSignedIn, chats: LongChats) -> None:
    page = open_signed_in(color_scheme="dark")
    page.goto(chats.group_path)
    page.emulate_media(media="print")
    for control in CONTROLS:
        assert page.locator(f"{control}:visible").count() == 0, control
    assert page.locator(".message-text:visible").count() >= 6
    assert page.locator("h1:visible").count() == 1
