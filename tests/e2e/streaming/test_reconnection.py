"""Open pages reconnect after the stream process died."""

import pytest
from playwright.sync_api import expect

from tests.e2e.live import SET_HIDDEN
from tests.e2e.streaming.conftest import Visit, expect_offer
from tests.support.streaming.client import Scene
from webapp.streaming import keys as stream_keys

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("live site")]


@pytest.mark.long
@pytest.mark.empty_site
def test_posts_made_while_the_stream_process_is_dead_are_offered_once(
    scene: Scene, visit: Visit
) -> None:
    pages = [
        visit("/home"),
        visit("/public", member=False),
        visit(f"/@{scene.login('ann')}", member=False),
    ]
    scene.post("before")
    for page in pages:
        expect_offer(page, "1 new post")
    assert scene.program
    scene.program.kill()
    missed = [f"missed {number}" for number in range(5)]
    for text in missed:
        scene.post(text)
    scene.begin()
    for page in pages:
        expect_offer(page, "6 new posts")
        page.locator(".live-button").click()
        expect(page.locator(".status-body")).to_have_text([*missed[::-1], "before", "an old song"])
    scene.post("after")
    for page in pages:
        expect_offer(page, "1 new post")
        page.locator(".live-button").click()
        expect(page.locator(".status-body")).to_have_text(
            ["after", *missed[::-1], "before", "an old song"]
        )


def test_a_page_without_a_stream_retries_with_growing_pauses(scene: Scene, visit: Visit) -> None:
    page = visit("/public", member=False, listens=False)
    assert scene.program
    scene.program.kill()
    # A timer that does not wait, and records how long it should have waited.
    page.add_init_script(
        """(() => {
            const realSetTimeout = setTimeout
            window.pauses = []
            window.setTimeout = (callback, ms) => {
                if (!new Error().stack.includes("/connection")) return realSetTimeout(callback, ms)
                return pauses.push(ms) < 9 && realSetTimeout(callback)
            }
            Math.random = () => 0.5
        })()"""
    )
    page.goto("/public")
    page.wait_for_function("() => pauses.length === 9")
    growing = [500, 1_000, 2_000, 4_000, 8_000, 16_000]
    assert page.evaluate("pauses") == [*growing, 30_000, 30_000, 30_000]
    assert page.evaluate("listening") == 0


def test_a_page_too_old_to_catch_up_reloads_unless_a_draft_is_open(
    scene: Scene, visit: Visit
) -> None:
    reader, writer = visit("/home"), visit("/home")
    for page in (reader, writer):
        page.evaluate(SET_HIDDEN, True)
    writer.get_by_label("What’s happening?").fill("my dra")
    assert scene.program
    scene.program.kill()
    scene.post("the newest", count=2)
    scene.site.db.run(("XTRIM", stream_keys.event_log(), "MAXLEN", "=", 1))
    scene.begin()
    for page in (reader, writer):
        page.evaluate(SET_HIDDEN, False)
    expect(reader.locator(".status-body")).to_have_text(["the newest", "the newest", "an old song"])
    expect_offer(writer, "This page is out of date. Reload it.")
    expect(writer.get_by_label("What’s happening?")).to_have_value("my dra")
    writer.locator(".live-button").click()
    expect(writer.locator(".status-body")).to_have_text(["the newest", "the newest", "an old song"])
