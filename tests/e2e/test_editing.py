"""Editing and warnings with a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, join, write


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_member_edits_a_post_and_puts_it_behind_a_warning(open_page: OpenPage, scripts: bool) -> None:
    options: dict[str, Any] = {"java_script_enabled": scripts}
    ann = open_page(viewport={"width": 390, "height": 800}, **options)
    join(ann, "ann")
    write(ann, "dawn corus")
    ann.locator(".status-delete summary").click()
    ann.get_by_role("link", name="Edit").click()
    expect(ann.get_by_role("heading", level=1)).to_have_text("Edit your post")
    field = ann.get_by_role("textbox", name="What is happening?")
    expect(field).to_have_value("dawn corus")
    field.fill("dawn chorus")
    ann.get_by_text("Add a warning").click()
    ann.get_by_label("Warning", exact=True).fill("early birds")
    ann.get_by_role("button", name="Save").click()
    expect(ann.get_by_role("status").filter(has_text="Your post is changed.")).to_be_visible()
    words = ann.locator(".status-body")
    expect(words).to_be_hidden()
    ann.get_by_text("early birds").click()
    expect(words).to_have_text("dawn chorus")
    expect(words).to_be_visible()
    ann.locator(".status-delete summary").click()
    ann.get_by_role("button", name="Pin to your profile").click()
    expect(ann.get_by_role("status").filter(has_text="It is pinned")).to_be_visible()
    ann.goto("/@ann")
    expect(ann.get_by_role("region", name="Pinned").locator(".status")).to_have_count(1)
    expect(ann.locator(".status")).to_have_count(1)
    ann.get_by_role("link", name="edited").click()
    expect(ann.get_by_role("heading", level=1)).to_have_text("History")
    expect(ann.locator(".status-body")).to_have_text(["dawn chorus", "dawn corus"])
