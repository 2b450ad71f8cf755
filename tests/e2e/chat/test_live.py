"""Two browsers talk: what is written is on both screens once and in order, whatever dies meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from tests.e2e.streaming.test_live_updates import AXE, HIDE
from tests.support.chat import draft, group, say
from tests.support.processes import Site, free_port, until
from tests.support.streaming.client import Scene, scene_on
from webapp.chat.inbox import chat_state
from webapp.chat.members import membership
from webapp.chat.messages import reading, sending
from webapp.chat.messages.message_text import parse_message
from webapp.notifications import store as notifications

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("chat pages")]
Visit = Callable[..., Page]
CHAT_PAGE = 12  # messages a page, so that some are on an older one
# Streams that a page has open, from before its scripts run.
WATCH = """(() => {
    const Real = EventSource
    window.listening = 0
    window.EventSource = class extends Real {
        constructor(...given) { super(...given); this.addEventListener("open", () => listening++) }
        close() { listening -= this.readyState === 1; super.close() }
    }
})()"""

# What the system would be asked to show.
NOTICES = """() => {
    window.notices = []
    window.Notification = class {
        static permission = "granted"
        constructor(...given) { notices.push(given) }
    }
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A store whose pages are served as on a real site, events applied at once."""
    site = Site(tmp_path_factory.mktemp("chat"), port=free_port(), chat_page=CHAT_PAGE)
    yield site
    site.close()


@pytest.fixture
def scene(site: Site) -> Iterator[Scene]:
    """ann and ben, who follow each other and have a group; pages and streams run."""
    site.settings["stream_port"] = free_port()
    with scene_on(site) as scene:
        scene.port = site.settings["stream_port"]
        scene.ben = scene.join("ben")
        scene.follow(scene.ben, "ann")
        scene.follow(scene.ann, "ben")
        scene.cid = group(site.db, site.config, scene.ann, [scene.ben])
        scene.apply()
        for uid in (
            scene.ann,
            scene.ben,
        ):  # who were told that they are followed: chats alone are to be unread
            notifications.mark_all(site.db, uid)
        scene.begin()
        scene.web = site.serve(site.config.port, inline_projections=True)
        yield scene


@pytest.fixture
def visit(browser: Browser, scene: Scene) -> Iterator[Visit]:
    """Opens a page as a member, in a browser of their own, and waits until it listens."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_(uid: int, path: str = "", listens: bool = True, **options: object) -> Page:
        base = f"http://127.0.0.1:{scene.site.config.port}"
        contexts.append(browser.new_context(base_url=base, **options))
        cookie = scene.sign_in(uid)["Cookie"].partition("linnet=")[2]
        contexts[-1].add_cookies([{"name": "linnet", "value": cookie, "url": base}])
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: complaints.append(said.text) if "Security" in said.text else None,
        )
        page.add_init_script(WATCH)
        page.goto(path or f"/chats/{scene.cid}")
        if listens:
            until_listening(page)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


def until_listening(page: Page) -> None:
    page.wait_for_function("() => listening === 1")


def texts(page: Page) -> Locator:
    return page.locator(".message:not(.pending) .message-text")


def field(page: Page) -> Locator:
    return page.locator("#composer textarea")


def write(page: Page, text: str) -> None:
    field(page).fill(text)
    field(page).press("Enter")


def tell(scene: Scene, *words: str, uid: int = 0) -> list[int]:
    """Messages that come from elsewhere."""
    sent = say(scene.site.db, scene.site.config, uid or scene.ann, scene.cid, *words)
    scene.apply()
    return sent


def test_two_browsers_talk(scene: Scene, visit: Visit) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    said = []
    for number in range(3):
        for page, name in ((ann, "ann"), (ben, "ben")):
            said.append(f"{name} says {number}")
            write(page, said[-1])
            for other in (ann, ben):
                expect(texts(other)).to_have_text(said)
    for page in (ann, ben):
        expect(page.locator(".pending")).to_have_count(0)
        expect(page.locator(".mine .message-text")).to_have_count(3)
        numbers = page.locator("[data-message]").evaluate_all(
            "all => all.map(one => one.dataset.message)"
        )
        assert numbers == ["1", "2", "3", "4", "5", "6"]
    field(ann).press_sequentially("...")
    expect(ben.locator("[data-typing]")).to_have_text("Ann is writing …")
    expect(ben.locator("[data-present]")).to_be_visible()


