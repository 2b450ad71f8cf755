"""Open pages show what others do, in real browsers; the stream process is killed at times."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.processes import Site, free_port, until
from tests.support.streaming.client import Scene, scene_on
from webapp.accounts import lifecycle
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.interactions import boosts
from webapp.statuses.polls import voting
from webapp.statuses.polls.poll import Poll
from webapp.statuses.visibility.visibility import Visibility
from webapp.streaming import keys as stream_keys

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("live pages")]
AXE = Axe()
Visit = Callable[..., Page]
HIDE = """hidden => {
    Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true })
    document.dispatchEvent(new Event("visibilitychange"))
}"""
# Counts the streams that a page has open, from before its scripts run.
WATCH = """(() => {
    const Real = EventSource
    window.opened = 0, window.listening = 0, window.heard = []
    window.EventSource = class extends Real {
        constructor(...given) { super(...given); opened++; listening++; heard.push(new URL(given[0]).pathname) }
        close() { listening--; super.close() }
    }
})()"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A store whose pages are served as on a real site, events applied at once."""
    site = Site(tmp_path_factory.mktemp("live"), port=free_port(), page_size=6)
    yield site
    site.close()


@pytest.fixture
def scene(site: Site) -> Iterator[Scene]:
    """ann, who has written, and ben, who follows her; pages and streams run."""
    site.settings["stream_port"] = free_port()
    with scene_on(site) as scene:
        scene.port = site.settings["stream_port"]
        scene.ben = scene.join("ben")
        scene.follow(scene.ben, "ann")
        scene.post("an old song")
        scene.begin()
        site.serve(site.config.port, inline_projections=True)
        yield scene


