"""A promoted post in a browser: the page reports that it was seen, and takes it off when hidden."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, sign_in
from tests.support.processes import until
from tests.support.world import Web
from webapp.rewards.points import ledger
from webapp.rewards.promotions import store
from webapp.rewards.promotions.store import Terms


@pytest.fixture(autouse=True)
def promoted(web: Web) -> tuple[Web, int]:
    """Let ann promote a post, and ben write six with a hashtag."""
    ann, ben = web.people("ann", "ben")
    for number in range(6):
        web.post(ben, f"Cup {number} #tea")
    id_ = web.post(ann, "Buy fresh beans")
    ledger.book(web, ann, 50, "gift", "gift")
    store.start(web, ann, id_, Terms(("#tea",), "", "clicks", 5, 50, 7))
    web.do(store.move, ann, id_, "accept")
    return web, id_


def open_tag(page: Page) -> None:
    """Open the hashtag until the process has learnt of the promotion."""
    sign_in(page, "ben")
    page.goto("/tags/tea")
    page.reload()


def test_a_page_reports_what_was_seen_a_click_counts_and_the_post_is_hidden_in_place(
    open_page: OpenPage, promoted: tuple[Web, int]
) -> None:
    here, id_ = promoted
    page = open_page()
    open_tag(page)
    line = page.locator(".promoted")
    expect(line).to_contain_text("Promoted by Ann")
    line.scroll_into_view_if_needed()
    until(lambda: store.get(here, id_).total.views == 1)
    page.get_by_text("Buy fresh beans").click()
    expect(page).to_have_url(f"/@ann/{id_}")
    until(lambda: store.get(here, id_).total.clicks == 1)
    page.goto("/tags/tea")
    line.locator("summary").click()
    expect(line).to_contain_text("This page is about #tea")
    page.evaluate("window.marked = true")
    page.get_by_role("button", name="Hide this post").click()
    expect(page.get_by_text("You won’t see that promoted post again.")).to_be_visible()
    expect(line).to_have_count(0)
    assert page.evaluate("window.marked"), "the page stays"
    page.reload()
    expect(line).to_have_count(0)


def test_it_works_without_scripts(open_page: OpenPage) -> None:
    page = open_page(scripts=False)
    open_tag(page)
    page.locator(".promoted summary").click()
    page.get_by_role("button", name="Hide this post").click()
    expect(page).to_have_url("/tags/tea")
    expect(page.get_by_text("You won’t see that promoted post again.")).to_be_visible()
    expect(page.locator(".promoted")).to_have_count(0)
