"""Tabs of hot posts, and views that a page reports by itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.conftest import PASSWORD
from tests.e2e.conftest import OpenPage, sign_in
from tests.support import worker
from tests.support.processes import until
from webapp.accounts import registration
from webapp.config import Config
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.statuses.interactions import likes
from webapp.statuses.store import post


@pytest.fixture(autouse=True)
def liked_post(settings: Config, site: str) -> int:
    """Let ann write two posts, of which ben likes the first. Return its id."""
    db = connect(settings)
    ann, ben = (
        registration.sign_up(db, settings, login, login.title(), PASSWORD).uid
        for login in ("ann", "ben")
    )
    first, _ = (post(db, settings, ann, parse(text), f"form-{text}") for text in ("one", "two"))
    likes.like(db, settings, ben, first)
    worker.drain(db, settings)
    db.close()
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
        reader.goto("/public/hot")
    assert str(liked_post) in (reported.value.post_data or "")
    author = open_page()
    sign_in(author, "ann")

    def has_count() -> bool:
        author.goto(f"/@ann/{liked_post}")
        return author.get_by_text("Seen by 1 person").count() == 1

    until(has_count)
