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
