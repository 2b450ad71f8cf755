"""Two browsers exchange messages, each once and in order, also after failures."""

import secrets
from io import BytesIO

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.chat.conftest import Visit, composer, message_texts, post_messages, send
from tests.e2e.keyboard import press_while_composing
from tests.support.animations import animation
from tests.support.chat import draft
from tests.support.live_site import LiveSite
from tests.support.processes import until
from tests.support.streaming.client import Scene
from webapp.chat.message_text import parse_message
from webapp.chat.messages import sending
from webapp.chat.models import Content, Picture
from webapp.core.media import storage as media

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("live site")]


def test_two_browsers_exchange_messages_in_order(scene: Scene, visit: Visit) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    texts = []
    for number in range(3):
        for page, name in ((ann, "ann"), (ben, "ben")):
            texts.append(f"{name} says {number}")
            send(page, texts[-1])
            for other in (ann, ben):
                expect(message_texts(other)).to_have_text(texts)
    for page in (ann, ben):
        expect(page.locator(".pending")).to_have_count(0)
        expect(page.locator(".mine .message-text")).to_have_count(3)
        numbers = page.locator("[data-message]").evaluate_all(
            "elements => elements.map(element => element.dataset.message)"
        )
        assert numbers == ["1", "2", "3", "4", "5", "6"]
    # A page announces at most every three seconds that its member types.
    typing = ben.locator("[data-typing]")
    until(lambda: composer(ann).press(".") or typing.is_visible())
    expect(typing).to_have_text("Ann is typing …")
    expect(ben.locator("[data-present]")).to_be_visible()


@pytest.mark.long
def test_an_animation_that_arrives_plays_and_stops_at_a_press(
    scene: Scene, visit: Visit, live_site: LiveSite
) -> None:
    page = visit(scene.ann)
    site = live_site
    cid = str(scene.cid)
    saved = media.save_in_chat(
        site.config, media.new_in_chat(cid), BytesIO(animation(size=(300, 200)))
    )
    picture = Picture(saved.name, saved.width, saved.height, "A light", saved.animated)
    sending.send(site, scene.ben, cid, Content(pictures=(picture,)), secrets.token_urlsafe(12))
    button = page.get_by_role("button", name="Play GIF: A light", exact=True)
    for plays in (True, False, True):
        expect(button).to_have_attribute("aria-pressed", str(plays).lower())
        expect(button.locator(".animation:visible")).to_have_count(int(plays))
        expect(button.locator("img").first).to_have_css(
            "visibility", "hidden" if plays else "visible"
        )
        button.press("Enter")
    page.reload()
    expect(button.locator(".animation")).to_be_visible()


def test_messages_sent_while_the_stream_process_is_dead_arrive_once(
    scene: Scene, visit: Visit
) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    send(ann, "before")
    for page in (ann, ben):
        expect(message_texts(page)).to_have_text(["before"])
    assert scene.program
    scene.program.kill()
    send(ann, "meanwhile")
    expect(ann.locator(".pending [data-state]")).to_have_text("Sent")
    post_messages(scene, "and this", uid=scene.ben)
    scene.begin()
    for page in (ann, ben):
        expect(message_texts(page)).to_have_text(["before", "meanwhile", "and this"])
        expect(page.locator(".pending")).to_have_count(0)
    send(ben, "after")
    for page in (ann, ben):
        expect(message_texts(page)).to_have_text(["before", "meanwhile", "and this", "after"])


def test_a_message_that_could_not_be_sent_is_sent_once_on_retry(
    live_site: LiveSite, scene: Scene, visit: Visit
) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    assert live_site.pages
    live_site.pages.kill()
    send(ann, "can you hear me")
    state = ann.locator(".pending [data-state]")
    expect(state).to_have_text("Not sent")
    ann.get_by_role("button", name="Try again").click()
    expect(state).to_have_text("Not sent")
    live_site.start_pages()
    ann.get_by_role("button", name="Try again").click()
    for page in (ann, ben):
        expect(message_texts(page)).to_have_text(["can you hear me"])
    expect(ann.locator(".pending")).to_have_count(0)


