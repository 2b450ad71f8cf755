"""Posting for followers with a real browser, with scripts and without, on a phone and on a desk, in both languages."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, join, speak

# What the site says in each language: who can see it, a choice for followers, the mark on the post, and the choices
# that a reply to it has.
WORDS = {
    "en": (
        "Who can see it",
        "My followers",
        "For followers",
        ["My followers", "Only people I mention"],
    ),
    "zh": ("谁可以看到", "关注我的人", "仅关注者可见", ["关注我的人", "仅我提及的人"]),
}


def choose(page: Page, label: str, choice: str) -> None:
    """Chooses who can see it; the field is large enough for a finger."""
    field = page.get_by_label(label)
    box = field.bounding_box()
    assert (
        box
        and box["height"] >= 44
        and box["x"] + box["width"] <= (page.viewport_size or {"width": 0})["width"]
    )
    field.select_option(label=choice)


@pytest.mark.parametrize(
    ("language", "scripts", "width"), [("en", True, 1280), ("zh", False, 390)], ids=sorted(WORDS)
)
def test_a_post_for_followers_is_shown_to_them_alone(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    label, choice, mark, choices = WORDS[language]
    options: dict[str, Any] = {
        "java_script_enabled": scripts,
        "viewport": {"width": width, "height": 800},
    }
    ann = open_page(**options)
    ben, cid = open_page(**options), open_page(**options)
    for page, name in ((ann, "ann"), (ben, "ben"), (cid, "cid")):
        join(page, name)
    ben.goto("/@ann")
    ben.locator('form[action="/@ann/follow"] button').first.click()
    for page in (ann, ben):
        speak(page, language)
    ann.goto("/home")
    expect(ann.get_by_label(label)).to_have_value("public")
    ann.locator(".composer-input").fill("a quiet song")
    choose(ann, label, choice)
    ann.locator(".composer-send button").click()
    expect(ann.locator(".status-audience")).to_have_text(mark)
    ben.goto("/home")
    expect(ben.locator(".status-audience")).to_have_text(mark)
    ben.locator(".status-time").first.click()
    expect(ben.get_by_label(label).locator("option")).to_have_text(choices)
    address = ben.url.partition("#")[0]
    ben.locator(".composer-input").fill("@ann so it is")
    ben.locator(".composer-send button").click()
    expect(ben.locator(".status-large .status-audience")).to_have_text(mark)
    for path in (address, "/@ann", "/public"):
        cid.goto(path)
        expect(cid.locator(".status")).to_have_count(0)
