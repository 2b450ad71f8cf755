"""Open chats on the live site: ann and ben follow each other and have a group."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page

from tests.e2e.contexts import Contexts
from tests.e2e.live import LivePages
from tests.support.chat import group, send_messages
from tests.support.live_site import LiveSite
from tests.support.streaming.client import Scene
from webapp.chat.inbox import chat_state
from webapp.notifications import store as notifications

Visit = Callable[..., Page]
CHAT_PAGE = 12  # messages a page of the live site
# Counts the streams that a page has open, from before its scripts run.
COUNT_STREAMS = """(() => {
    const Real = EventSource
    window.listening = 0
    window.EventSource = class extends Real {
        constructor(...parameters) {
            super(...parameters)
            this.addEventListener("open", () => listening++)
        }
        close() { listening -= this.readyState === 1; super.close() }
    }
})()"""


@pytest.fixture
def scene(live_site: LiveSite) -> Iterator[Scene]:
    """ann and ben follow each other, have a group, and have read their notifications."""
    scene = live_site.new_scene()
    scene.ben = scene.join("ben")
    scene.follow(scene.ben, "ann")
    scene.follow(scene.ann, "ben")
    scene.cid = group(live_site, scene.ann, [scene.ben])
    scene.apply_events()
    chat_state.mark_read(live_site.db, scene.ben, scene.cid, 0)
    for uid in (scene.ann, scene.ben):
        notifications.mark_all(live_site.db, uid)
    yield scene
    scene.close()


@pytest.fixture
def visit(contexts: Contexts, scene: Scene) -> Iterator[Visit]:
    """Open a page as a member and wait until it listens. Without a path it is the group."""
    pages = LivePages(contexts, scene, COUNT_STREAMS)

    def open_page(uid: int, path: str = "", listens: bool = True, **options: object) -> Page:
        page = pages.open(path or f"/chats/{scene.cid}", uid, **options)
        if listens:
            until_listening(page)
        return page

    yield open_page
    pages.close()


def until_listening(page: Page) -> None:
    """Wait until a page has one open stream."""
    page.wait_for_function("() => listening === 1")


def message_texts(page: Page) -> Locator:
    """Return the texts of the messages that were sent."""
    return page.locator(".message:not(.pending) .message-text")


def composer(page: Page) -> Locator:
    """Return the field that messages are typed into."""
    return page.locator("#composer textarea")


def send(page: Page, text: str) -> None:
    """Type a message and send it."""
    composer(page).fill(text)
    composer(page).press("Enter")


def post_messages(scene: Scene, *texts: str, uid: int = 0) -> list[int]:
    """Send messages to the group without a browser, as ann if no other member is given."""
    sent = scene.do(send_messages, uid or scene.ann, scene.cid, *texts)
    return sent