def test_a_message_without_an_answer_holds_up_those_behind_it_only_for_a_time(
    scene: Scene, visit: Visit
) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    ann.evaluate(
        """() => {
            const waiting = []
            AbortSignal.timeout = () => {
                waiting.push(new AbortController())
                return waiting.at(-1).signal
            }
            window.passTime = () => waiting.forEach(one => one.abort())
        }"""
    )
    ann.route("**/messages", lambda route: None, times=1)
    with ann.expect_request("**/messages"):
        send(ann, "first")
    ann.evaluate("() => passTime()")
    expect(ann.locator(".pending [data-state]")).to_have_text("Not sent")
    ann.unroute("**/messages")
    send(ann, "second")
    for page in (ann, ben):  # what comes from its sender lets the first be tried again
        expect(message_texts(page)).to_have_text(["second", "first"])
    expect(ann.locator(".pending")).to_have_count(0)


@pytest.mark.long
def test_a_message_whose_response_was_lost_is_not_repeated(scene: Scene, visit: Visit) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    # The request reaches the site, but its response is lost: immediately, or after the message
    # itself has arrived by the stream.
    ann.route("**/messages", lambda route: (route.fetch(), route.abort()), times=1)
    send(ann, "at once")
    expect(message_texts(ann)).to_have_text(["at once"])
    expect(ann.locator(".pending")).to_have_count(0)
    routes: list[Route] = []
    ann.route("**/messages", lambda route: (route.fetch(), routes.append(route)), times=1)
    send(ann, "only once")
    expect(message_texts(ben)).to_have_text(["at once", "only once"])
    while not routes:  # the response may come after the message itself
        ann.evaluate("() => new Promise(requestAnimationFrame)")
    routes[0].abort()
    for page in (ann, ben):
        expect(message_texts(page)).to_have_text(["at once", "only once"])
    expect(ann.locator(".pending")).to_have_count(0)
    send(ben, "yes")
    expect(message_texts(ann)).to_have_text(["at once", "only once", "yes"])


@pytest.mark.long
def test_a_truncated_response_does_not_hold_up_later_messages(scene: Scene, visit: Visit) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    ann.evaluate(
        """() => {
            window.whole = { text: Response.prototype.text, json: Response.prototype.json }
            Response.prototype.text = Response.prototype.json =
                () => Promise.reject(new TypeError("network error"))
        }"""
    )
    state = ann.locator(".pending [data-state]")
    statuses = iter((201, 503))
    ann.route("**/messages", lambda route: route.fulfill(status=next(statuses), body="{"), times=2)
    for number in range(2):
        send(ann, f"half a response {number}")
        expect(state.nth(number)).to_have_text("Not sent")
    ann.evaluate("Object.assign(Response.prototype, whole)")
    send(ann, "after all")
    expect(message_texts(ben).first).to_have_text("after all")
    # A response from the site makes the page try the other messages again.
    for page in (ann, ben):
        expect(message_texts(page)).to_have_text(
            ["after all", "half a response 0", "half a response 1"]
        )
    expect(ann.locator(".pending")).to_have_count(0)


@pytest.mark.long
def test_a_message_that_is_too_long_says_so_and_can_be_discarded(
    scene: Scene, visit: Visit
) -> None:
    ann = visit(scene.ann)
    send(ann, "x" * 2_001)
    expect(ann.locator(".pending [data-state]")).to_contain_text("1 character too long")
    ann.get_by_role("button", name="Discard").click()
    expect(ann.locator(".pending")).to_have_count(0)
    expect(composer(ann)).to_have_value("x" * 2_001)