def test_what_is_written_while_the_stream_process_is_dead_arrives_once(
    scene: Scene, visit: Visit
) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    write(ann, "before")
    for page in (ann, ben):
        expect(texts(page)).to_have_text(["before"])
    assert scene.program
    scene.program.kill()
    write(ann, "meanwhile")
    expect(ann.locator(".pending [data-state]")).to_have_text("Sent")
    tell(scene, "and this", uid=scene.ben)
    scene.begin()
    for page in (ann, ben):
        expect(texts(page)).to_have_text(["before", "meanwhile", "and this"])
        expect(page.locator(".pending")).to_have_count(0)
    write(ben, "after")
    for page in (ann, ben):
        expect(texts(page)).to_have_text(["before", "meanwhile", "and this", "after"])


def test_a_message_that_could_not_be_sent_says_so_and_is_sent_once_when_tried_again(
    scene: Scene, visit: Visit
) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    scene.web.kill()
    write(ann, "can you hear me")
    state = ann.locator(".pending [data-state]")
    expect(state).to_have_text("Not sent")
    ann.get_by_role("button", name="Try again").click()
    expect(state).to_have_text("Not sent")
    scene.web = scene.site.serve(scene.site.config.port, inline_projections=True)
    ann.get_by_role("button", name="Try again").click()
    for page in (ann, ben):
        expect(texts(page)).to_have_text(["can you hear me"])
    expect(ann.locator(".pending")).to_have_count(0)


def test_a_message_whose_answer_was_lost_is_one_message(scene: Scene, visit: Visit) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    # It reaches the site, and the browser never hears so: at once, or after the message itself has come to it.
    ann.route("**/messages", lambda route: (route.fetch(), route.abort()), times=1)
    write(ann, "at once")
    expect(texts(ann)).to_have_text(["at once"])
    expect(ann.locator(".pending")).to_have_count(0)
    routes: list[Route] = []
    ann.route("**/messages", lambda route: (route.fetch(), routes.append(route)), times=1)
    write(ann, "only once")
    expect(texts(ben)).to_have_text(["at once", "only once"])
    while not routes:  # the answer may come after what it says
        ann.evaluate("() => new Promise(requestAnimationFrame)")
    routes[0].abort()
    for page in (ann, ben):
        expect(texts(page)).to_have_text(["at once", "only once"])
    expect(ann.locator(".pending")).to_have_count(0)
    write(ben, "yes")
    expect(texts(ann)).to_have_text(["at once", "only once", "yes"])


def test_an_answer_that_breaks_off_does_not_hold_up_what_comes_after(
    scene: Scene, visit: Visit
) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    ann.evaluate(
        """() => {
            window.whole = { text: Response.prototype.text, json: Response.prototype.json }
            Response.prototype.text = Response.prototype.json = () => Promise.reject(new TypeError("network error"))
        }"""
    )
    state = ann.locator(".pending [data-state]")
    answers = iter((201, 503))
    ann.route("**/messages", lambda route: route.fulfill(status=next(answers), body="{"), times=2)
    for number in range(2):
        write(ann, f"half an answer {number}")
        expect(state.nth(number)).to_have_text("Not sent")
    ann.evaluate("Object.assign(Response.prototype, whole)")
    write(ann, "after all")
    expect(texts(ben).first).to_have_text("after all")
    for page in (ann, ben):  # what was not sent is tried again once the site is heard of
        expect(texts(page)).to_have_text(["after all", "half an answer 0", "half an answer 1"])
    expect(ann.locator(".pending")).to_have_count(0)


def test_what_cannot_be_sent_says_why_and_can_be_taken_back(scene: Scene, visit: Visit) -> None:
    ann = visit(scene.ann)
    write(ann, "x" * 2_001)
    expect(ann.locator(".pending [data-state]")).to_contain_text("1 character too long")
    ann.get_by_role("button", name="Discard").click()
    expect(ann.locator(".pending")).to_have_count(0)
    expect(field(ann)).to_have_value("x" * 2_001)


