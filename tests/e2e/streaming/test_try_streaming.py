"""The page where members try the streaming API, in a real browser with its EventSource."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.processes import Site, free_port
from tests.support.streaming.client import Scene, scene_on

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("live pages")]
Listen = Callable[[str], Page]
# Counts how often the page's streams of the API were opened, from before its scripts run.
WATCH = """(() => {
    const Real = EventSource
    window.opened = 0
    window.EventSource = class extends Real {
        constructor(...given) {
            super(...given)
            if (this.url.includes("/1.1/")) this.addEventListener("open", () => opened++)
        }
    }
})()"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A store whose pages are served as on a real site."""
    site = Site(tmp_path_factory.mktemp("try"), port=free_port())
    yield site
    site.close()


@pytest.fixture
def scene(site: Site) -> Iterator[Scene]:
    """ann, who writes, and ben, who listens; pages and streams run, each at a port of its own."""
    site.settings["stream_port"] = free_port()
    with scene_on(site) as scene:
        scene.port = site.settings["stream_port"]
        scene.ben = scene.join("ben")
        scene.begin()
        site.serve(site.config.port, inline_projections=True)
        yield scene


@pytest.fixture
def listen(browser: Browser, scene: Scene) -> Iterator[Listen]:
    """Opens the page as ben, with these words to look for, and waits until its stream is open."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_(track: str) -> Page:
        base = f"http://127.0.0.1:{scene.site.config.port}"
        contexts.append(browser.new_context(base_url=base))
        cookie = scene.sign_in(scene.ben)["Cookie"].partition("linnet=")[2]
        contexts[-1].add_cookies([{"name": "linnet", "value": cookie, "url": base}])
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: complaints.append(said.text) if "Security" in said.text else None,
        )
        page.add_init_script(WATCH)
        page.goto(f"/about/streaming?track={track}")
        page.wait_for_function("() => opened === 1")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


def shows(page: Page, *texts: str) -> None:
    """Exactly these posts of ann are shown, the newest first, in time."""
    lines = "".join(f"@ann: {text}\n" for text in reversed(texts))
    page.wait_for_function(
        "lines => document.querySelector('[data-tap]').textContent === lines", arg=lines
    )


def test_what_fits_is_shown_as_it_is_posted_and_nothing_else(scene: Scene, listen: Listen) -> None:
    page = listen("wren,麻雀")
    expect(page.locator("[data-tap]")).to_have_text("")
    scene.post("only a robin")
    scene.post("a Wren, singing")
    shows(page, "a Wren, singing")
    for text in ("wrens are not meant", "我的麻雀很小", "<b>wren</b> & “more”", "a dunnock"):
        scene.post(text)
    scene.post("the last #wren")
    shows(page, "a Wren, singing", "我的麻雀很小", "<b>wren</b> & “more”", "the last #wren")


def test_a_browser_comes_back_after_kill_9_and_misses_and_repeats_nothing(
    scene: Scene, listen: Listen
) -> None:
    page, told = listen("wren"), ["wren 1"]
    scene.post("wren 1")
    shows(page, *told)
    for turn in (1, 2):
        assert scene.program
        scene.program.kill()
        for number in range(5):
            scene.post("a robin")
            told.append(f"wren {turn} {number}")
            scene.post(told[-1])
        scene.begin()
        shows(page, *told)
        assert page.evaluate("() => opened") == turn + 1
        told.append(f"wren {turn} after")
        scene.post(told[-1])
        shows(page, *told)
