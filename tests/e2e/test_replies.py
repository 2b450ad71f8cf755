"""Answering with a real browser, with scripts and without, on a phone and on a desk."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, join, write


@pytest.mark.parametrize(("scripts", "width"), [(True, 390), (False, 1280)], ids=["with scripts", "without scripts"])
def test_a_member_answers_and_the_answer_stands_below_the_post(open_page: OpenPage, scripts: bool, width: int) -> None:
    options: dict[str, Any] = {"java_script_enabled": scripts, "viewport": {"width": width, "height": 800}}
    ann, ben, visitor = (open_page(**options) for _ in range(3))
    join(ann, "ann")
    write(ann, "a song")
    join(ben, "ben")
    ben.goto("/public")
    act = ben.locator(".act-reply").first
    expect(act).to_have_accessible_name("Reply to this post by Ann")
    box = act.bounding_box()
    assert box and box["width"] >= 44 and box["height"] >= 44
    act.click()
    field = ben.get_by_label("Write a reply")
    expect(field).to_have_value("@ann ")
    expect(field).to_be_focused()
    if scripts:
        ben.keyboard.type("a second voice")
    else:
        field.fill("@ann a second voice")
    ben.get_by_role("button", name="Reply", exact=True).click()
    expect(ben.locator(".status-body")).to_have_text(["a song", "@ann a second voice"])
    expect(ben.locator(".status-large .status-answers")).to_have_text(re.compile("Replying to @ann"))
    ben.locator(".status-large .status-answers a").click()
    expect(ben.locator(".status-body")).to_have_text(["a song", "@ann a second voice"])
    expect(ben.get_by_role("heading", name="Replies")).to_be_visible()
    ann.goto("/public")
    expect(ann.locator(".act-reply").first).to_have_accessible_name("Reply to this post by Ann 1")
    expect(ann.locator(".status-body")).to_have_text(["a song"])
    visitor.goto("/@ben")
    expect(visitor.locator(".status")).to_have_count(0)
    visitor.get_by_role("link", name="Posts and replies").click()
    visitor.locator(".status-time").click()
    expect(visitor.locator(".status-body")).to_have_text(["a song", "@ann a second voice"])
    ann.locator(".status-delete summary").click()
    ann.get_by_role("button", name="Delete post").click()
    expect(ann.locator(".notices")).to_have_text("Your post is deleted.")
    visitor.reload()
    expect(visitor.locator(".thread-gap")).to_have_text("This post was deleted.")
    expect(visitor.locator(".status-body")).to_have_text(["@ann a second voice"])


def test_what_is_refused_stays_in_the_form(open_page: OpenPage) -> None:
    ann, ben = open_page(), open_page()
    join(ann, "ann")
    write(ann, "a song")
    join(ben, "ben")
    ben.goto("/public")
    ben.locator(".act-reply").first.click()
    ben.get_by_label("Write a reply").fill("@ann again")
    ann.locator(".status-delete summary").click()
    ann.get_by_role("button", name="Delete post").click()
    expect(ann.locator(".notices")).to_have_text("Your post is deleted.")
    ben.get_by_label("Write a reply").press("Control+Enter")
    expect(ben.get_by_text("That status does not exist, or its author deleted it.")).to_be_visible()
    expect(ben.get_by_role("heading", level=1)).to_have_text("Write a reply")
    expect(ben.get_by_label("Write a reply")).to_have_value("@ann again")
