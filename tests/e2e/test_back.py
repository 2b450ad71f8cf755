"""Going back to a page that the browser kept: only the session that it was made for sees it again.

Playwright starts Chromium without that cache, and the headless shell has none. These tests start a
whole Chromium with it.
"""

import re
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import BROWSERS, OpenPage, add_member, add_post, log_out, sign_in
from tests.e2e.contexts import Contexts
from tests.support.world import Web
from webapp.accounts import keys as account_keys
from webapp.accounts.sessions import store as sessions

CHROMIUM = next(filter(None, map(shutil.which, BROWSERS[1:])), None)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no whole chromium on the PATH")
SECRET = "the reeds whisper"
# Notes what each frame after the return of a page draws: is it a kept page, and does it show text?
# A page that is left draws frames before it is kept: `watched` ends their notes.
WATCH = """
window.watched = 0
addEventListener("pageshow", ({ persisted }) => {
  const showing = ++window.watched
  const look = () => {
    if (showing !== window.watched) return
    const { visibility } = getComputedStyle(document.body)
    const drawn = JSON.parse(sessionStorage.getItem("drawn") ?? "[]")
    const text = visibility === "visible" ? document.body.innerText : ""
    sessionStorage.setItem("drawn", JSON.stringify([...drawn, [persisted, text]]))
    if (drawn.length < 40) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})
"""

# A function: the policy of the site's pages refuses text that is evaluated again for each look.
DRAWN = "() => JSON.parse(sessionStorage.getItem('drawn') ?? '[]').length > 2"


@pytest.fixture(scope="module")
def browser(launch_browser: Callable[..., Browser]) -> Iterator[Browser]:
    """A browser that keeps pages for going back."""
    option = "--disable-back-forward-cache"
    browser = launch_browser(executable_path=CHROMIUM, ignore_default_args=[option])
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def kept_contexts(browser: Browser) -> Contexts:
    """The contexts of this browser."""
    return Contexts(browser)


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """A page that notes what is drawn."""
    page = open_page()
    page.add_init_script(WATCH)
    return page


@pytest.fixture
def wren(page: Page) -> int:
    """A member who is signed in on the page, at her home, where a post of hers is. Her uid."""
    uid = add_member("wren")
    sign_in(page, "wren")
    add_post(uid, SECRET)
    page.goto("/home")
    expect(page.get_by_text(SECRET)).to_be_visible()
    page.wait_for_load_state("load")
    return uid


def go(page: Page, steps: int) -> None:
    """Go to another page of the history, and note from there on what is drawn."""
    page.wait_for_function("() => window.watched")
    page.evaluate(
        """steps => {
          window.watched++
          sessionStorage.removeItem("drawn")
          history.go(steps)
        }""",
        steps,
    )


def go_back(page: Page, sentence: str) -> list[tuple[bool, str]]:
    """Go back, and return what was drawn until a page has this sentence."""
    go(page, -1)
    expect(page.get_by_text(sentence).first).to_be_visible()
    page.wait_for_function(DRAWN)
    return [(kept, text) for kept, text in page.evaluate("JSON.parse(sessionStorage.drawn)")]


def test_a_page_of_the_same_session_is_back_at_once(
    page: Page, wren: int, expected_errors: list[str]
) -> None:
    page.goto("/public")
    page.wait_for_load_state("load")
    expected_errors.append("ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)  # so nothing can be asked
    drawn = go_back(page, SECRET)
    assert all(kept and SECRET in text for kept, text in drawn)


def test_nothing_private_is_drawn_after_logging_out(page: Page, wren: int) -> None:
    log_out(page)
    drawn = go_back(page, "Welcome back")
    assert SECRET not in repr(drawn)
    assert "/login" in page.url


@pytest.mark.long
def test_nothing_private_is_drawn_after_logging_out_in_another_tab(page: Page, wren: int) -> None:
    page.goto("/public")
    other = page.context.new_page()
    other.goto("/home")
    log_out(other)
    assert SECRET not in repr(go_back(page, "Welcome back"))


@pytest.mark.long
def test_another_member_of_the_same_browser_sees_their_own_page(page: Page, wren: int) -> None:
    add_member("finch")
    log_out(page)
    sign_in(page, "finch")
    go(page, -3)  # to wren's home
    page.wait_for_function(DRAWN)  # not of the page before, which has the same link
    expect(page.locator(".nav-member a[href='/@finch']").first).to_be_visible()
    expect(page).to_have_url(re.compile("/home$"))
    assert not [
        text for kept, text in page.evaluate("JSON.parse(sessionStorage.drawn)") if kept and text
    ]


def test_a_page_whose_session_ended_elsewhere_does_not_stay(
    page: Page, wren: int, web: Web
) -> None:
    page.goto("/public")
    [sha] = web.db.run(("ZRANGE", account_keys.member_sessions(wren), 0, -1))
    assert sessions.end_one(web, wren, sha)
    go_back(page, "Welcome back")
    assert "/login" in page.url


@pytest.mark.long
def test_the_page_of_a_visitor_is_not_back_after_signing_in(page: Page) -> None:
    add_member("wren")
    page.goto("/public")
    sign_in(page, "wren")
    page.evaluate("sessionStorage.removeItem('drawn')")
    page.evaluate("history.go(-2)")
    page.wait_for_url("**/public")
    expect(page.locator(".nav-member")).to_be_visible()
    drawn = page.evaluate("JSON.parse(sessionStorage.drawn)")
    assert not [text for kept, text in drawn if kept and "Sign up" in text]
