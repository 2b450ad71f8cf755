"""Tabs of hot posts, and views that a page reports by itself."""

from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, sign_in
from tests.support.processes import until
from tests.support.world import Web, World

SHOW_ONE = """(posts, shown) => posts.forEach((post, number) => {
    post.style.display = number === shown ? "" : "none"
})"""
# Count how often a page was told which posts are half on the screen.
COUNT_LOOKS = """
    window.looks = 0
    window.IntersectionObserver = class extends IntersectionObserver {
        constructor(callback, options) {
            const isOfViews = options?.threshold === 0.5
            super((...found) => { callback(...found); window.looks += isOfViews }, options)
        }
    }
"""


@pytest.fixture(autouse=True)
def liked_post(web: Web) -> int:
    """Let ann write two posts, of which ben likes the first. Return its id."""
    ann, ben = web.people("ann", "ben")
    first, _ = (web.post(ann, text) for text in ("one", "two"))
    web.do(World.like, ben, first)
    return first


def test_the_tabs_lead_from_the_newest_posts_to_the_most_popular(open_page: OpenPage) -> None:
    page = open_page()
    page.goto("/public")
    expect(page.locator(".status-body")).to_have_text(["two", "one"])
    page.get_by_role("link", name="Popular", exact=True).click()
    expect(page.locator(".status-body")).to_have_text(["one", "two"])
    expect(page.get_by_role("link", name="Popular", exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    page.get_by_role("link", name="Newest", exact=True).click()
    expect(page.locator(".status-body")).to_have_text(["two", "one"])


def test_a_post_on_the_screen_is_reported_and_its_author_is_told(
    open_page: OpenPage, liked_post: int
) -> None:
    reader = open_page()
    sign_in(reader, "ben")
    with reader.expect_request("**/statuses/views") as reported:
        reader.goto("/explore?lang=all")
    assert str(liked_post) in (reported.value.post_data or "")
    author = open_page()
    sign_in(author, "ann")

    def has_count() -> bool:
        author.goto(f"/@ann/{liked_post}")
        return author.get_by_text("Seen by 1 person").count() == 1

    until(has_count)


@pytest.mark.long
def test_only_a_post_that_was_on_the_screen_for_a_second_is_reported(open_page: OpenPage) -> None:
    reader = open_page()
    sign_in(reader, "ben")
    reader.add_init_script(COUNT_LOOKS)
    reader.clock.install(time=0)
    reader.clock.pause_at(1)
    reader.goto("/explore?lang=all")
    posts = reader.locator(".status[id]")
    expect(posts).to_have_count(2)
    shown = str(posts.last.get_attribute("id")).removeprefix("status-")

    def show(number: int, milliseconds: int) -> None:
        looks = reader.evaluate("looks")
        posts.evaluate_all(SHOW_ONE, number)
        until(lambda: reader.evaluate("looks") > looks)
        reader.clock.run_for(milliseconds)

    until(lambda: reader.clock.run_for(10) or reader.evaluate("looks"))
    show(-1, 0)
    show(0, 999)
    show(1, 1_000)
    with reader.expect_request("**/statuses/views") as report:
        reader.clock.run_for(3_000)
    assert parse_qs(report.value.post_data or "") == {"ids": [shown]}
