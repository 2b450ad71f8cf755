"""Open chats keep the reader's place, unread counts and receipts up to date."""

import re

import pytest
from playwright.sync_api import Request, expect

from tests.e2e.chat.conftest import (
    CHAT_PAGE,
    Visit,
    composer,
    message_texts,
    post_messages,
    send,
    until_listening,
)
from tests.e2e.live import SET_HIDDEN, accessibility_problems
from tests.support.chat import group, send_messages
from tests.support.processes import until
from tests.support.streaming.client import Scene
from webapp.chat import reading
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import membership

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("live site")]
# Collects notifications instead of showing them.
COLLECT_NOTIFICATIONS = """() => {
    window.notices = []
    window.Notification = class {
        static permission = "granted"
        constructor(...given) { notices.push(given) }
    }
}"""

# As on phones, where a page cannot make one.
LEAVE_THEM_TO_THE_WORKER = """() => {
    window.notices = []
    window.Notification = class {
        static permission = "granted"
        constructor() { throw new TypeError("Illegal constructor") }
    }
    const ready = Promise.resolve({ showNotification: (...given) => notices.push(given) })
    Object.defineProperty(navigator, "serviceWorker", { value: { ready } })
}"""
# As a page that the browser loads ahead, until it is shown.
LOAD_AHEAD = """() => {
    let isAhead = true
    for (const name of ["prerendering", "hidden"])
        Object.defineProperty(document, name, { get: () => isAhead })
    window.showPage = () => {
        isAhead = false
        document.dispatchEvent(new Event("visibilitychange"))
    }
}"""
# As many messages, and one more that the stream brings.
COME = """count => {
    const list = document.querySelector("[data-chat]")
    const made = Array.from({ length: count + 1 }, (_, at) => {
        const message = list.querySelector("#m12").cloneNode(true)
        message.id = `m${1001 + at}`
        message.dataset.message = 1001 + at
        return message
    })
    const last = made.pop()
    list.append(...made)
    const detail = { id: 1001 + count, html: last.outerHTML }
    document.dispatchEvent(new CustomEvent("linnet:message", { detail }))
}"""


def test_a_reader_keeps_their_place_and_sees_the_number_of_new_messages(
    scene: Scene, visit: Visit
) -> None:
    post_messages(
        scene, *(f"message {number}\n\n\n" + "and more\n" * 5 for number in range(CHAT_PAGE))
    )
    chat_state.mark_read(scene.site.db, scene.ben, scene.cid, CHAT_PAGE)
    ben = visit(scene.ben)
    box = ben.locator("[data-scroll]")
    jump = ben.locator("[data-jump]")
    expect(jump).to_be_hidden()
    expect(ben.locator("#m12")).to_be_in_viewport()
    box.evaluate("box => box.scrollTop = -400")
    expect(jump).to_have_text("Newest")
    position = (ben.locator("#m9").bounding_box() or {})["y"]
    post_messages(scene, "one more", "and another")
    expect(jump).to_have_text("2 new messages")
    # Parts of a pixel are rounded.
    assert (ben.locator("#m9").bounding_box() or {})["y"] == pytest.approx(position, abs=1)
    expect(ben.locator("#new + #m13")).to_have_count(1)
    assert scene.site.db.read(chat_state.unread(scene.ben)).total == 2
    jump.click()
    expect(jump).to_be_hidden()
    expect(ben.locator("#m14")).to_be_in_viewport()
    until(lambda: scene.site.db.read(chat_state.unread(scene.ben)).total == 0)


def test_a_page_that_is_loaded_ahead_marks_messages_as_read_once_it_is_shown(
    scene: Scene, visit: Visit
) -> None:
    post_messages(scene, "hello")
    unread = lambda: scene.site.db.read(chat_state.unread(scene.ben)).total
    page = visit(scene.ben, "/chats", listens=False)
    page.add_init_script(f"({LOAD_AHEAD})()")
    page.set_extra_http_headers({"Sec-Purpose": "prefetch;prerender"})
    page.goto(f"/chats/{scene.cid}")
    expect(message_texts(page)).to_have_text(["hello"])
    assert unread() == 1
    page.evaluate("() => showPage()")
    until(lambda: unread() == 0)


def test_older_messages_load_on_scroll(scene: Scene, visit: Visit) -> None:
    post_messages(scene, *(f"message {number}" for number in range(1, 31)))
    chat_state.mark_read(scene.site.db, scene.ben, scene.cid, 30)
    ben = visit(scene.ben)
    box = ben.locator("[data-scroll]")
    for shown in (12, 24, 30):
        expect(message_texts(ben).first).to_have_text(f"message {31 - shown}")
        box.evaluate("box => box.scrollTop = -box.scrollHeight")
    expect(message_texts(ben)).to_have_text([f"message {number}" for number in range(1, 31)])
    expect(ben.locator("[data-older]")).to_have_count(0)
    assert ben.locator(".divider-day").count() == 1