@pytest.fixture
def visit(browser: Browser, scene: Scene) -> Iterator[Visit]:
    """Opens a page as ben, another member or a visitor, and waits until it listens."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_(
        path: str, member: bool = True, listens: bool = True, uid: int = 0, **options: object
    ) -> Page:
        base = f"http://127.0.0.1:{scene.site.config.port}"
        contexts.append(browser.new_context(base_url=base, **options))
        if member:
            cookie = scene.sign_in(uid or scene.ben)["Cookie"].partition("linnet=")[2]
            contexts[-1].add_cookies([{"name": "linnet", "value": cookie, "url": base}])
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: complaints.append(said.text) if "Security" in said.text else None,
        )
        page.add_init_script(WATCH)
        page.goto(path)
        if listens:
            until_listening(page)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


def until_listening(page: Page, count: int = 1) -> None:
    page.wait_for_function("count => opened >= count && listening === 1", arg=count)


def bar(page: Page, words: str) -> None:
    expect(page.locator(".live-button")).to_have_text(words)
    expect(page.locator(".live-button")).to_be_visible()


def texts(page: Page) -> list[str]:
    return page.locator(".status-body").all_inner_texts()


def test_an_open_home_tells_of_a_boost_once_and_shows_who_boosted(
    scene: Scene, visit: Visit
) -> None:
    db, config = scene.site.db, scene.site.config
    eve = scene.join("eve")
    scene.follow(scene.ben, "eve")
    page = visit("/home")
    cid, old = (
        scene.join("cid"),
        int(page.locator(".status").first.get_attribute("id").rpartition("-")[2]),
    )
    number = statuses.post(db, config, cid, parse("of one unknown"), "form-of-cid")
    for status_id in (old, number):  # of which the page shows one already
        boosts.boost(db, config, eve, status_id)
    scene.apply()
    bar(page, "1 new post")
    page.locator(".live-button").click()
    expect(page.locator(".boosted")).to_have_text("Eve boosted")
    expect(page.locator(".boosted + .status .status-body")).to_have_text("of one unknown")
    other = statuses.post(db, config, cid, parse("of one unknown again"), "form-of-cid-2")
    boosts.boost(db, config, eve, other)
    scene.apply()
    bar(page, "1 new post")
    boosts.unboost(db, config, eve, other)
    scene.apply()
    expect(page.locator(".live-button")).to_be_hidden()


def test_an_open_home_tells_of_a_new_post_and_shows_it_on_a_click(
    scene: Scene, visit: Visit
) -> None:
    page = visit("/home")
    expect(page.locator(".live-button")).to_be_hidden()
    before = page.locator(".status").first.bounding_box()
    [posted] = scene.post("a new song")
    bar(page, "1 new post")
    expect(page).to_have_title("(1) Home · Linnet")
    assert page.locator(".status").first.bounding_box() == before, "nothing moves by itself"
    page.locator(".live-button").click()
    expect(page.locator(".status-body")).to_have_text(["a new song", "an old song"])
    expect(page.locator(f"#status-{posted}")).to_be_focused()
    expect(page.locator(".live-button")).to_be_hidden()
    expect(page).to_have_title("Home · Linnet")
    [first, second] = scene.post("one"), scene.post("two")
    bar(page, "2 new posts")
    page.locator(".live-button").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".status-body")).to_have_text(["two", "one", "a new song", "an old song"])
    assert first < second


def test_a_like_in_one_browser_is_a_number_in_another(scene: Scene, visit: Visit) -> None:
    visit("/notifications", uid=scene.ann)  # so that Ben's follow is read
    pages = {path: visit(path, uid=scene.ann) for path in ("/home", "/settings/profile", "/chats")}
    titles = {path: page.title() for path, page in pages.items()}
    ben = visit("/public")
    like = ben.locator(".act-like").first
    for pressed, count in (("true", "1"), ("false", "0"), ("true", "1")):
        like.click()
        expect(like).to_have_attribute("aria-pressed", pressed)
        for path, page in pages.items():
            expect(page.locator("[data-badge=notifications] > span:first-child")).to_have_text(
                count
            )
            link = page.get_by_role("navigation", name="Main").get_by_role(
                "link", name="Notifications"
            )
            expect(link).to_have_accessible_name(
                "Notifications 1 unread" if count == "1" else "Notifications"
            )
            if path != "/home":  # whose title tells of new posts
                expect(page).to_have_title(f"(1) {titles[path]}" if count == "1" else titles[path])
    reading = pages["/chats"]
    reading.get_by_role("link", name="Notifications").click()
    expect(reading.locator(".told-head > span:first-child").first).to_have_text(
        "New: Ben liked your post"
    )
    for page in pages.values():
        expect(page.locator("[data-badge=notifications]")).to_be_hidden()


def test_what_is_posted_while_the_stream_process_is_dead_is_told_once_each(
    scene: Scene, visit: Visit
) -> None:
    pages = [visit("/home"), visit("/public", member=False), visit("/@ann", member=False)]
    scene.post("before")
    for page in pages:
        bar(page, "1 new post")
    assert scene.program
    scene.program.kill()
    missed = [f"missed {number}" for number in range(5)]
    for text in missed:
        scene.post(text)
    scene.begin()
    for page in pages:
        bar(page, "6 new posts")
        page.locator(".live-button").click()
        expect(page.locator(".status-body")).to_have_text([*missed[::-1], "before", "an old song"])
    scene.post("after")
    for page in pages:
        bar(page, "1 new post")
        page.locator(".live-button").click()
        expect(page.locator(".status-body")).to_have_text(
            ["after", *missed[::-1], "before", "an old song"]
        )


def test_more_than_a_page_of_new_posts_opens_the_page_anew(scene: Scene, visit: Visit) -> None:
    page = visit("/home")
    scene.post(count=7)
    bar(page, "7 new posts")
    page.locator(".live-button").click()
    expect(page.locator(".status-body")).to_have_text(
        [f"status {number}" for number in range(8, 2, -1)]
    )
    expect(page).to_have_title("Home · Linnet")


def test_deletions_take_effect_in_place(scene: Scene, visit: Visit) -> None:
    [first, second, third] = scene.post(count=3)
    page = visit("/home")
    [pending] = scene.post("comes and goes")
    bar(page, "1 new post")
    scene.delete(pending)
    expect(page.locator(".live-button")).to_be_hidden()
    page.locator(f"#status-{second} .byline").focus()
    scene.delete(second)
    note = page.locator(f"#status-{second}")
    expect(note).to_have_text("This post was deleted.")
    expect(note).to_be_focused()
    shown = page.locator("main [id^=status-]:is(.status, .live-gone)").evaluate_all(
        "all => all.map(one => one.id)"
    )
    assert shown[:3] == [f"status-{one}" for one in (third, second, first)]


def test_a_post_for_followers_comes_to_the_open_home_of_one_and_goes_with_its_deletion(
    scene: Scene, visit: Visit
) -> None:
    db, config = scene.site.db, scene.site.config
    cid, eve = scene.join("cid"), scene.join("eve")
    scene.follow(eve, "cid")
    page, stranger = visit("/home"), visit("/home", uid=eve)
    key, words = "form-of-followers", parse("among us, @eve")
    number = statuses.post(db, config, scene.ann, words, key, visibility=Visibility.FOLLOWERS)
    scene.post("of another", author=cid)
    bar(page, "1 new post")
    page.locator(".live-button").click()
    expect(page.locator(f"#status-{number} .status-body")).to_have_text("among us, @eve")
    bar(stranger, "1 new post")  # of cid, who was later
    stranger.locator(".live-button").click()
    expect(stranger.locator(".status-body")).to_have_text(["of another"])
    editing.edit(db, config, scene.ann, number, parse("among us all"), "", "0")
    scene.apply()
    expect(page.locator(f"#status-{number} .status-body")).to_have_text("among us all")
    scene.delete(number)
    expect(page.locator(f"#status-{number}")).to_have_text("This post was deleted.")


def test_the_posts_of_a_suspended_author_go_from_open_pages(scene: Scene, visit: Visit) -> None:
    page = visit("/public", member=False)
    scene.post("soon hidden")
    bar(page, "1 new post")
    lifecycle.suspend(scene.site.db, scene.site.config, scene.ann)
    scene.apply()
    expect(page.locator(".live-gone")).to_have_text("This account is not available.")
    expect(page.locator(".live-button")).to_be_hidden()
    expect(page.locator(".status")).to_have_count(0)


def test_who_goes_protected_stays_on_open_pages_of_followers_and_goes_from_all_others(
    scene: Scene, visit: Visit
) -> None:
    db, config = scene.site.db, scene.site.config
    named = statuses.post(
        db, config, scene.ann, parse("to you, @ben"), "form-named", visibility=Visibility.MENTIONED
    )
    scene.apply()
    page, others = (
        visit("/@ann"),
        [visit("/@ann", uid=scene.join("eve")), visit("/@ann", member=False)],
    )
    expect(page.locator(".status-body")).to_have_text(["to you, @ben", "an old song"])
    editing.edit(db, config, scene.ann, named, parse("to nobody"), "", "0")
    lifecycle.protect(db, config, scene.ann)
    scene.apply()
    expect(page.locator(".live-gone")).to_have_text(
        "This account is not available."
    )  # which is for ben no more
    expect(page.locator(".status-body")).to_have_text(["an old song"])
    for other in others:
        expect(other.locator(".live-gone")).to_have_text("This account is not available.")
        expect(other.locator(".status")).to_have_count(0)


def test_the_first_posts_come_into_an_empty_page(scene: Scene, visit: Visit) -> None:
    page = visit("/@ben")
    expect(page.locator(".empty")).to_be_visible()
    scene.post("hello", author=scene.ben)
    bar(page, "1 new post")
    page.locator(".live-button").click()
    expect(page.locator(".status-body")).to_have_text(["hello"])
    expect(page.locator(".empty")).to_have_count(0)
    page.locator(".status-delete summary").click()
    page.get_by_role("button", name="Delete post").click()
    expect(page).to_have_url(f"http://127.0.0.1:{scene.site.config.port}/@ben")


def test_a_hidden_tab_does_not_listen_and_misses_nothing(scene: Scene, visit: Visit) -> None:
    page = visit("/home")
    scene.post("seen")
    bar(page, "1 new post")
    page.evaluate(HIDE, True)
    assert page.evaluate("listening") == 0
    scene.post(count=2)
    page.evaluate(HIDE, False)
    until_listening(page, 2)
    bar(page, "3 new posts")


def test_a_page_that_hears_nothing_asks_less_and_less_often_at_random(
    scene: Scene, visit: Visit
) -> None:
    page = visit("/public", member=False, listens=False)
    assert scene.program
    scene.program.kill()
    # A timer that waits for nothing, and says how long it would have waited.
    page.add_init_script(
        """(() => {
            const later = setTimeout
            window.pauses = []
            window.setTimeout = (act, ms) => pauses.push(ms) < 9 && later(act)
            Math.random = () => 0.5
        })()"""
    )
    page.goto("/public")
    page.wait_for_function("() => pauses.length === 9")
    assert page.evaluate("pauses") == [
        500,
        1_000,
        2_000,
        4_000,
        8_000,
        16_000,
        30_000,
        30_000,
        30_000,
    ]
    assert page.evaluate("listening") == 0


def test_the_offer_is_sound_by_day_and_night_and_for_every_reader(
    scene: Scene, visit: Visit
) -> None:
    for width in (360, 1280):
        page = visit("/home", viewport={"width": width, "height": 800}, reduced_motion="reduce")
        [_, second] = scene.post(count=2)
        bar(page, "2 new posts")
        page.locator(".live-button").click()
        expect(page.locator(f"#status-{second}")).to_be_in_viewport()
        scene.delete(second)
        scene.post()
        bar(page, "1 new post")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            violations = AXE.run(page, options={"resultTypes": ["violations"]}).response[
                "violations"
            ]
            assert [one["id"] for one in violations if one["impact"] != "minor"] == []
        needed, given = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert needed <= given


def test_a_page_too_old_to_catch_up_reloads_but_not_while_one_writes(
    scene: Scene, visit: Visit
) -> None:
    reader, writer = visit("/home"), visit("/home")
    for page in (reader, writer):
        page.evaluate(HIDE, True)
    writer.get_by_label("What’s happening?").fill("my dra")
    assert scene.program
    scene.program.kill()
    scene.post("the newest", count=2)
    scene.site.db.run(("XTRIM", stream_keys.event_log(), "MAXLEN", "=", 1))
    scene.begin()
    for page in (reader, writer):
        page.evaluate(HIDE, False)
    expect(reader.locator(".status-body")).to_have_text(["the newest", "the newest", "an old song"])
    bar(writer, "This page is out of date. Load it again.")
    expect(writer.get_by_label("What’s happening?")).to_have_value("my dra")
    writer.locator(".live-button").click()
    expect(writer.locator(".status-body")).to_have_text(["the newest", "the newest", "an old song"])


def test_without_scripts_nothing_of_it_shows(scene: Scene, visit: Visit) -> None:
    page = visit("/home", listens=False, java_script_enabled=False)
    scene.post("unheard")
    assert texts(page) == ["an old song"]
    expect(page.locator(".live")).to_have_text("")
    expect(page.locator(".live-button")).to_be_hidden()
    assert page.locator(".live").evaluate("one => one.getBoundingClientRect().height") == 0


def test_an_older_page_listens_for_what_is_unread_alone(scene: Scene, visit: Visit) -> None:
    scene.post(count=7)
    page = visit("/home")
    page.get_by_role("link", name="Older").click()
    expect(page.locator(".status")).to_have_count(2)
    until_listening(page)
    assert page.evaluate("heard") == ["/stream/chats"]


def test_the_words_are_chinese_for_who_reads_chinese(scene: Scene, visit: Visit) -> None:
    page = visit("/public", member=False, locale="zh-CN")
    scene.post("新")
    until(lambda: page.locator(".live-button").is_visible())
    assert "1" in page.locator(".live-button").inner_text()


def test_a_page_of_a_hashtag_tells_of_what_has_it(scene: Scene, visit: Visit) -> None:
    scene.post("the first #麻雀")
    page = visit("/tags/麻雀", member=False)
    scene.post("nothing of it")
    scene.post("the second #麻雀")
    page.get_by_role("button", name="1 new post").click()
    expect(page.locator(".status-body")).to_have_text(["the second #麻雀", "the first #麻雀"])
    shown = page.locator(".status").first
    expect(shown).to_be_focused()
    number = int(str(shown.get_attribute("id")).removeprefix("status-"))
    editing.edit(
        scene.site.db, scene.site.config, scene.ann, number, parse("the third #麻雀"), "", "0"
    )
    scene.apply()
    expect(page.locator(".status-body").first).to_have_text("the third #麻雀")
    expect(shown).to_be_focused()
    page.locator(".status-body a").first.click()
    expect(page).to_have_title(re.compile("#麻雀"))


def test_who_has_voted_sees_the_numbers_move(scene: Scene, visit: Visit) -> None:
    cid = scene.join("cid")
    scene.follow(cid, "ann")
    ann = visit("/home", uid=scene.ann)
    ann.get_by_role("textbox", name="What’s happening?").fill("which song?")
    ann.get_by_text("Ask a poll").click()
    for number, words in (("1", "Trill"), ("2", "Chirp")):
        ann.get_by_label(f"Answer {number}", exact=True).fill(words)
    ann.get_by_label("Duration").select_option("1 hour")
    ann.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(ann.locator(".poll-result b").first).to_have_text("0%")
    expect(ann.locator(".poll-foot").first).to_contain_text("1 hour left")
    ben, other = visit("/home"), visit("/home", uid=cid)
    for page, words in ((ben, "Trill"), (other, "Chirp")):
        page.get_by_role("radio", name=words).check()
        page.get_by_role("button", name="Vote").click()
        expect(page.locator(".poll-own bdi")).to_have_text(words)
    expect(other.locator(".poll-result b")).to_have_text(["50%", "50%"])
    for page in (ann, ben):
        expect(page.locator(".poll-result b")).to_have_text(["50%", "50%"])
        expect(page.locator(".poll-foot").first).to_contain_text("2 voters")
    expect(ben.locator(".poll-own bdi")).to_have_text("Trill")


def test_a_posts_own_page_tells_of_replies_and_renews_what_it_shows(
    scene: Scene, visit: Visit
) -> None:
    db, config = scene.site.db, scene.site.config
    poll = Poll(("Trill", "Chirp"), 60)
    root = statuses.post(db, config, scene.ann, parse("which song?"), "form-root", poll=poll)
    first = statuses.post(db, config, scene.ann, parse("mine, I say"), "form-1", reply=root)
    scene.apply()
    path = f"/@ann/{root}"
    ben, visitor = visit(path), visit(path, member=False, locale="zh-CN")
    ben.locator(".status-large").get_by_role("radio", name="Trill").check()
    ben.locator(".status-large").get_by_role("button", name="Vote").click()
    ben.goto(path)
    until_listening(ben)
    ben.locator(".status-large .act-like").click()
    expect(ben.locator(".acted-like")).to_have_text(
        "1 like"
    )  # though there was none when the page was made
    ben.locator("#text").fill("my dra")
    cid = scene.join("cid")
    voting.vote(db, config, cid, root, {1})
    editing.edit(db, config, scene.ann, root, parse("which song is it?"), "", "0")
    editing.edit(db, config, scene.ann, first, parse("yours, I say"), "", "0")
    scene.apply()
    expect(ben.locator(".poll-result b")).to_have_text(["50%", "50%"])
    for page in (ben, visitor):
        expect(page.locator(".status-body")).to_have_text(["which song is it?", "yours, I say"])
        expect(page.locator(".status-large .status-date")).to_have_count(
            1
        )  # it still is the post's own page
        expect(page.locator(".status-large .status-time")).to_have_count(0)
        expect(page.locator(".acted-like b")).to_have_text("1")
    below = statuses.post(db, config, cid, parse("no, cid's"), "form-2", reply=first)
    scene.apply()
    bar(ben, "1 new reply")
    bar(visitor, "1 条新回复")
    last = statuses.post(db, config, cid, parse("the last"), "form-3", reply=root)
    scene.apply()
    bar(ben, "2 new replies")
    ben.evaluate("window.stays = true")
    for page in (ben, visitor):
        page.locator(".live-button").click()
        expect(page.locator(".status-body")).to_have_text(
            ["which song is it?", "yours, I say", "no, cid's", "the last"]
        )
        expect(page.locator(f"#status-{below}")).to_be_focused()
        expect(page.locator(".live-button")).to_be_hidden()
    expect(ben.locator(".status-large .act-reply")).to_have_text("2")
    expect(ben.locator("#text")).to_have_value("my dra")
    assert ben.evaluate("window.stays")
    statuses.delete(db, config, cid, last)
    statuses.delete(db, config, scene.ann, root)
    scene.apply()
    for one in (root, last):
        expect(ben.locator(f"#status-{one}")).to_have_text("This post was deleted.")
        expect(visitor.locator(f"#status-{one}")).to_have_text("这条动态已被删除。")