def test_the_reader_stays_where_they_are_and_is_told_of_what_is_new(
    scene: Scene, visit: Visit
) -> None:
    tell(scene, *(f"message {number}\n\n\n" + "and more\n" * 5 for number in range(CHAT_PAGE)))
    chat_state.mark_read(scene.site.db, scene.ben, scene.cid, CHAT_PAGE)
    ben = visit(scene.ben)
    box, jump = ben.locator("[data-scroll]"), ben.locator("[data-jump]")
    expect(jump).to_be_hidden()
    expect(ben.locator("#m12")).to_be_in_viewport()
    box.evaluate("box => box.scrollTop = -400")
    expect(jump).to_have_text("Newest")
    place = (ben.locator("#m9").bounding_box() or {})["y"]
    tell(scene, "one more", "and another")
    expect(jump).to_have_text("2 new messages")
    assert (ben.locator("#m9").bounding_box() or {})["y"] == pytest.approx(
        place, abs=1
    )  # parts of a pixel are rounded
    expect(ben.locator("#new + #m13")).to_have_count(1)
    assert scene.site.db.read(chat_state.unread(scene.ben)).total == 2
    jump.click()
    expect(jump).to_be_hidden()
    expect(ben.locator("#m14")).to_be_in_viewport()
    until(lambda: scene.site.db.read(chat_state.unread(scene.ben)).total == 0)


def test_older_messages_come_as_one_scrolls_to_them(scene: Scene, visit: Visit) -> None:
    tell(scene, *(f"message {number}" for number in range(1, 31)))
    chat_state.mark_read(scene.site.db, scene.ben, scene.cid, 30)
    ben = visit(scene.ben)
    box = ben.locator("[data-scroll]")
    for shown in (12, 24, 30):
        expect(texts(ben).first).to_have_text(f"message {31 - shown}")
        box.evaluate("box => box.scrollTop = -box.scrollHeight")
    expect(texts(ben)).to_have_text([f"message {number}" for number in range(1, 31)])
    expect(ben.locator("[data-older]")).to_have_count(0)
    assert ben.locator(".divider-day").count() == 1


def test_who_writes_among_older_messages_is_taken_to_the_newest(scene: Scene, visit: Visit) -> None:
    tell(scene, *(f"message {number}" for number in range(1, 41)))
    chat_state.mark_read(scene.site.db, scene.ben, scene.cid, 40)
    ben = visit(scene.ben, f"/chats/{scene.cid}?around=6")
    tell(scene, "far below")
    expect(ben.locator("[data-jump]")).to_be_visible()
    write(ben, "and below that")
    expect(texts(ben).last).to_have_text("and below that")
    expect(ben.locator("#m41")).to_be_visible()
    expect(ben.locator(".pending")).to_have_count(0)


def test_what_is_unread_shows_on_every_page_and_in_the_title(scene: Scene, visit: Visit) -> None:
    home, settings, chats = (
        visit(scene.ben, path) for path in ("/home", "/settings/profile", "/chats")
    )
    badge = "[data-badge=chats] > span:first-child"
    expect(home.locator("[data-badge=chats]")).to_be_hidden()
    tell(scene, "one", "two")
    for page in (home, settings, chats):
        expect(page.locator(badge)).to_have_text("2")
    expect(settings).to_have_title("(2) " + settings.title().removeprefix("(2) "))
    expect(chats.locator(f"[data-unread='{scene.cid}'] > span:first-child")).to_have_text("2")
    ben = visit(scene.ben)
    for page in (home, settings, chats, ben):
        expect(page.locator("[data-badge=chats]")).to_be_hidden()
    ben.evaluate(HIDE, True)
    tell(scene, "three")
    expect(ben).to_have_title("(1) Larks · Linnet")
    ben.evaluate(HIDE, False)
    expect(ben).to_have_title("Larks · Linnet")


def test_who_answers_at_once_has_read_what_they_answer(scene: Scene, visit: Visit) -> None:
    ben = visit(scene.ben)
    tell(scene, "anybody?")
    expect(texts(ben)).to_have_text(["anybody?"])
    write(ben, "me")
    expect(texts(ben)).to_have_text(["anybody?", "me"])
    until(lambda: scene.site.db.read(chat_state.unread(scene.ben)).by_chat == {scene.cid: 0})
    assert scene.site.db.read(reading.open_page(scene.ben, scene.cid, size=9)).last_read == 2


