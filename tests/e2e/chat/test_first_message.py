"""The first message of a chat between two people, on the page on which it is written."""

import pytest
from playwright.sync_api import Response, expect

from tests.e2e.chat.conftest import Visit, composer, message_texts, send
from tests.support.streaming.client import Scene
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("live site")]


def test_a_first_message_begins_the_chat_and_says_that_it_waits(scene: Scene, visit: Visit) -> None:
    cat = scene.join("cat")
    cid = direct_id(scene.ann, cat)
    page = visit(scene.ann, f"/chats/{cid}")
    refused: list[str] = []

    def on_response(response: Response) -> None:
        if response.status >= 400:
            refused.append(response.url)

    page.on("response", on_response)
    expect(page.get_by_text("No messages yet.")).to_be_visible()
    expect(page.locator(".chat-menu")).to_be_hidden()
    composer(page).press_sequentially("hello")
    send(page, "hello, Cat")
    expect(page.get_by_text("No messages yet.")).to_be_hidden()
    expect(message_texts(page)).to_have_text(["hello, Cat"])
    scene.apply_events()
    expect(page.locator("[data-request-waits]")).to_be_visible()
    expect(page.locator(".message-by")).not_to_be_in_viewport()
    assert refused == []
    page.locator(".chat-menu > summary").click()
    expect(page.get_by_role("button", name="Mute", exact=True)).to_be_visible()
    chat_state.accept_request(scene.site.db, cat, cid)
    expect(page.locator("[data-request-waits]")).to_be_hidden()
    expect(page.locator(f'[data-row="{cid}"]')).to_have_count(1)


def test_the_menu_of_a_message_is_a_sheet_on_phones(scene: Scene, visit: Visit) -> None:
    page = visit(scene.ann, viewport={"width": 390, "height": 800})
    send(page, "hello")
    page.locator(".message-menu > summary").click()
    sheet = page.locator(".message-acts").bounding_box()
    assert sheet and (sheet["x"], sheet["width"]) == (0, 390)
    assert sheet["y"] + sheet["height"] == 800
    page.mouse.click(200, 100)
    expect(page.locator(".message-acts")).to_be_hidden()


def test_whoever_reads_a_request_has_accepted_it(scene: Scene, visit: Visit) -> None:
    cat = scene.join("cat")
    cid = direct_id(scene.ann, cat)
    page = visit(scene.ann, f"/chats/{cid}")
    send(page, "hello, Cat")
    expect(page.locator("[data-request-waits]")).to_be_visible()
    other = visit(cat, f"/chats/{cid}")
    other.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("Seen", exact=True)).to_be_visible()
    assert page.locator("[data-request-waits]").is_hidden()
    expect(page.get_by_text("Here now")).to_be_visible()
