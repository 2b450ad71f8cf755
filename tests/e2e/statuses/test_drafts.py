"""Drafts and scheduled posts with a real browser, in a zone of its own: with scripts and without, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, join, speak

WORDS = {
    "en": {
        "text": "What’s happening?",
        "keep": "Save draft",
        "kept": "Draft saved.",
        "later": "Post later",
        "when": "When",
        "utc": "Greenwich",
        "schedule": "Schedule",
        "over": "Choose a time in the future",
        "waiting": "Scheduled posts",
        "drafts": "Drafts",
        "scheduled": "Scheduled 1",
        "post": "Post",
        "none": "There are no drafts",
    },
    "zh": {
        "text": "有什么新鲜事？",
        "keep": "存为草稿",
        "kept": "草稿已保存。",
        "later": "定时发布",
        "when": "时间",
        "utc": "协调世界时",
        "schedule": "定时",
        "over": "请选择一年之内尚未到来的时间",
        "waiting": "定时动态",
        "drafts": "草稿",
        "scheduled": "定时 1",
        "post": "发布",
        "none": "还没有草稿",
    },
}


@pytest.mark.parametrize(("language", "scripts"), [("en", True), ("zh", False)])
def test_a_member_saves_a_draft_gives_it_a_time_and_posts_it_after_all(
    open_page: OpenPage, language: str, scripts: bool
) -> None:
    words = WORDS[language]
    options: dict[str, Any] = {"java_script_enabled": scripts, "timezone_id": "Asia/Shanghai"}
    ann = open_page(viewport={"width": 390, "height": 800}, **options)
    join(ann, "ann")
    speak(ann, language)
    ann.goto("/home")
    ann.get_by_role("textbox", name=words["text"]).fill("dawn chorus")
    ann.get_by_role("button", name=words["keep"]).click()
    expect(ann.get_by_role("status").filter(has_text=words["kept"])).to_be_visible()
    ann.get_by_role("link", name="dawn chorus").click()
    expect(ann.get_by_role("textbox", name=words["text"])).to_have_value("dawn chorus")
    ann.get_by_text(words["later"]).click()
    soon = f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}T06:30"
    when, schedule = (
        ann.get_by_label(words["when"], exact=True),
        ann.get_by_role("button", name=words["schedule"]),
    )
    when.fill("2026-01-01T06:30")
    schedule.click()
    expect(ann.get_by_text(words["over"])).to_be_visible()
    expect(when).to_have_value("2026-01-01T06:30")
    expect(when).to_be_focused()
    when.fill(soon)
    schedule.click()
    expect(ann.get_by_role("heading", name=words["waiting"])).to_be_visible()
    ann.get_by_role("link", name=words["drafts"], exact=True).click()
    expect(ann.get_by_text(words["none"])).to_be_visible()
    ann.get_by_role("link", name=words["scheduled"]).press("Enter")
    moment = ann.locator(".entry time").get_attribute("datetime")
    assert moment
    behind = timedelta(
        hours=8 if scripts else 0
    )  # without a script the time is in UTC, as the page says
    assert datetime.fromisoformat(moment) == datetime.fromisoformat(f"{soon}:00+00:00") - behind
    ann.get_by_role("link", name="dawn chorus").click()
    expect(when).to_have_value(soon)
    expect(ann.get_by_text(words["utc"])).to_be_visible(visible=not scripts)
    ann.get_by_role("button", name=words["post"], exact=True).click()
    expect(ann.locator(".status-body").first).to_have_text("dawn chorus")
    ann.goto("/drafts")
    expect(ann.get_by_text(words["none"])).to_be_visible()
