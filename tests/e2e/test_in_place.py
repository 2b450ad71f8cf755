"""What members do without leaving the page: post, reply, vote and follow."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import (
    OpenPage,
    add_member,
    add_pictures,
    add_post,
    fill,
    open_part,
    sign_up,
)
from tests.e2e.keyboard import press_while_composing
from tests.support.chat_pages import png_file
from webapp.core.rendering.static.assets import site_assets

FIELD = ".composer-input"
POST = ".composer-send button"
REPLACE_PARTS = f"/static/{site_assets().by_name('js/core/replace-parts.js').path}"


def mark(page: Page) -> Callable[[], bool]:
    """Return a function that says whether the page is still the one that is open now."""
    page.wait_for_load_state()
    page.evaluate("window.marked = true")
    return lambda: bool(page.evaluate("window.marked === true"))


def choose_picture(page: Page) -> None:
    """Choose a picture in the composer."""
    add_pictures(page, {"name": "a.png", "mimeType": "image/png", "buffer": png_file().read()})
    page.get_by_label("Description of picture 1").fill("a square")


def test_posts_appear_at_the_top_and_the_form_is_blank_again(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren")
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    is_same_page = mark(page)
    field = page.locator(FIELD)
    field.fill("你好shijie")
    press_while_composing(field, "Enter", ctrlKey=True, isComposing=True)  # posts nothing
    for text in ("你好世界", "second", "third"):
        field.fill(text)
        field.press("Control+Enter")
        expect(page.locator(".status-body").first).to_have_text(text)
        expect(field).to_have_value("")
        expect(field).to_be_focused()
    expect(page.get_by_text("Nothing here yet")).to_have_count(0)
    expect(page.locator(".status-body")).to_have_text(["third", "second", "你好世界"])
    expect(page.get_by_role("status").filter(has_text="Posted")).to_have_class("visually-hidden")
    expect(page.locator(".live-button")).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 140})  # the new post is out of sight
    field.fill("fourth")
    field.press("Control+Enter")
    expect(page.locator(".toast")).to_have_text("Posted · View")
    assert is_same_page()
    page.locator(".toast a").click()
    expect(page.locator(".status-large .status-body")).to_have_text("fourth")
    page.goto("/home")
    expect(page.locator(".status-body")).to_have_text(["fourth", "third", "second", "你好世界"])


def test_a_post_that_a_shorter_form_moves_out_of_sight_is_announced(open_page: OpenPage) -> None:
    page = sign_up(open_page(width=390), "wren", post="first")
    for number in range(9):
        page.locator(FIELD).fill(f"line\nof {number}")
        page.locator(FIELD).press("Control+Enter")
        expect(page.locator(".status")).to_have_count(number + 2)
    page.locator(FIELD).fill("Which?")
    open_part(page, "Add a poll")
    fill(page, **{"Answer 1": "this", "Answer 2": "that"})
    page.locator(POST).evaluate("button => button.scrollIntoView({ block: 'start' })")
    page.locator(POST).click()
    expect(page.locator(".status-body").first).to_have_text("Which?")
    expect(page.locator(".toast")).to_have_text("Posted · View")


@pytest.mark.long
def test_the_parts_of_a_post_are_sent_and_closed(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren")
    is_same_page = mark(page)
    page.locator(FIELD).fill("look")
    open_part(page, "Add a warning")
    page.get_by_label("Warning", exact=True).fill("a picture")
    choose_picture(page)
    expect(page.locator(".attach canvas")).to_have_count(1)
    page.locator(POST).click()
    expect(page.locator(".status-cw > summary")).to_contain_text("a picture")
    expect(page.locator(".status .gallery-picture")).to_have_count(1)
    expect(page.locator(".attach canvas")).to_have_count(0)
    expect(page.locator(".composer details[open]")).to_have_count(0)
    page.locator(FIELD).fill("nothing of the first post")
    page.locator(POST).click()
    expect(page.locator(".status-body").first).to_have_text("nothing of the first post")
    expect(page.locator(".status .gallery-picture")).to_have_count(1)
    expect(page.locator(".status-cw")).to_have_count(1)
    assert is_same_page()


def test_a_reply_appears_above_the_others(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren", post="a song")
    page.locator(".status-time").first.click()
    expect(page.locator(".thread")).to_be_hidden()
    is_same_page = mark(page)
    for number, text in enumerate(("so it is", "so it was"), 1):
        page.locator(FIELD).fill(text)
        page.locator(POST).click()
        expect(page.locator(".thread .status-body").first).to_have_text(text)
        expect(page.locator(".thread .status")).to_have_count(number)
    expect(page.locator(".thread-title")).to_be_visible()
    assert is_same_page()
    page.reload()
    expect(page.locator(".thread .status")).to_have_count(2)


def test_a_refused_post_stays_in_the_form_with_its_pictures(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    page = sign_up(open_page(), "wren")
    is_same_page = mark(page)
    field = page.locator(FIELD)
    field.fill("x" * 600)
    choose_picture(page)
    expected_errors.append("422")
    field.press("Control+Enter")
    expect(page.get_by_role("alert")).to_have_text("That’s 320 characters too long.")
    expect(field).to_have_value("x" * 600)
    expect(field).to_be_focused()
    field.fill("short")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.locator(POST).click()
    expect(page.locator(".status .gallery-picture")).to_have_count(1)
    assert is_same_page()


def lose_the_answer(route: Route) -> None:
    route.fetch()
    route.abort("connectionaborted")


def be_restarted(route: Route) -> None:
    route.fulfill(status=502, body="<p>Bad gateway")


@pytest.mark.parametrize(
    ("answer", "error", "toast"),
    [
        (lose_the_answer, "ERR_CONNECTION_ABORTED", "Check your connection"),
        (be_restarted, "502", "go through"),
    ],
)
def test_a_post_that_was_not_answered_is_kept_and_sent_again_and_is_there_once(
    open_page: OpenPage,
    expected_errors: list[str],
    answer: Callable[[Route], None],
    error: str,
    toast: str,
) -> None:
    page = sign_up(open_page(), "wren")
    page.wait_for_load_state()
    expected_errors.append(error)
    page.route("**/statuses", answer)
    page.locator(FIELD).fill("once")
    page.locator(POST).click()
    expect(page.locator(".toast")).to_contain_text(toast)
    expect(page.locator(FIELD)).to_have_value("once")
    page.unroute("**/statuses")
    page.locator(POST).click()
    expect(page.locator(".status-body")).to_have_text(["once"])
    expect(page.locator(FIELD)).to_have_value("")
    page.goto("/home")
    expect(page.locator(".status-body")).to_have_text(["once"])


@pytest.mark.long
def test_nothing_is_written_while_a_post_is_sent(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren")
    is_same_page = mark(page)
    routes: list[Route] = []
    page.route("**/statuses", lambda route: routes.append(route))
    field = page.locator(FIELD)
    field.fill("once")
    with page.expect_request("**/statuses"):
        field.press("Control+Enter")
    expect(page.locator(".composer")).to_have_attribute("inert", "")
    page.keyboard.type("lost")
    expect(field).to_have_value("once")
    [route] = routes
    route.continue_()
    expect(page.locator(".status-body")).to_have_text(["once"])
    expect(field).to_have_value("")
    expect(field).to_be_focused()
    assert is_same_page()


@pytest.mark.long
def test_a_post_is_sent_without_the_script_that_stays_on_the_page(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    page = sign_up(open_page(), "wren")
    is_same_page = mark(page)
    expected_errors += ["ERR_FAILED", "post-in-place"]
    page.route("**/post-in-place*", lambda route: route.abort())
    page.locator(FIELD).fill("all the same")
    page.locator(POST).click()
    expect(page.locator(".status-body")).to_have_text(["all the same"])
    page.wait_for_load_state()
    expect(page.locator(FIELD)).to_have_value("")
    assert not is_same_page()


@pytest.mark.parametrize("warning", ["", "a question"])
def test_a_vote_shows_the_results(open_page: OpenPage, warning: str) -> None:
    ann, page = open_page(), open_page()
    sign_up(ann, "ann")
    sign_up(page, "wren")
    ann.locator(FIELD).fill("Which?")
    if warning:
        open_part(ann, "Add a warning")
        fill(ann, Warning=warning)
    open_part(ann, "Add a poll")
    fill(ann, **{"Answer 1": "this", "Answer 2": "that"})
    ann.locator(POST).click()
    expect(ann.locator(".poll-results")).to_have_count(1)
    page.goto("/public")
    is_same_page = mark(page)
    for part in page.locator(".status-cw > summary").all():
        part.click()
    page.get_by_role("radio", name="that").check()
    page.get_by_role("button", name="Vote").click()
    expect(page.locator(".poll-result b")).to_have_text(["0%", "100%"])
    expect(page.locator(".poll-results")).to_be_visible()
    expect(page.locator(".status")).to_be_focused()
    assert is_same_page()


def test_a_follow_changes_the_button_and_the_numbers(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    add_member("ann")
    page = sign_up(open_page(), "wren", "/@ann")
    is_same_page = mark(page)
    page.get_by_role("button", name="Follow @ann").click()
    button = page.get_by_role("button", name="Following. Unfollow @ann")
    expect(button).to_be_focused()
    expect(button.get_by_text("Following")).to_be_visible()  # although the pointer is there
    expect(page.locator(".profile .counts")).to_contain_text("1 follower")
    button.click()
    expect(page.get_by_role("button", name="Follow @ann", exact=True)).to_be_focused()
    expect(page.locator(".profile .counts")).to_contain_text("0 followers")
    assert is_same_page()
    page.context.clear_cookies()  # signed out elsewhere
    expected_errors.append("400")
    page.get_by_role("button", name="Follow @ann", exact=True).click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Ann")


def refuse_connections(page: Page) -> None:
    page.route("**/*", lambda route: route.abort("connectionrefused"))


def answer_as_a_proxy(page: Page) -> None:
    page.route("**/*", be_restarted)


@pytest.mark.parametrize(
    ("leave", "error"),
    [
        (lambda page: page.context.set_offline(True), "ERR_INTERNET_DISCONNECTED"),
        (refuse_connections, "ERR_CONNECTION_REFUSED"),
        (answer_as_a_proxy, "502"),
    ],
)
def test_a_like_and_a_follow_without_an_answer_leave_the_page_as_it_is(
    open_page: OpenPage, expected_errors: list[str], leave: Callable[[Page], None], error: str
) -> None:
    add_post(add_member("ann"), "a song")
    page = sign_up(open_page(), "wren", "/@ann")
    is_same_page = mark(page)
    like = page.locator(".action-like")
    follow = page.get_by_role("button", name="Follow @ann")
    page.evaluate("path => import(path)", REPLACE_PARTS)  # is at hand
    expected_errors.append(error)
    leave(page)
    for button in (like, follow):
        button.click()
        expect(page.locator(".toast")).to_contain_text("Check your connection")
        page.locator(".toast").evaluate("line => line.replaceChildren()")
    page.context.set_offline(False)
    page.unroute("**/*")
    like.click()
    expect(like).to_have_attribute("aria-pressed", "true")
    follow.click()
    expect(page.get_by_role("button", name="Following. Unfollow @ann")).to_be_visible()
    assert is_same_page()
