"""Drafts and scheduled posts with a real browser, in a zone of its own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, join


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_member_saves_a_draft_gives_it_a_time_and_posts_it_after_all(open_page: OpenPage, scripts: bool) -> None:
    options: dict[str, Any] = {"java_script_enabled": scripts, "timezone_id": "Asia/Shanghai"}
    ann = open_page(viewport={"width": 390, "height": 800}, **options)
    join(ann, "ann")
    ann.goto("/home")
    ann.get_by_role("textbox", name="What is happening?").fill("dawn chorus")
    ann.get_by_role("button", name="Save draft").click()
    expect(ann.get_by_role("status").filter(has_text="Your draft is kept.")).to_be_visible()
    ann.get_by_role("link", name="dawn chorus").click()
    expect(ann.get_by_role("textbox", name="What is happening?")).to_have_value("dawn chorus")
    ann.get_by_text("Post later").click()
    soon = f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}T06:30"
    ann.get_by_label("When").fill(soon)
    ann.get_by_role("button", name="Schedule").click()
    expect(ann.get_by_role("heading", name="Waiting for their time")).to_be_visible()
    moment = ann.locator(".entry time").get_attribute("datetime")
    assert moment
    behind = timedelta(hours=8 if scripts else 0)  # without a script the time is in UTC, as the page says
    assert datetime.fromisoformat(moment) == datetime.fromisoformat(f"{soon}:00+00:00") - behind
    ann.get_by_role("link", name="dawn chorus").click()
    expect(ann.get_by_label("When")).to_have_value(soon)
    expect(ann.get_by_text("Greenwich")).to_be_visible(visible=not scripts)
    ann.get_by_role("button", name="Post", exact=True).click()
    expect(ann.locator(".status-body").first).to_have_text("dawn chorus")
    ann.goto("/drafts")
    expect(ann.get_by_text("There are no drafts")).to_be_visible()
