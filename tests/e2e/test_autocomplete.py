"""Test suggestions after @ and # in a browser: keys, pointer, touch, input methods, all fields."""

from collections.abc import Callable
from threading import Event

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, add_member, add_post, set_language, sign_up, write_post

OPTION = "#completions [role=option]"
SENT = "**/autocomplete/*?q=*"


@pytest.fixture
def ann(open_page: OpenPage) -> Page:
    """Ann's home, on a site with Ben, Bea and Bob, who wrote about #bees and #birds."""
    return join_all(open_page)


def join_all(open_page: OpenPage, **options: object) -> Page:
    for login in ("ben", "bea", "bob_the_robin"):
        add_post(add_member(login), f"Hello from {login} #bees #birds{len(login)}")
    page = sign_up(open_page(**options), "ann")
    return page


def composer(page: Page) -> Locator:
    return page.locator(".composer-input").first


def expect_open(field: Locator, count: int) -> None:
    """Expect a list of so many suggestions below a field, as a screen reader learns of it."""
    page = field.page
    expect(page.locator(OPTION)).to_have_count(count)
    expect(page.locator("#completions")).to_be_visible()
    expect(page.locator("#completions")).to_have_role("listbox")
    expect(field).to_have_role("combobox")
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(field).to_have_attribute("aria-controls", "completions")
    words = "1 suggestion" if count == 1 else f"{count} suggestions"
    expect(page.locator("body > [role=status]")).to_have_text(words)


def expect_closed(field: Locator) -> None:
    expect(field.page.locator(OPTION).locator("visible=true")).to_have_count(0)
    for name in ("role", "aria-expanded", "aria-controls", "aria-activedescendant"):
        assert field.get_attribute(name) is None


def requests_of(page: Page) -> list[str]:
    """Return a list that gets the address of each question from now on."""
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if "?q=" in request.url else None)
    return sent


def test_members_and_hashtags_are_taken_with_the_keyboard_alone(ann: Page) -> None:
    scripts: list[str] = []
    ann.on("request", lambda request: scripts.append(request.url))
    ann.goto("/home")
    field = composer(ann)
    field.press_sequentially("Good morning b")
    expect_closed(field)
    assert not any("/autocomplete." in url for url in scripts)
    field.press_sequentially(" @B")
    expect_open(field, 3)
    expect(field).to_have_attribute("aria-activedescendant", "completion-0")
    first = ann.locator(OPTION).first
    expect(first).to_have_attribute("aria-selected", "true")
    field.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "completion-1")
    expect(first).to_have_attribute("aria-selected", "false")
    field.press("ArrowUp")
    field.press("ArrowUp")
    expect(field).to_have_attribute("aria-activedescendant", "completion-2")
    login = ann.locator(OPTION).nth(2).get_attribute("data-value")
    field.press("Enter")
    expect(field).to_have_value(f"Good morning b @{login} ")
    expect_closed(field)
    field.press_sequentially("@bea")
    expect_open(field, 1)
    field.press("Tab")
    expect(field).to_have_value(f"Good morning b @{login} @bea")  # it was whole already
    expect_closed(field)
    field.fill("")
    field.press_sequentially("Look: #be")
    expect_open(field, 1)
    assert field.get_attribute("aria-activedescendant") == "completion-0"
    field.press("Escape")
    field.press("Enter")
    expect(field).to_have_value("Look: #be\n")
    field.press_sequentially("#BI")
    expect_open(field, 2)
    name = ann.locator(OPTION).first.get_attribute("data-value")
    field.press("Enter")
    expect(field).to_have_value(f"Look: #be\n#{name} ")


@pytest.mark.long
def test_tab_takes_the_first_and_lists_that_are_no_longer_true_take_nothing(ann: Page) -> None:
    field = composer(ann)
    field.press_sequentially("@be")
    expect_open(field, 2)
    field.press("Escape")
    expect_closed(field)
    sent = requests_of(ann)
    field.press_sequentially("n")
    field.press_sequentially(" @bo")
    expect_open(field, 1)
    assert {url.rpartition("=")[2] for url in sent} <= {"", "b", "bo"}
    field.press("Tab")
    expect(field).to_have_value("@ben @bob_the_robin ")
    expect(field).to_be_focused()
    field.fill("")
    field.press_sequentially("@b")
    expect_open(field, 3)
    sent = requests_of(ann)
    ann.route(SENT, fail_on_request)
    field.press_sequentially("x")
    field.press("Enter")
    expect(field).to_have_value("@bx\n")
    expect_closed(field)
    ann.unroute(SENT)
    field.press_sequentially("@b")
    expect_open(field, 3)
    ann.route(SENT, fail_on_request)
    field.press_sequentially(" #")
    expect_closed(field)
    until(ann, lambda: any(url.endswith("tags?q=") for url in sent))
    ann.unroute_all(behavior="ignoreErrors")