@pytest.mark.long
def test_a_chat_that_is_open_for_days_shows_its_newest_messages(scene: Scene, visit: Visit) -> None:
    post_messages(scene, *map(str, range(CHAT_PAGE)))
    ben = visit(scene.ben)
    ben.evaluate(COME, 300)
    expect(ben.locator("[data-message]")).to_have_count(300)
    expect(ben.locator("#m1301")).to_be_in_viewport()
    expect(ben.locator("#m12")).to_have_count(0)
    ben.locator("[data-scroll]").evaluate("box => box.scrollTop = -box.scrollHeight")
    expect(ben.locator("#m12")).to_have_count(1)
    expect(ben.locator("[data-message]")).to_have_count(300 + CHAT_PAGE)


def test_sending_among_older_messages_moves_to_the_newest(scene: Scene, visit: Visit) -> None:
    post_messages(scene, *(f"message {number}" for number in range(1, 41)))
    chat_state.mark_read(scene.site.db, scene.ben, scene.cid, 40)
    ben = visit(scene.ben, f"/chats/{scene.cid}?around=6")
    post_messages(scene, "far below")
    expect(ben.locator("[data-jump]")).to_be_visible()
    send(ben, "and below that")
    expect(message_texts(ben).last).to_have_text("and below that")
    expect(ben.locator("#m41")).to_be_visible()
    expect(ben.locator(".pending")).to_have_count(0)


def test_unread_messages_show_on_every_page_and_in_the_title(scene: Scene, visit: Visit) -> None:
    home, settings, chats, market = (
        visit(scene.ben, path) for path in ("/home", "/settings/profile", "/chats", "/market")
    )
    badge = "[data-badge=chats] > span:first-child"
    expect(home.locator("[data-badge=chats]")).to_be_hidden()
    post_messages(scene, "one", "two")
    for page in (home, settings, chats, market):
        expect(page.locator(badge)).to_have_text("2")
    expect(settings).to_have_title("(2) " + settings.title().removeprefix("(2) "))
    expect(chats.locator(f"[data-unread='{scene.cid}'] > span:first-child")).to_have_text("2")
    ben = visit(scene.ben)
    for page in (home, settings, chats, market, ben):
        expect(page.locator("[data-badge=chats]")).to_be_hidden()
    ben.evaluate(SET_HIDDEN, True)
    post_messages(scene, "three")
    expect(ben).to_have_title("(1) Larks · Linnet")
    ben.evaluate(SET_HIDDEN, False)
    expect(ben).to_have_title("Larks · Linnet")


@pytest.mark.long
def test_waiting_requests_count_on_every_page(scene: Scene, visit: Visit) -> None:
    site = scene.site
    home, chats = (visit(scene.ben, path) for path in ("/home", "/chats"))
    kit = scene.join("kit")
    cid = direct_id(kit, scene.ben)
    scene.do(send_messages, kit, cid, "do you know me?")
    for page in (home, chats):
        badge = page.locator("[data-badge=chats]")
        expect(badge.locator("span").first).to_have_text("1")
        expect(badge).to_have_text(re.compile("1 unread, including requests"))
    tab = chats.locator("[data-badge=requests]")
    expect(tab).to_have_text("1")
    chat_state.ignore_request(site, scene.ben, cid)
    for counter in (tab, home.locator("[data-badge=chats]"), chats.locator("[data-badge=chats]")):
        expect(counter).to_be_hidden()


@pytest.mark.long
def test_sending_a_message_marks_earlier_ones_read(scene: Scene, visit: Visit) -> None:
    ben = visit(scene.ben)
    post_messages(scene, "anybody?")
    expect(message_texts(ben)).to_have_text(["anybody?"])
    send(ben, "me")
    expect(message_texts(ben)).to_have_text(["anybody?", "me"])
    db = scene.site.db  # the page shows what it sends before it is stored
    until(lambda: db.read(reading.open_page(scene.ben, scene.cid, size=9)).last_read == 2)
    until(lambda: db.read(chat_state.unread(scene.ben)).by_chat == {scene.cid: 0})


@pytest.mark.long
def test_messages_of_the_open_chat_do_not_reload_the_inbox(scene: Scene, visit: Visit) -> None:
    other = scene.do(group, scene.ann, [scene.ben])
    chat_state.mark_read(scene.site.db, scene.ben, other, 0)
    ben = visit(scene.ben)
    ben.evaluate("window.badges = 0; document.addEventListener('linnet:badge', () => badges++)")
    loads: list[str] = []

    def on_request(request: Request) -> None:
        if "before=1" in request.url:
            loads.append(request.url)

    ben.on("request", on_request)
    for number in range(3):
        post_messages(scene, f"message {number}")
        until(lambda: scene.site.db.read(chat_state.unread(scene.ben)).total == 0)
    ben.wait_for_function("() => badges >= 2")
    # The only load is for the other chat. Loads for the open chat would have come before it.
    scene.do(send_messages, scene.ann, other, "over here")
    expect(ben.locator(f"[data-row='{other}'] .chat-row-preview")).to_contain_text("over here")
    assert len(loads) == 1


