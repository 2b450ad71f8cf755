"""The pages of chats in a browser: every width, language and theme, the keyboard alone, and without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import PASSWORD
from tests.e2e.conftest import OpenPage, fill, join
from tests.e2e.test_appearance import (
    LANGUAGES,
    LOGIN,
    LONG,
    MOVING,
    SHIFTED,
    faults,
    look_closely,
    noise,
    problems,
)
from tests.e2e.test_keyboard import activate, stops, tab_to
from tests.support import worker
from tests.support.chat import draft, key, say
from webapp.accounts import registration
from webapp.accounts.sessions import store as sessions
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import groups
from webapp.chat.messages import sending
from webapp.chat.models import Card, Picture
from webapp.config import Config
from webapp.core.media import storage as media
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.statuses.store import post

Furnished = tuple[Page, list[str]]
MENUS = ".chat-attach > summary", ".message-menu > summary", ".chat-menu > summary"


@pytest.fixture(params=list(LANGUAGES))
def locale(request: pytest.FixtureRequest) -> str:
    """What the browser asks for."""
    return LANGUAGES[request.param]


@pytest.fixture
def furnish(open_page: OpenPage, settings: Config, site: str) -> Callable[..., Furnished]:
    """Makes chats with all that is hard to lay out; opens their owner's browser, and says which pages it can see."""

    def make(**options: Any) -> Furnished:
        db = connect(settings)
        wren, ann, far = (
            registration.sign_up(db, settings, login, login * 3, PASSWORD).uid
            for login in ("wren", LOGIN, "far")
        )
        for one, other in ((wren, LOGIN), (ann, "wren"), (far, "wren")):
            following.follow(db, settings, one, other)
        status = post(db, settings, ann, parse(LONG, 280), "form-0001")
        worker.drain(db, settings)
        cid = groups.create(
            db, settings, wren, "private", "W" * 60, [ann], draft("W" * 400), key(), topic="W" * 200
        )
        say(
            db,
            settings,
            ann,
            cid,
            "one\n\ntwo",
            f"@wren https://example.com/{'w' * 200}",
            "שלום 世界 😀",
        )
        name, width, height = media.save_in_chat(
            settings, cid, noise(800, 1600), "image/jpeg", "salt"
        )
        pictures = tuple(Picture(name, width, height, "W" * 200) for _ in range(3))
        for more in (
            {"pictures": pictures},
            {"card": Card(status, ann)},
            {"card": Card(4096, ann)},
            {"reply_to": 1},
        ):
            sending.send(db, settings, wren, cid, draft("see", **more), key())
        for emoji in ("👍", "🎉", "❤️"):
            sending.react(db, settings, ann, cid, 1, emoji, True)
        sending.delete(db, settings, ann, cid, 2)
        sending.edit(db, settings, wren, cid, 1, "W" * 300, ())
        chat_state.mark_read(db, ann, cid, 20)
        long = groups.create(db, settings, ann, "announcement", "News", [wren], None, key())
        say(db, settings, ann, long, *(f"note {number}" for number in range(60)))
        sending.send(db, settings, far, direct_id(wren, far), draft("a request"), key())
        sending.send(db, settings, ann, direct_id(wren, ann), draft("hello"), key())
        worker.drain(db, settings)
        chat_state.mute(db, wren, direct_id(wren, ann))
        page = open_page(**options)
        page.context.add_cookies(
            [{"name": "linnet", "value": sessions.start(db, settings, wren), "url": site}]
        )
        db.close()
        queries = (
            "",
            "?reply=1",
            "?edit=1",
            "?react=3",
            "?report=3",
            "?before=5",
            "/people",
            "/settings",
        )
        others = (
            "/chats",
            "/chats/requests",
            "/chats/archived",
            "/chats/new",
            f"/chats/forward?status={status}",
        )
        rest = (
            f"/chats/{long}",
            f"/chats/{long}?newest=1",
            f"/chats/{direct_id(wren, far)}",
            "/chats/@far",
        )
        return page, [*others, *(f"/chats/{cid}{query}" for query in queries), *rest]

    return make


def test_every_page_of_chats_fits_shifts_nothing_moves_nothing_and_is_for_everybody(
    furnish: Callable[..., Furnished], locale: str
) -> None:
    width = (
        1280 if locale.startswith("en") else 390
    )  # each language at one of the two: a page's words are its own
    page, paths = furnish(
        locale=locale, reduced_motion="reduce", viewport={"width": width, "height": 800}
    )
    look_closely(page)
    found: list[Any] = []
    for path in paths:
        page.goto(path)
        shifted = page.evaluate(SHIFTED)
        if shifted >= 0.001:
            found.append((path, "shifts", shifted))
        found += [(path, "moves", one) for one in page.evaluate(MOVING)]
        found += faults(page, path, width)
    chat = next(path for path in paths if re.fullmatch(r"/chats/\d+", path))
    page.goto(chat)
    for menu in MENUS:
        page.locator(menu).last.click()
        found += problems(page, menu)
    assert found == []