@pytest.mark.long
def test_a_script_that_does_not_arrive_is_asked_for_again(
    ann: Page, expected_errors: list[str]
) -> None:
    expected_errors += ["/autocomplete.", "dynamically imported module"]
    ann.route("**/autocomplete.*", lambda route: route.abort(), times=1)
    field = composer(ann)
    field.press_sequentially("@")
    expect_closed(field)
    field.press_sequentially("b")
    expect_open(field, 3)


def fail_on_request(route: Route) -> None:
    """Leave a question without an answer."""


@pytest.mark.long
def test_what_follows_the_caret_stays(ann: Page) -> None:
    field = composer(ann)
    field.fill("ask @ about")
    field.evaluate("field => field.setSelectionRange(5, 5)")
    field.press_sequentially("be")
    expect_open(field, 2)
    field.press("ArrowRight")
    expect_closed(field)
    field.press("ArrowLeft")
    field.press_sequentially("n")
    expect_open(field, 1)
    ann.locator(OPTION).click()
    expect(field).to_have_value("ask @ben about")
    field.press_sequentially("!")
    expect(field).to_have_value("ask @ben !about")


@pytest.mark.long
def test_other_words_get_no_list(ann: Page) -> None:
    sent = requests_of(ann)
    field = composer(ann)
    for text in ("mail me@be", "https://x.org/@be", "@@be", "be", "@ be", "&#be"):
        field.press_sequentially(f"{text}\n")
    field.press_sequentially("@bo")
    expect_open(field, 1)
    assert {url.rpartition("?")[2] for url in sent} <= {"q=", "q=b", "q=bo"}


@pytest.mark.long
def test_keys_are_bundled_and_late_answers_are_dropped(ann: Page) -> None:
    held: list[Route] = []
    released = Event()

    def hold(route: Route) -> None:
        if route.request.url.endswith("q=be") and not released.is_set():
            held.append(route)
        else:
            route.continue_()

    ann.route(SENT, hold)
    sent = requests_of(ann)
    field = composer(ann)
    field.press_sequentially("@be")
    until(ann, lambda: bool(held))
    field.press_sequentially("n")
    expect_open(field, 1)
    released.set()
    held[0].continue_()
    ann.wait_for_timeout(300)
    expect_open(field, 1)
    assert len([url for url in sent if url.endswith("q=b")]) <= 1


def until(page: Page, is_true: Callable[[], bool]) -> None:
    while not is_true():
        page.wait_for_timeout(20)


def test_nothing_is_requested_while_an_input_method_composes(ann: Page) -> None:
    field = composer(ann)
    sent = requests_of(ann)
    field.focus()
    session = ann.context.new_cdp_session(ann)
    session.send("Input.insertText", {"text": "@"})
    until(ann, lambda: len(sent) == 1)
    for text in ("b", "be"):
        session.send(
            "Input.imeSetComposition", {"text": text, "selectionStart": 1, "selectionEnd": 1}
        )
    ann.wait_for_timeout(400)
    assert len(sent) == 1
    session.send("Input.insertText", {"text": "be"})  # chosen
    expect_open(field, 2)
    # A key that the input method takes is not the list's.
    field.evaluate(
        """field => field.dispatchEvent(new KeyboardEvent("keydown", {
            key: "Enter", keyCode: 229, bubbles: true, cancelable: true}))"""
    )
    expect(field).to_have_value("@be")
    expect_open(field, 2)


