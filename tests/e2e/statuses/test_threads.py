"""Test writing several posts together in a browser, with and without scripts."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, open_part, sign_up, start_session, write_kept
from tests.support.statuses.pictures import photo

TEXT = "What’s happening?"
PART = "Post {} of the thread"


@pytest.mark.parametrize("scripts", [True, long(False)])
def test_a_thread_is_written_and_posted(
    open_page: OpenPage, expected_errors: list[str], scripts: bool
) -> None:
    page = sign_up(open_page(scripts, 390), "ann")
    page.get_by_label(TEXT).fill("first")
    another = page.get_by_role("button", name="Add another post")
    if scripts:
        expect(page.locator("[data-ring]")).not_to_have_attribute("stroke-dasharray", "0 100")
        expected_errors.append("ERR_INTERNET_DISCONNECTED")
        page.context.set_offline(True)
        another.click()
        expect(page.locator(".toast")).to_contain_text("Check your connection")
        page.context.set_offline(False)
    for number, text in ((2, "second"), (3, "third")):
        another.click()
        expect(page.get_by_label(PART.format(number))).to_be_focused()
        page.get_by_label(PART.format(number)).fill(text)
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-body").filter(has_text="first")).to_be_visible()
    if scripts:
        expect(page.locator(".composer-more")).to_have_count(0)
        expect(page.locator(".status-body")).to_have_text(["first", "second", "third"])
    page.goto("/@ann")
    expect(page.locator(".status-body")).to_have_text(["third", "second", "first"])
    page.goto("/drafts")
    expect(page.get_by_text("No drafts yet")).to_be_visible()


@pytest.mark.long
def test_the_reason_stands_beside_the_post_that_is_refused(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    expected_errors.append("422")
    page = sign_up(open_page(), "ann")
    page.get_by_label(TEXT).fill("first")
    page.get_by_role("button", name="Add another post").click()
    second = page.get_by_label(PART.format(2))
    second.fill("x" * 281)
    row, send = page.locator(".composer-more"), page.locator(".composer-send button")
    expect(row.locator("[data-number]")).to_have_text("-1")
    expect(send).to_be_disabled()
    second.fill("second")
    expect(send).to_be_enabled()
    row.locator(".ask > summary").click()
    row.get_by_label("Answer 1", exact=True).fill("yes")
    send.click()
    expect(row.get_by_role("alert")).to_contain_text("A poll needs at least two answers.")
    expect(page.locator(".status-body")).to_have_count(0)
    row.get_by_label("Answer 2", exact=True).fill("no")
    send.click()
    expect(page.locator(".status-body").filter(has_text="first")).to_be_visible()
    expect(row).to_have_count(0)


def test_a_post_of_a_thread_has_its_own_picture_and_those_below_a_removed_one_move_up(
    open_page: OpenPage,
) -> None:
    page = sign_up(open_page(), "ann")
    page.get_by_label(TEXT).fill("first")
    for number, text in ((2, "second"), (3, "third")):
        page.get_by_role("button", name="Add another post").click()
        page.get_by_label(PART.format(number)).fill(text)
    third = page.locator(".composer-more").nth(1)
    picture = {"name": "a.png", "mimeType": "image/png", "buffer": photo()}
    third.locator(".picture-adder").set_input_files([picture])
    third.get_by_label("Description of picture 1").fill("a red sky")
    third.locator("summary", has_text="Add a warning").click()
    third.locator("[name=more2_cw]").fill("spiders")
    page.get_by_role("button", name="Remove post 2").click()
    expect(page.get_by_label(PART.format(2))).to_have_value("third")
    expect(page.get_by_label(PART.format(2))).to_be_focused()
    expect(page.locator("[name=more1_cw]")).to_have_value("spiders")
    page.locator(".composer-send button").click()
    expect(page.locator(".composer-more")).to_have_count(0)
    page.goto("/@ann")
    warned = page.locator(".status", has_text="spiders")
    warned.locator("summary", has_text="spiders").click()
    expect(warned.locator(".status-body")).to_have_text("third")
    expect(warned.get_by_role("img", name="a red sky")).to_be_visible()


@pytest.mark.long
def test_all_posts_and_the_warning_survive_a_reload(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "ann")
    write_kept(page.get_by_label(TEXT), "first")
    open_part(page, "Add a warning")
    page.locator("[name=cw]").fill("spiders")
    another = page.get_by_role("button", name="Add another post")
    for number, text in ((2, "second"), (3, ""), (4, "x" * 281)):
        another.click()
        page.get_by_label(PART.format(number)).fill(text)
    page.reload()
    expect(page.get_by_label(PART.format(3))).to_have_value("x" * 281)
    expected = ["first", "second", "x" * 281]
    assert [field.input_value() for field in page.locator(".composer-input").all()] == expected
    expect(page.locator("[name=cw]")).to_be_visible()
    expect(page.locator("[name=cw]")).to_have_value("spiders")
    expect(page.locator(".composer-over [data-number]")).to_have_text("-1")
    another.click()
    write_kept(page.get_by_label(PART.format(4)), "fourth")
    page.reload()
    expect(page.get_by_label(PART.format(4))).to_have_value("fourth")
    expect(page.locator(".composer-more")).to_have_count(3)


@pytest.mark.long
def test_ctrl_enter_in_a_further_post_sends_the_thread_and_leaves_nothing(
    open_page: OpenPage,
) -> None:
    page = sign_up(open_page(), "ann")
    page.get_by_label(TEXT).fill("first")
    page.get_by_role("button", name="Add another post").click()
    write_kept(page.get_by_label(PART.format(2)), "second")
    page.reload()
    page.get_by_label(PART.format(2)).press("Control+Enter")
    expect(page.locator(".composer-more")).to_have_count(0)
    expect(page.get_by_label(TEXT)).to_be_focused()
    page.reload()
    expect(page.get_by_label(TEXT)).to_have_value("")
    expect(page.locator(".composer-more")).to_have_count(0)
    page.goto("/@ann")
    expect(page.locator(".status-body")).to_have_text(["second", "first"])


@pytest.mark.long
def test_a_reply_that_was_begun_survives_a_reload(open_page: OpenPage) -> None:
    ann, ben = open_page(), open_page()
    sign_up(ann, "ann", post="a song")
    start_session(ben, "ben")
    ben.goto(str(ann.locator(".status-time").first.get_attribute("href")))
    reply = ben.locator(".composer-input")
    write_kept(reply, "lovely")
    ben.reload()
    expect(reply).to_have_value("lovely")


@pytest.mark.long
def test_a_text_that_was_saved_elsewhere_is_not_replaced(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "ann")
    page.get_by_label(TEXT).fill("saved")
    page.get_by_role("button", name="Save draft").click()
    page.get_by_role("link", name="saved").click()
    other = page.context.new_page()
    other.goto(page.url)
    write_kept(page.get_by_label(TEXT), "unsaved")
    page.reload()
    expect(page.get_by_label(TEXT)).to_have_value("unsaved")
    other.get_by_label(TEXT).fill("saved elsewhere")
    other.get_by_role("button", name="Save draft").click()
    expect(other.get_by_role("link", name="saved elsewhere")).to_be_visible()
    page.reload()
    expect(page.get_by_label(TEXT)).to_have_value("saved elsewhere")


@pytest.mark.parametrize("scripts", [long(True), False])
def test_a_thread_is_kept_as_a_draft_and_scheduled(open_page: OpenPage, scripts: bool) -> None:
    page = sign_up(open_page(scripts, 390), "ann")
    page.get_by_label(TEXT).fill("first")
    another = page.get_by_role("button", name="Add another post")
    another.click()
    page.get_by_label(PART.format(2)).fill("second")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("Thread · 2 posts")).to_be_visible()
    page.get_by_role("link", name="first").click()
    expect(page.get_by_label(PART.format(2))).to_have_value("second")
    when = f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}T06:30"
    page.get_by_text("Post later").click()
    page.get_by_label("When", exact=True).fill(when)
    page.get_by_role("button", name="Schedule").click()
    expect(page.get_by_text("Thread scheduled.")).to_be_visible()
    expect(page.get_by_text("Thread · 2 posts")).to_be_visible()
    page.get_by_role("link", name="first").click()
    another.click()
    page.get_by_label(PART.format(3)).fill("third")
    expect(page.get_by_label("When", exact=True)).to_have_value(when)
    page.get_by_role("button", name="Schedule").click()
    expect(page.get_by_text("Thread · 3 posts")).to_be_visible()


@pytest.mark.parametrize("width", [390, long(1280)])
def test_lines_lead_from_picture_to_picture(open_page: OpenPage, width: int) -> None:
    page = sign_up(open_page(width=width), "ann")
    page.get_by_label(TEXT).fill("first")
    for number, text in ((2, "second"), (3, "third")):
        page.get_by_role("button", name="Add another post").click()
        page.get_by_label(PART.format(number)).fill(text)
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-body").filter(has_text="first")).to_be_visible()
    page.goto("/@ann")
    assert ends_of_lines(page, ".status") == [["after"], ["after", "before"], ["before"]]
    page.locator(".status-time").last.click()
    expect(page.locator(".thread-part")).to_have_count(2)
    assert ends_of_lines(page, ".thread-part > .status") == [["after"], ["before"]]
    page.locator(".thread-part .status-time").last.click()
    expect(page.locator(".thread-above .status")).to_have_count(2)
    assert ends_of_lines(page, ".status") == [["after"], ["after", "before"], ["before"]]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def ends_of_lines(page: Page, selector: str) -> list[list[str]]:
    """Return which lines each post has: one that leads on, and one that leads to its picture.

    All lines must meet the middle of a picture, within 5 pixels.
    """
    found: list[list[str]] = page.evaluate(
        """selector => [...document.querySelectorAll(selector)].map(post => {
            const picture = post.querySelector(".avatar").getBoundingClientRect()
            const middle = picture.left + picture.width / 2 - post.getBoundingClientRect().left
            return ["after", "before"].filter(end => {
                const { content, left, width } = getComputedStyle(post, `::${end}`)
                const isNear = Math.abs(parseFloat(left) + parseFloat(width) / 2 - middle) < 5
                return content !== "none" && isNear
            })
        })""",
        selector,
    )
    return found