def test_messages_change_in_place(scene: Scene, visit: Visit) -> None:
    ann, ben = visit(scene.ann), visit(scene.ben)
    write(ann, "a worn")
    expect(texts(ben)).to_have_text(["a worn"])
    field(ann).press("ArrowUp")
    expect(field(ann)).to_have_value("a worn")
    field(ann).fill("a worm")
    field(ann).press("Enter")
    for page in (ann, ben):
        expect(texts(page)).to_have_text(["a worm"])
        expect(page.locator(".message-edited")).to_be_visible()
    expect(field(ann)).to_have_value("")
    ben.locator("#m1").focus()
    ben.keyboard.press("r")
    ben.keyboard.press("Enter")
    for page, given in ((ben, "true"), (ann, "false")):
        expect(page.locator("#m1 .reaction")).to_have_attribute("aria-pressed", given)
    ben.locator("#m1 .reaction").click()
    for page in (ann, ben):
        expect(page.locator("#m1 .reaction")).to_have_count(0)
    sending.delete(scene.site.db, scene.site.config, scene.ann, scene.cid, 1)
    for page in (ann, ben):
        expect(texts(page)).to_have_text(["Message deleted"])


def test_a_quote_changes_with_what_it_quotes(scene: Scene, visit: Visit) -> None:
    db, config = scene.site.db, scene.site.config
    tell(scene, "a worn", "a wasp")
    for reply in (1, 2):
        sending.send(
            db, config, scene.ben, scene.cid, draft("yum", reply_to=reply), f"reply-{reply}"
        )
    ben = visit(scene.ben)
    quotes = ben.locator(".message-quote span")
    expect(quotes).to_have_text(["a worn", "a wasp"])
    longer = parse_message("a worm " * 30, 2_000)
    sending.edit(db, config, scene.ann, scene.cid, 1, longer.text, longer.entities)
    sending.delete(db, config, scene.ann, scene.cid, 2)
    live = visit(scene.ben)  # as the server makes them
    expect(quotes).to_have_text(live.locator(".message-quote span").all_text_contents())
    expect(quotes.last).to_have_text("Message deleted")
    expect(quotes.first).to_have_text("a worm " * 16 + "a...")


def test_a_look_at_the_list_is_not_taken_for_what_comes_to_the_open_chat(
    scene: Scene, visit: Visit
) -> None:
    other = group(scene.site.db, scene.site.config, scene.ann, [scene.ben])
    scene.apply()
    ben = visit(scene.ben)
    ben.evaluate("window.badges = 0; document.addEventListener('linnet:badge', () => badges++)")
    looks: list[str] = []
    ben.on(
        "request", lambda request: looks.append(request.url) if "before=1" in request.url else None
    )
    for number in range(3):
        tell(scene, f"message {number}")
        until(lambda: scene.site.db.read(chat_state.unread(scene.ben)).total == 0)
    ben.wait_for_function("() => badges >= 2")
    # One look, for the other chat: those for this one would have come before it.
    say(scene.site.db, scene.site.config, scene.ann, other, "over here")
    scene.apply()
    expect(ben.locator(f"[data-row='{other}'] .chat-row-preview")).to_contain_text("over here")
    assert len(looks) == 1


def test_an_answer_names_what_it_answers(scene: Scene, visit: Visit) -> None:
    tell(scene, "who sings there")
    ben = visit(scene.ben)
    ben.locator("#m1").hover()
    ben.locator("#m1 .message-menu > summary").click()
    ben.locator("#m1").get_by_role("link", name="Reply").click()
    expect(ben.locator(".chat-about")).to_have_text("Reply to Ann who sings there")
    expect(field(ben)).to_be_focused()
    field(ben).press("Escape")
    expect(ben.locator(".chat-about")).to_have_count(0)
    ben.locator("#m1 .message-menu > summary").click()
    ben.locator("#m1").get_by_role("link", name="Reply").click()
    write(ben, "the finch")
    expect(ben.locator("#m2 .message-quote")).to_contain_text("who sings there")
    assert ben.url.endswith(f"/chats/{scene.cid}")