@pytest.mark.long
def test_the_list_stays_in_sight_on_a_phone(open_page: OpenPage) -> None:
    page = join_all(open_page, viewport={"width": 390, "height": 700}, has_touch=True)
    field = composer(page)
    for text in ("@b", "a " * 15 + "@b", "\n" * 14 + "a " * 22 + "@b"):
        field.fill("")
        expect_closed(field)
        field.fill(text[:-1])
        field.press_sequentially(text[-1])
        expect_open(field, 3)
        box = page.locator("#completions").bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390, text
        assert box["y"] >= 0 and box["y"] + box["height"] <= 700, text
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.locator(OPTION, has_text="@bea").tap()
    expect(field).to_have_value("\n" * 14 + "a " * 22 + "@bea ")
    expect(field).to_be_focused()


def test_the_fields_of_threads_replies_edits_and_chats_suggest(
    ann: Page, expected_errors: list[str]
) -> None:
    expected_errors.append("/typing")  # there is no chat before its first message
    page = ann
    composer(page).fill("first")
    page.get_by_role("button", name="Add another post").click()
    fields = page.locator(".composer-more textarea")
    take_ben(fields.first)
    write_post(page, "A post to answer")
    page.locator(".status-time").first.click()
    take_ben(composer(page))
    page.goto("/statuses/new")
    expect(composer(page)).to_have_value("first")  # which was not sent
    composer(page).fill("")
    take_ben(composer(page))
    page.goto("/@ann")
    page.goto(f"{page.locator('.status-time').first.get_attribute('href')}/edit")
    composer(page).fill("")
    take_ben(composer(page))
    page.goto("/chats/1-4")
    box = page.locator(".chat-input")
    take_ben(box)
    box.press("Enter")
    expect(page.locator(".message-text")).to_have_text("@ben")


def test_a_field_that_a_script_fills_leaves_the_list_of_another(ann: Page) -> None:
    page = ann
    composer(page).fill("first")
    page.get_by_role("button", name="Add another post").click()
    other = page.locator(".composer-more textarea").first
    expect(other).to_be_focused()
    composer(page).fill("@be")
    expect_open(composer(page), 2)
    other.evaluate(
        "one => { one.value = '@ben '; one.dispatchEvent(new Event('input', {bubbles: true})) }"
    )
    composer(page).press("Enter")
    expect(composer(page)).to_have_value("@ben ")


def take_ben(field: Locator) -> None:
    """Take Ben with Enter, which sends nothing."""
    field.press_sequentially("@be")
    expect_open(field, 2)
    field.page.locator(OPTION, has_text="@ben").hover()
    while field.get_attribute("aria-activedescendant") != (
        field.page.locator(OPTION, has_text="@ben").get_attribute("id")
    ):
        field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("@ben ")


@pytest.mark.long
def test_a_list_closes_with_the_focus_and_a_failure_is_silent(
    ann: Page, expected_errors: list[str]
) -> None:
    expected_errors.append("/autocomplete/")
    field = composer(ann)
    field.press_sequentially("@be")
    expect_open(field, 2)
    field.blur()
    expect_closed(field)
    ann.route(SENT, lambda route: route.fulfill(status=500, body="no"))
    field.fill("")
    field.press_sequentially("@b")
    ann.wait_for_timeout(400)
    expect_closed(field)
    ann.unroute(SENT)
    ann.route(SENT, lambda route: route.abort())
    field.press_sequentially("e")
    ann.wait_for_timeout(400)
    expect_closed(field)
    expect(field).to_have_value("@be")


@pytest.mark.parametrize("scheme", [long("light"), "dark"])
def test_the_active_one_stands_out_by_day_and_night(open_page: OpenPage, scheme: str) -> None:
    page = join_all(open_page, color_scheme=scheme)
    set_language(page, "zh")
    page.goto("/home")
    field = composer(page)
    field.press_sequentially("@be")
    expect(page.get_by_role("listbox", name="推荐的用户")).to_be_visible()
    colors = page.locator(OPTION).evaluate_all(
        "options => options.map(option => getComputedStyle(option).backgroundColor)"
    )
    assert len(set(colors)) == 2
    expect(page.locator("body > [role=status]")).to_have_text("2 条建议")


@pytest.mark.long
def test_without_scripts_nothing_changes(open_page: OpenPage) -> None:
    page = sign_up(open_page(scripts=False), "ann")
    field = composer(page)
    field.press_sequentially("@a")
    assert field.get_attribute("role") is None
    expect(page.locator("#completions")).to_have_count(0)
