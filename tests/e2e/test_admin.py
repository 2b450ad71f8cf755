"""The page of operators in a browser: it renews itself, and leaves the reader where they are."""

import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, start_session
from webapp.accounts import lifecycle
from webapp.accounts.store import uid_by_login
from webapp.core.metrics.names import POSTS
from webapp.core.metrics.recorder import Recorder
from webapp.core.reporter import Reporter
from webapp.core.web.context import site_of

# What the store's counts would put there.
ADD_COUNTS = """tabs => [0, 1, 3, 4].map((at) => tabs[at]).forEach(
    (tab) => tab.insertAdjacentHTML("beforeend", "<b class=count>88</b>"))"""


@pytest.mark.parametrize("scripts", [True, long(False)], ids=["with scripts", "without scripts"])
def test_an_open_page_shows_what_has_happened_since(
    open_page: OpenPage, served: Flask, scripts: bool
) -> None:
    page, site, recorder = open_page(scripts), site_of(served), Recorder()
    start_session(page, "ann")
    lifecycle.grant(site.db, site.db.read(uid_by_login("ann")) or 0, "admin")
    page.goto("/admin")
    chart = page.locator("#chart-activity")
    chart.get_by_text("Table").press("Enter")
    expect(chart.get_by_role("row")).to_have_count(13)
    recorder.count(POSTS, 7)
    Reporter(site, "web", recorder).flush()
    if scripts:
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(chart.locator("summary")).to_be_focused()
    else:
        page.reload()
    expect(chart.get_by_role("listitem").first).to_have_text("Posts 7")
    if scripts:
        expect(chart.locator("details")).to_have_attribute("open", "")
    expect(page.locator("#processes")).to_contain_text("Running")


@pytest.mark.parametrize("width", [390, 1280])
def test_all_tabs_of_moderators_are_in_sight_beside_their_counts(
    open_page: OpenPage, served: Flask, width: int
) -> None:
    page, site = open_page(width=width), site_of(served)
    start_session(page, "ann")
    lifecycle.grant(site.db, site.db.read(uid_by_login("ann")) or 0, "admin")
    page.goto("/moderation/log")
    page.eval_on_selector_all(".tabs a", ADD_COUNTS)
    tabs = page.get_by_role("navigation", name="Moderation").get_by_role("link")
    expect(tabs).to_have_count(8)
    for tab in tabs.all():
        expect(tab).to_be_in_viewport(ratio=1)