def test_a_hidden_page_notifies_who_has_allowed_it_and_a_screen_reader_hears_what_comes(
    scene: Scene, visit: Visit
) -> None:
    ben = visit(scene.ben, permissions=["notifications"])
    ben.evaluate(NOTICES)
    tell(scene, "in plain sight")
    expect(ben.locator("[data-spoken]")).to_have_text("Ann: in plain sight")
    ben.evaluate(HIDE, True)
    tell(scene, "out of sight")
    expect(texts(ben)).to_have_text(["in plain sight", "out of sight"])
    assert ben.evaluate("notices.map(([by, { body }]) => `${by}: ${body}`)") == [
        "Ann: out of sight"
    ]
    chat_state.mute(scene.site.db, scene.ben, scene.cid)
    ben.reload()
    until_listening(ben)
    ben.evaluate(NOTICES)
    ben.evaluate(HIDE, True)
    tell(scene, "muted")
    expect(texts(ben).last).to_have_text("muted")
    assert ben.evaluate("notices") == []


def test_a_request_is_read_unseen(scene: Scene, visit: Visit) -> None:
    kit = scene.join("kit")
    membership.add(scene.site.db, scene.site.config, scene.ann, scene.cid, [kit])
    scene.apply()
    page = visit(kit)
    page.clock.install()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    [sent] = tell(scene, "hello kit")
    expect(texts(page)).to_have_text(["hello kit"])
    page.evaluate(HIDE, True)
    page.evaluate(HIDE, False)
    page.clock.run_for(5_000)  # in which one who had accepted would have been said to have read it
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("button", name="Accept")).to_have_count(0)
    assert "read" not in asked[: asked.index("accept")]
    until(
        lambda: (
            scene.site.db.read(reading.open_page(scene.ann, scene.cid, size=1)).read_positions.get(
                kit
            )
            == sent
        )
    )


def test_who_is_removed_leaves_the_chat(scene: Scene, visit: Visit) -> None:
    ben = visit(scene.ben)
    membership.remove(scene.site.db, scene.site.config, scene.ann, scene.cid, scene.ben)
    scene.apply()
    ben.wait_for_url("**/chats")


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
    ann.get_by_label("What picture 1 shows").fill("A nest")
    write(ann, "look")
    for page in (ann, ben):
        expect(page.locator("#m1 img")).to_have_attribute("alt", "A nest")
        expect(texts(page)).to_have_text(["look"])


def test_a_phone_holds_a_chat(scene: Scene, visit: Visit) -> None:
    tell(scene, *(f"message {number} " + "sings " * 30 for number in range(6)))
    phone = visit(scene.ben, viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    expect(phone.locator("#m6")).to_be_in_viewport()
    field(phone).fill("from a branch")
    phone.get_by_role("button", name="Send").click()
    expect(texts(phone).last).to_have_text("from a branch")
    expect(phone.locator("#m7")).to_be_in_viewport()
    needed, given = phone.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert needed <= given


def test_what_scripts_add_is_sound_by_day_and_night(scene: Scene, visit: Visit) -> None:
    tell(scene, *(f"message {number}\n" * 8 for number in range(CHAT_PAGE)))
    chat_state.mark_read(scene.site.db, scene.ben, scene.cid, CHAT_PAGE)
    for width in (360, 1280):
        page = visit(scene.ben, viewport={"width": width, "height": 800}, reduced_motion="reduce")
        page.route("**/messages", lambda route: route.abort())
        write(page, "will not go")
        expect(page.locator(".pending [data-state]")).to_have_text("Not sent")
        page.locator("[data-scroll]").evaluate("box => box.scrollTop = -500")
        tell(scene, "new")
        expect(page.locator("[data-jump]")).to_have_text("1 new message")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            violations = AXE.run(page, options={"resultTypes": ["violations"]}).response[
                "violations"
            ]
            assert [one["id"] for one in violations if one["impact"] != "minor"] == []


def test_alt_and_an_arrow_go_from_chat_to_chat(scene: Scene, visit: Visit) -> None:
    tell(scene, "first")
    other = group(scene.site.db, scene.site.config, scene.ben)
    scene.apply()
    ben = visit(scene.ben)
    ben.keyboard.press("Alt+ArrowUp")
    ben.wait_for_url(f"**/chats/{other}")
    until_listening(ben)
    ben.keyboard.press("Alt+ArrowDown")
    ben.wait_for_url(f"**/chats/{scene.cid}")


def test_without_scripts_one_writes_and_reads_all_the_same(scene: Scene, visit: Visit) -> None:
    ben = visit(scene.ben, listens=False, java_script_enabled=False)
    field(ben).fill("plainly")
    ben.get_by_role("button", name="Send").click()
    expect(texts(ben)).to_have_text(["plainly"])
    expect(ben.locator("[data-jump]")).to_be_hidden()