def test_a_hidden_page_sends_notifications_and_messages_are_announced(
    scene: Scene, visit: Visit
) -> None:
    ben = visit(scene.ben, permissions=["notifications"])
    ben.evaluate(COLLECT_NOTIFICATIONS)
    post_messages(scene, "in plain sight")
    expect(ben.locator("[data-spoken]")).to_have_text("Ann: in plain sight")
    ben.evaluate(SET_HIDDEN, True)
    post_messages(scene, "out of sight")
    expect(message_texts(ben)).to_have_text(["in plain sight", "out of sight"])
    expected = ["Ann: out of sight"]
    assert ben.evaluate("notices.map(([by, { body }]) => `${by}: ${body}`)") == expected
    ben.evaluate(LEAVE_THEM_TO_THE_WORKER)
    post_messages(scene, "on a phone")
    expect(message_texts(ben).last).to_have_text("on a phone")
    expected = [["Ann", "on a phone", ben.url]]
    assert ben.evaluate("notices.map(([by, { body, data }]) => [by, body, data.url])") == expected
    ben.evaluate(SET_HIDDEN, False)
    chat_state.mute(scene.site.db, scene.ben, scene.cid)
    ben.reload()
    until_listening(ben)
    ben.evaluate(COLLECT_NOTIFICATIONS)
    ben.evaluate(SET_HIDDEN, True)
    post_messages(scene, "muted")
    expect(message_texts(ben).last).to_have_text("muted")
    assert ben.evaluate("notices") == []


@pytest.mark.long
def test_reading_a_request_sends_no_receipt(scene: Scene, visit: Visit) -> None:
    kit = scene.join("kit")
    scene.do(membership.add, scene.ann, scene.cid, [kit])
    page = visit(kit)
    page.clock.install()
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url.rpartition("/")[2]))
    [sent] = post_messages(scene, "hello kit")
    expect(message_texts(page)).to_have_text(["hello kit"])
    page.evaluate(SET_HIDDEN, True)
    page.evaluate(SET_HIDDEN, False)
    page.clock.run_for(5_000)  # long enough to send a receipt
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("button", name="Accept")).to_have_count(0)
    assert "read" not in requested[: requested.index("accept")]
    page_of_ann = reading.open_page(scene.ann, scene.cid, size=1)
    until(lambda: scene.site.db.read(page_of_ann).read_positions.get(kit) == sent)


@pytest.mark.long
def test_a_removed_member_leaves_the_chat(scene: Scene, visit: Visit) -> None:
    ben = visit(scene.ben)
    scene.do(membership.remove, scene.ann, scene.cid, scene.ben)
    ben.wait_for_url("**/chats")


def test_a_chat_fits_a_phone(scene: Scene, visit: Visit) -> None:
    post_messages(scene, *(f"message {number} " + "sings " * 30 for number in range(6)))
    phone = visit(scene.ben, viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    expect(phone.locator("#m6")).to_be_in_viewport()
    composer(phone).fill("from a branch")
    phone.get_by_role("button", name="Send").click()
    expect(message_texts(phone).last).to_have_text("from a branch")
    expect(phone.locator("#m7")).to_be_in_viewport()
    needed, given = phone.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert needed <= given


def test_content_added_by_scripts_is_accessible_in_both_colour_schemes(
    scene: Scene, visit: Visit
) -> None:
    post_messages(scene, *(f"message {number}\n" * 8 for number in range(CHAT_PAGE)))
    chat_state.mark_read(scene.site.db, scene.ben, scene.cid, CHAT_PAGE)
    for width in (360, 1280):
        page = visit(scene.ben, viewport={"width": width, "height": 800}, reduced_motion="reduce")
        page.route("**/messages", lambda route: route.abort())
        send(page, "will not go")
        expect(page.locator(".pending [data-state]")).to_have_text("Not sent")
        page.locator("[data-scroll]").evaluate("box => box.scrollTop = -500")
        post_messages(scene, "new")
        expect(page.locator("[data-jump]")).to_have_text("1 new message")
        assert accessibility_problems(page) == []


@pytest.mark.long
def test_alt_and_an_arrow_key_switch_chats(scene: Scene, visit: Visit) -> None:
    post_messages(scene, "first")
    other = scene.do(group, scene.ben)
    ben = visit(scene.ben)
    ben.keyboard.press("Alt+ArrowUp")
    ben.wait_for_url(f"**/chats/{other}")
    until_listening(ben)
    ben.keyboard.press("Alt+ArrowDown")
    ben.wait_for_url(f"**/chats/{scene.cid}")
