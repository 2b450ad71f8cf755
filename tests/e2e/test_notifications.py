"""Test notifications in a browser: with and without scripts, narrow and wide, in both languages."""

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, sign_up


@pytest.mark.long
@pytest.mark.parametrize(
    ("scripts", "width"), [(True, 390), long(False, 1280)], ids=["with scripts", "without scripts"]
)
def test_notifications_are_shown_read_and_configured(
    open_page: OpenPage, scripts: bool, width: int
) -> None:
    ann, ben = open_page(scripts, width), open_page(scripts, width)
    sign_up(ann, "ann", post="a song")
    sign_up(ben, "ben", "/@ann", post="hello @ann")
    ben.locator(".action-like").first.click()
    expect(ben.locator(".action-like").first).to_have_attribute("aria-pressed", "true")
    ann.reload()
    link = ann.get_by_role("navigation", name="Main").get_by_role("link", name="Notifications")
    expect(link).to_have_accessible_name("Notifications 2 unread")
    box = link.bounding_box()
    assert box and box["width"] >= 44 and box["height"] >= 44
    link.click()
    expect(link).to_have_accessible_name("Notifications")
    expect(ann.locator(".notification-head > span:first-child")).to_have_text(
        ["New: Ben liked your post", "New: Ben mentioned you"]
    )
    ann.get_by_role("link", name="Mentions", exact=True).click()
    expect(ann.locator(".notification-head > span:first-child")).to_have_text(["Ben mentioned you"])
    ann.get_by_role("link", name="hello @ann").click()
    expect(ann.locator(".status-body")).to_have_text("hello @ann")
    ann.goto("/notifications")
    ann.get_by_role("link", name="Notification settings").click()
    ann.get_by_role("combobox", name="Likes From").select_option("No one")
    ann.locator("form:has(.matrix)").get_by_role("button", name="Save").click()
    expect(ann.locator(".notices")).to_have_text("Settings saved.")
    ben.goto("/@ann")
    for pressed in ("false", "true"):
        ben.locator(".action-like").first.click()
        expect(ben.locator(".action-like").first).to_have_attribute("aria-pressed", pressed)
    ann.goto("/notifications")
    expect(ann.locator(".notification-head > span:first-child")).to_have_text(["Ben mentioned you"])


def test_notifications_are_shown_in_chinese(open_page: OpenPage) -> None:
    ann, ben = open_page(locale="zh-CN"), open_page()
    ann.goto("/signup")
    for name, value in (("login", "ann"), ("name", "麻雀"), ("password", "correct horse battery")):
        ann.locator(f"main [name={name}]").fill(value)
    ann.locator("main form button").first.click()
    expect(ann.locator(".welcome-progress")).to_be_visible()
    sign_up(ben, "ben", "/@ann")
    ben.locator("main").get_by_role("button", name="Follow").click()
    expect(ben.get_by_role("main").get_by_role("button", name="Unfollow")).to_be_visible()
    ann.goto("/home")
    ann.get_by_role("navigation").first.get_by_role("link", name="通知").click()
    expect(ann.get_by_role("heading", level=1)).to_have_text("通知")
    expect(ann.locator(".notification-head > span:first-child")).to_have_text("新： Ben 关注了你")