@pytest.mark.parametrize("width", [390, 1280])
def test_an_open_chat_fills_the_window_and_its_end_is_seen(
    furnish: Callable[..., Furnished], width: int
) -> None:
    page, paths = furnish(viewport={"width": width, "height": 800}, java_script_enabled=True)
    for path in (path for path in paths if re.match(r"/chats/\d+(-\d+)?($|\?newest)", path)):
        page.goto(path)
        tall = page.evaluate("document.documentElement.scrollHeight - innerHeight")
        assert tall <= 0, path
        expect(page.locator(".chat-foot")).to_be_in_viewport(ratio=1)
        if "unread" not in page.url:
            expect(page.locator(".messages > .message:not(.pending)").last).to_be_in_viewport()


@pytest.mark.parametrize("width", [390, 1280])
def test_every_stop_of_chats_is_named_seen_marked_and_in_order(
    furnish: Callable[..., Furnished], width: int
) -> None:
    page, paths = furnish(viewport={"width": width, "height": 800}, reduced_motion="reduce")
    for path in (path for path in paths if "newest" not in path):
        page.goto(path)
        if page.locator(".messages > .message").count() > 20:
            continue  # as others, and long
        page.locator(".skip").focus()
        found = stops(page)
        assert len(found) >= 8, path
        for stop in found:
            assert all(stop[part] for part in ("name", "seen", "uncovered", "marked")), (path, stop)
        places = [stop["order"] for stop in found]
        assert places == sorted(places), path


def test_two_birds_talk_by_hand_and_without_scripts(open_page: OpenPage) -> None:
    wren, finch = (open_page(java_script_enabled=False) for _ in range(2))
    join(wren, "wren")
    join(finch, "finch")
    finch.goto("/@wren")
    activate(finch, "Follow @wren")
    wren.goto("/chats")
    activate(wren, "Start a group")
    fill(wren, **{"Name of the group": "Hedge", "People": "@finch", "Message": "Welcome @finch"})
    activate(wren, "Make the group")
    expect(wren.get_by_role("heading", level=1)).to_have_text("Hedge")
    finch.goto("/home")
    tab_to(finch, "Notifications 1 unread")
    finch.keyboard.press("Enter")
    expect(finch.locator(".told-head > span:first-child")).to_have_text(
        "New: Wren mentioned you in a chat"
    )
    finch.goto("/home")
    expect(finch.locator("[data-badge=chats]")).to_have_text(re.compile("1"))
    tab_to(finch, "Chats 1 unread")
    finch.keyboard.press("Enter")
    finch.locator(".chat-row a").focus()
    finch.keyboard.press("Enter")
    expect(finch.locator(".divider-new")).to_be_visible()
    tab_to(finch, "Actions for the message by Wren")
    finch.keyboard.press("Enter")
    activate(finch, "React with 👍")
    expect(finch.locator(".reaction")).to_have_attribute("aria-pressed", "true")
    expect(finch).to_have_url(re.compile("#m1$"))
    tab_to(finch, "Actions for the message by Wren")
    finch.keyboard.press("Enter")
    activate(finch, "Reply")
    expect(finch.get_by_label("Message", exact=True)).to_be_focused()
    finch.keyboard.type("Thank you")
    activate(finch, "Send")
    expect(finch.locator(".mine .message-text")).to_have_text("Thank you")
    expect(finch.locator(".mine .message-quote")).to_contain_text("Welcome")
    finch.locator(".mine .message-menu > summary").focus()
    finch.keyboard.press("Enter")
    activate(finch, "Edit")
    expect(finch.get_by_text("Edit your message")).to_be_visible()
    expect(finch.get_by_label("Message", exact=True)).to_be_focused()
    finch.keyboard.type("! ")
    activate(finch, "Save")
    expect(finch.locator(".mine .message-edited")).to_be_visible()
    finch.locator(".mine .message-menu > summary").focus()
    finch.keyboard.press("Enter")
    activate(finch, "Delete")
    activate(finch, "Delete for everyone")
    expect(finch.get_by_text("The message was deleted for everyone.")).to_be_visible()
    wren.reload()
    expect(wren.locator(".message.gone .message-text")).to_have_text("Message deleted")
    expect(wren.locator(".seen")).to_have_count(1)


def test_paper_gets_the_words_of_a_chat(furnish: Callable[..., Furnished]) -> None:
    page, paths = furnish(color_scheme="dark")
    chat = next(path for path in paths if re.fullmatch(r"/chats/\d+", path))
    page.goto(chat)
    page.emulate_media(media="print")
    for control in ("button:not(.reaction)", ".button", "textarea", "nav", "summary", "svg.avatar"):
        assert page.locator(f"{control}:visible").count() == 0, control
    assert page.locator(".message-text:visible").count() >= 6
    assert page.locator("h1:visible").count() == 1