def test_edits_reactions_and_deletions_show_in_place(scene: Scene, visit: Visit) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    send(ann, "a worn")
    expect(message_texts(ben)).to_have_text(["a worn"])
    expect(ann.locator(".pending")).to_have_count(0)
    composer(ann).press("ArrowUp")
    expect(composer(ann)).to_have_value("a worn")
    composer(ann).fill("a worm")
    composer(ann).press("Enter")
    for page in (ann, ben):
        expect(message_texts(page)).to_have_text(["a worm"])
        expect(page.locator(".message-edited")).to_be_visible()
    expect(composer(ann)).to_have_value("")
    composer(ann).press("ArrowUp")
    expect(composer(ann)).to_have_value("a worm")
    composer(ann).fill("too much")
    ann.route("**/edit", lambda route: route.fulfill(status=429, body="Wait a minute."))
    composer(ann).press("Enter")
    expect(ann.locator("body")).to_have_text("Wait a minute.")
    ann.goto(ann.url.removesuffix("/messages/1/edit"))
    ben.locator("#m1").focus()
    ben.keyboard.press("r")
    ben.keyboard.press("Enter")
    for page, pressed, names in ((ben, "true", "You"), (ann, "false", "Ben")):
        expect(page.locator("#m1 .reaction")).to_have_attribute("aria-pressed", pressed)
        expect(page.locator("#m1 .reaction")).to_have_attribute("title", names)
    expect(ben.locator("#m1")).to_be_focused()
    ben.locator("#m1 .reaction").click()
    for page in (ann, ben):
        expect(page.locator("#m1 .reaction")).to_have_count(0)
    sending.delete(scene.site, scene.ann, scene.cid, 1)
    for page in (ann, ben):
        expect(message_texts(page)).to_have_text(["Message deleted"])


def test_a_reply_quotes_the_message_and_follows_its_edits_and_deletion(
    scene: Scene, visit: Visit
) -> None:
    site = scene.site
    post_messages(scene, "who sings there", "a wasp")
    ben = visit(scene.ben)
    ben.locator("#m1").hover()
    ben.locator("#m1 .message-menu > summary").click()
    ben.locator("#m1").get_by_role("link", name="Reply").click()
    expect(ben.locator(".chat-about")).to_have_text("Reply to Ann who sings there")
    expect(composer(ben)).to_be_focused()
    composer(ben).press("Escape")
    expect(ben.locator(".chat-about")).to_have_count(0)
    ben.locator("#m1 .message-menu > summary").click()
    ben.locator("#m1").get_by_role("link", name="Reply").click()
    composer(ben).fill("狸 finch")
    press_while_composing(composer(ben), "Enter", isComposing=True)
    press_while_composing(composer(ben), "Enter", keyCode=229)  # as Safari does at the end
    send(ben, "the finch")
    expect(ben.locator("#m3 .message-quote")).to_contain_text("who sings there")
    expect(message_texts(ben)).to_have_text(["who sings there", "a wasp", "the finch"])
    assert ben.url.endswith(f"/chats/{scene.cid}")
    sending.send(site, scene.ben, scene.cid, draft("yum", reply_to=2), "reply-to-2")
    quotes = ben.locator(".message-quote span")
    expect(quotes).to_have_text(["who sings there", "a wasp"])
    longer = parse_message("a worm " * 30, 2_000)
    sending.edit(site, scene.ann, scene.cid, 1, longer.text, longer.entities)
    sending.delete(site, scene.ann, scene.cid, 2)
    reloaded = visit(scene.ben)  # as the server renders them
    expect(quotes).to_have_text(reloaded.locator(".message-quote span").all_text_contents())
    expect(quotes.last).to_have_text("Message deleted")
    expect(quotes.first).to_have_text("a worm " * 16 + "a...")


@pytest.mark.long
def test_a_dropped_picture_is_sent(scene: Scene, visit: Visit) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    drop = """async box => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 60, height: 40 })
        canvas.getContext("2d").fillRect(0, 0, 60, 40)
        const blob = await new Promise(resolve => canvas.toBlob(resolve, "image/png"))
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([blob], "nest.png", { type: "image/png" }))
        box.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }))
    }"""
    ann.locator("[data-scroll]").evaluate(drop)
    ann.get_by_label("Description of picture 1").fill("A nest")
    send(ann, "look")
    for page in (ann, ben):
        expect(page.locator("#m1 img")).to_have_attribute("alt", "A nest")
        expect(message_texts(page)).to_have_text(["look"])


def test_messages_are_sent_and_read_without_scripts(scene: Scene, visit: Visit) -> None:
    ben = visit(scene.ben, listens=False, java_script_enabled=False)
    composer(ben).fill("plainly")
    ben.get_by_role("button", name="Send").click()
    expect(message_texts(ben)).to_have_text(["plainly"])
    expect(ben.locator("[data-jump]")).to_be_hidden()
