"""Follow requests in a real browser, with scripts and without, in both languages."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, join, speak

# What the site says: the setting, its notice, the notice to strangers, the button after a request,
# accepting it, and that nobody requests.
WORDS = {
    "en": (
        *(
            "Only followers I accept see my posts",
            "Your posts are protected now.",
            "These posts are protected",
        ),
        *("Requested", "Accept", "Nobody is asking"),
    ),
    "zh": (
        *("只有我接受的关注者能看到我的动态", "你的动态现在受保护。", "这些动态受保护"),
        *("已请求", "接受", "没有人在请求"),
    ),
}


def press(page: Page, action: str) -> None:
    """Press the button of the form to this path; it must be large enough for a finger."""
    button = page.locator(f'form[action="{action}"] button').first
    box = button.bounding_box()
    assert box and box["height"] >= 36
    button.click()


@pytest.mark.parametrize(("language", "scripts", "width"), [("en", True, 390), ("zh", False, 1280)])
def test_a_protected_member_is_asked_and_accepts_and_removes(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    label, notice, told, requested, accept, nobody = WORDS[language]
    ann, ben = (
        open_page(java_script_enabled=scripts, viewport={"width": width, "height": 800})
        for _ in range(2)
    )
    for page, name in ((ann, "ann"), (ben, "ben")):
        join(page, name)
        speak(page, language)
    ann.goto("/home")
    ann.locator(".composer-input").fill("a quiet song")
    ann.locator(".composer-send button").click()
    expect(ann.locator(".status")).to_have_count(1)
    ann.goto("/settings/privacy")
    ann.get_by_label(label).check()
    ann.locator(".settings-actions button").click()
    expect(ann.locator(".notice")).to_have_text(notice)
    ben.goto("/@ann")
    expect(ben.locator(".empty h2")).to_have_text(told)
    expect(ben.locator(".status")).to_have_count(0)
    press(ben, "/@ann/follow")
    expect(ben.locator('form[action="/@ann/unfollow"] button')).to_have_text(requested)
    ann.goto("/notifications")
    ann.locator(".people-note a").click()
    expect(ann.locator(".person")).to_have_count(1)
    expect(ann.locator('form[action="/@ben/accept"] button')).to_have_text(accept)
    press(ann, "/@ben/accept")
    expect(ann.locator(".empty h2")).to_have_text(nobody)
    ben.goto("/home")
    expect(ben.locator(".status")).to_have_count(1)
    ann.goto("/@ann/followers")
    press(ann, "/@ben/remove-follower")
    expect(ann.locator(".person")).to_have_count(0)
    ben.goto("/home")
    expect(ben.locator(".status")).to_have_count(0)
    ben.goto("/@ann/followers")
    expect(ben.locator(".person")).to_have_count(0)
