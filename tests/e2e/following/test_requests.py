"""Test follow requests in a browser, with scripts and without, in both languages."""

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, set_language, start_session

WORDS = {
    "en": {
        "setting": "Only followers I accept can see my posts",
        "saved": "Your posts are now protected.",
        "protected": "These posts are protected",
        "requested": "Requested",
        "accept": "Accept",
        "empty": "No follow requests",
    },
    "zh": {
        "setting": "只有经我同意的粉丝能看到我的动态",
        "saved": "你的动态已受保护。",
        "protected": "这些动态受保护",
        "requested": "已请求",
        "accept": "接受",
        "empty": "没有关注请求",
    },
}


def press(page: Page, action: str) -> None:
    """Press the button of the form to this path; it must be large enough for a finger."""
    button = page.locator(f'form[action="{action}"] button').first
    box = button.bounding_box()
    assert box and box["height"] >= 36
    button.click()


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "scripts", "width"), [("en", True, 390), long("zh", False, 1280)]
)
def test_a_protected_member_accepts_a_request_and_removes_the_follower(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    words = WORDS[language]
    ann, ben = (open_page(scripts, width) for _ in range(2))
    for page, name in ((ann, "ann"), (ben, "ben")):
        start_session(page, name)
        set_language(page, language)
    ann.goto("/home")
    ann.locator(".composer-input").fill("a quiet song")
    ann.locator(".composer-send button").click()
    expect(ann.locator(".status")).to_have_count(1)
    ann.goto("/settings/privacy")
    ann.get_by_label(words["setting"]).check()
    ann.locator(".settings-actions > button").click()
    expect(ann.locator(".notice")).to_have_text(words["saved"])
    ben.goto("/@ann")
    expect(ben.locator(".empty h2")).to_have_text(words["protected"])
    expect(ben.locator(".status")).to_have_count(0)
    press(ben, "/@ann/follow")
    expect(ben.locator('form[action="/@ann/unfollow"] button')).to_have_text(words["requested"])
    ann.goto("/notifications")
    ann.locator(".people-note a").click()
    expect(ann.locator(".person")).to_have_count(1)
    expect(ann.locator('form[action="/@ben/accept"] button')).to_have_text(words["accept"])
    press(ann, "/@ben/accept")
    expect(ann.locator(".empty h2")).to_have_text(words["empty"])
    ben.goto("/home")
    expect(ben.locator(".status")).to_have_count(1)
    ann.goto("/@ben/menu")
    ann.locator('button[formaction="/@ben/remove-follower"]').click()
    ann.wait_for_url("**/@ben")
    ann.goto("/@ann/followers")
    expect(ann.locator(".person")).to_have_count(0)
    ben.goto("/home")
    expect(ben.locator(".status")).to_have_count(0)
    ben.goto("/@ann/followers")
    expect(ben.locator(".person")).to_have_count(0)
