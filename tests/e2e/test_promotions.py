"""A promoted post in a browser: the page reports that it was seen, and takes it off when hidden."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import PASSWORD
from tests.e2e.conftest import OpenPage, sign_in
from tests.support import worker
from tests.support.processes import until
from webapp.accounts import registration
from webapp.config import Config
from webapp.core.store import Site
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.rewards.points import ledger
from webapp.rewards.promotions import store
from webapp.rewards.promotions.store import Terms
from webapp.statuses.store import post


@pytest.fixture(autouse=True)
def promoted(settings: Config, site: str) -> Iterator[tuple[Site, int]]:
    """Let ann promote a post, and ben write six with a hashtag."""
    here = Site(connect(settings), settings)
    ann, ben = (
        registration.sign_up(here, login, login.title(), PASSWORD).uid for login in ("ann", "ben")
    )
    for number in range(6):
        post(here, ben, parse(f"Cup {number} #tea"), f"form-{number}")
    id_ = post(here, ann, parse("Buy fresh beans"), "form-promoted")
    ledger.book(here, ann, 50, "gift", "gift")
    store.start(here, ann, id_, Terms(("#tea",), "", "clicks", 5, 50, 7))
    store.move(here, ann, id_, "accept")
    worker.drain(here)
    yield here, id_
    here.db.close()


def open_tag(page: Page) -> None:
    """Open the hashtag until the process has learnt of the promotion."""
    sign_in(page, "ben")
    page.goto("/tags/tea")
    page.reload()


def test_a_page_reports_what_was_seen_and_a_click_counts(
    open_page: OpenPage, promoted: tuple[Site, int]
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


def test_a_promoted_post_is_hidden_in_place(open_page: OpenPage) -> None:
    page = open_page()
    open_tag(page)
    page.locator(".promoted summary").click()
    expect(page.locator(".promoted")).to_contain_text("This page is about #tea")
    page.get_by_role("button", name="Hide this post").click()
    expect(page.get_by_text("You won’t see that promoted post again.")).to_be_visible()
    expect(page.locator(".promoted")).to_have_count(0)
    page.reload()
    expect(page.locator(".promoted")).to_have_count(0)


def test_it_works_without_scripts(open_page: OpenPage) -> None:
    page = open_page(scripts=False)
    open_tag(page)
    page.locator(".promoted summary").click()
    page.get_by_role("button", name="Hide this post").click()
    expect(page).to_have_url("/tags/tea")
    expect(page.get_by_text("You won’t see that promoted post again.")).to_be_visible()
    expect(page.locator(".promoted")).to_have_count(0)
