"""Older posts come when a reader nears the end of a list, and "back" leads to the same place."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import OpenPage, sign_in
from tests.support.world import Web

PAGE = 30
PAGES_MAX = 6  # the first, and those that come by themselves
IDS = "posts => posts.map(post => Number(post.id.slice('status-'.length)))"


@pytest.fixture(autouse=True)
def posts(web: Web) -> int:
    """Let ann write more posts than come by themselves. Return their number."""
    count = PAGES_MAX * PAGE + 10
    [ann] = web.people("ann")
    for number in range(count):
        web.post(ann, f"post {number}")
    web.apply_events()
    return count


def scroll_to_end(page: Page, count: int) -> None:
    """Scroll until so many posts are shown."""
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.locator(".status")).to_have_count(count)


def test_older_posts_come_until_the_reader_must_ask(open_page: OpenPage, posts: int) -> None:
    page = open_page()
    page.goto("/public")
    expect(page.locator(".status")).to_have_count(PAGE)
    for number in range(2, PAGES_MAX + 1):
        scroll_to_end(page, number * PAGE)
    expect(page).to_have_url(re.compile(r"/public\?max_id="))
    ids = page.locator(".status").evaluate_all(IDS)
    assert ids == sorted(set(ids), reverse=True)
    expect(page.locator(".pager")).to_have_count(1)
    page.get_by_role("link", name="Older").click()
    expect(page.locator(".status-body").last).to_have_text("post 0")
    expect(page.locator(".status")).to_have_count(posts - PAGES_MAX * PAGE)


def test_back_leads_to_the_post_that_was_seen(open_page: OpenPage) -> None:
    page = open_page()
    sign_in(page, "ann")
    for path in ("/home", "/@ann"):
        page.goto(path)
        for number in (2, 3):
            scroll_to_end(page, number * PAGE)
        for index in (2 * PAGE + 7, PAGE + 3, PAGE - 4):
            seen = page.locator(".status").nth(min(index, page.locator(".status").count() - 9))
            text = seen.locator(".status-body").text_content()
            seen.scroll_into_view_if_needed()
            seen.locator(".status-time").click()
            expect(page.locator(".status-large .status-body")).to_have_text(text or "")
            page.go_back()
            expect(page.get_by_text(text or "", exact=True)).to_be_in_viewport()


@pytest.mark.long
def test_posts_that_came_later_are_liked_as_the_first_are(open_page: OpenPage) -> None:
    page = open_page()
    sign_in(page, "ann")
    scroll_to_end(page, 2 * PAGE)
    button = page.locator(".status").nth(PAGE + 5).locator(".action-like")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page).not_to_have_url(re.compile("#"))


def test_without_scripts_a_link_leads_to_older_posts(open_page: OpenPage) -> None:
    page = open_page(scripts=False)
    page.goto("/public")
    page.get_by_role("link", name="Older").click()
    expect(page).to_have_url(re.compile(r"/public\?max_id="))
    expect(page.locator(".status")).to_have_count(PAGE)


@pytest.mark.long
def test_a_post_that_is_shown_already_does_not_come_with_its_joint(open_page: OpenPage) -> None:
    joint = '<span class="joint"></span>'

    def add_duplicate(route: Route) -> None:
        """Begin with a post of the page before, joined to another, and join the next two."""
        response = route.fetch()
        start, *articles = response.text().split("<article")
        shown = f'{joint}<article class="status" id="{first_id}" tabindex="-1"></article>'
        second = joint.join([f"<article{articles[0]}", f"<article{articles[1]}"])
        rest = "".join(f"<article{article}" for article in articles[2:])
        route.fulfill(response=response, body=f"{start}{shown}{second}{rest}")

    page = open_page()
    page.goto("/public")
    posts = page.locator(".status")
    first_id = posts.first.get_attribute("id")
    page.route(re.compile(r"/public\?max_id="), add_duplicate)
    page.get_by_role("link", name="Older").focus()
    expect(posts).to_have_count(2 * PAGE)
    expect(posts.nth(PAGE)).to_be_focused()
    expect(page.locator(".joint")).to_have_count(1)
