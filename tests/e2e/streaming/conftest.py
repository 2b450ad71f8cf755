"""Open pages on the live site: ann has posted, and ben follows her."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.contexts import Contexts
from tests.e2e.live import LivePages
from tests.support.live_site import LiveSite
from tests.support.streaming.client import Scene

Visit = Callable[..., Page]
# Counts the streams that a page has open, from before its scripts run.
COUNT_STREAMS = """(() => {
    const Real = EventSource
    window.opened = 0, window.listening = 0, window.paths = []
    window.EventSource = class extends Real {
        constructor(...given) {
            super(...given)
            opened++
            listening++
            paths.push(new URL(given[0]).pathname)
        }
        close() { listening--; super.close() }
    }
})()"""


@pytest.fixture
def scene(live_site: LiveSite, request: pytest.FixtureRequest) -> Iterator[Scene]:
    """ann, who has posted once, and ben, who follows her.

    The mark `empty_site` gives them a site of their own.
    """
    scene = live_site.new_scene(empty=bool(request.node.get_closest_marker("empty_site")))
    scene.ben = scene.join("ben")
    scene.follow(scene.ben, "ann")
    scene.post("an old song")
    yield scene
    scene.close()


@pytest.fixture
def visit(contexts: Contexts, scene: Scene, expected_errors: list[str]) -> Iterator[Visit]:
    """Open a page as ben, another member or a visitor, and wait until it listens."""
    pages = LivePages(contexts, scene, COUNT_STREAMS, expected_errors)

    def open_page(
        path: str, member: bool = True, listens: bool = True, uid: int = 0, **options: object
    ) -> Page:
        page = pages.open(path, (uid or scene.ben) if member else None, **options)
        if listens:
            until_listening(page)
        return page

    yield open_page
    pages.close()


def until_listening(page: Page, count: int = 1) -> None:
    """Wait until a page has opened so many streams, one of which is still open."""
    page.wait_for_function("count => opened >= count && listening === 1", arg=count)


def expect_offer(page: Page, words: str) -> None:
    """Expect a page to offer new posts or replies with these words."""
    expect(page.locator(".live-button")).to_have_text(words)
    expect(page.locator(".live-button")).to_be_visible()
