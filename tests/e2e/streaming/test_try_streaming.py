"""Test the page on which members try the streaming API."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.contexts import Contexts
from tests.e2e.live import LivePages
from tests.support.streaming.client import Scene

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("live site")]
Listen = Callable[[str], Page]
# Counts how often a page has opened a stream of the API, from before its scripts run.
COUNT_STREAMS = """(() => {
    const Real = EventSource
    window.opened = 0
    window.EventSource = class extends Real {
        constructor(...given) {
            super(...given)
            if (this.url.includes("/1.1/")) this.addEventListener("open", () => opened++)
        }
    }
})()"""


@pytest.fixture
def listen(contexts: Contexts, scene: Scene) -> Iterator[Listen]:
    """Open the page as ben, with these words to track, and wait until its stream is open."""
    pages = LivePages(contexts, scene, COUNT_STREAMS)

    def open_page(track: str) -> Page:
        page = pages.open(f"/about/streaming?track={track}", scene.ben)
        page.wait_for_function("() => opened === 1")
        return page

    yield open_page
    pages.close()


def wait_for_posts(page: Page, scene: Scene, *texts: str) -> None:
    """Wait until a page shows exactly these posts of ann, the newest first."""
    lines = "".join(f"@{scene.login('ann')}: {text}\n" for text in reversed(texts))
    page.wait_for_function(
        "lines => document.querySelector('[data-output]').textContent === lines", arg=lines
    )


def test_only_matching_posts_are_shown(scene: Scene, listen: Listen) -> None:
    page = listen("wren,麻雀")
    expect(page.locator("[data-output]")).to_have_text("")
    scene.post("only a robin")
    scene.post("a Wren, singing")
    wait_for_posts(page, scene, "a Wren, singing")
    for text in ("wrens are not meant", "我的麻雀很小", "<b>wren</b> & “more”", "a dunnock"):
        scene.post(text)
    scene.post("the last #wren")
    wait_for_posts(
        page, scene, "a Wren, singing", "我的麻雀很小", "<b>wren</b> & “more”", "the last #wren"
    )


@pytest.mark.long
def test_a_browser_reconnects_after_kill_9_without_gaps_or_repeats(
    scene: Scene, listen: Listen
) -> None:
    page = listen("wren")
    texts = ["wren 1"]
    scene.post("wren 1")
    wait_for_posts(page, scene, *texts)
    for turn in (1, 2):
        assert scene.program
        scene.program.kill()
        for number in range(5):
            scene.post("a robin")
            texts.append(f"wren {turn} {number}")
            scene.post(texts[-1])
        scene.begin()
        wait_for_posts(page, scene, *texts)
        assert page.evaluate("() => opened") == turn + 1
        texts.append(f"wren {turn} after")
        scene.post(texts[-1])
        wait_for_posts(page, scene, *texts)
