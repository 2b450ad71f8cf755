"""Test lists in a browser: with and without scripts, narrow and wide, in both languages."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, open_menu, sign_up, start_session

WORDS = {
    "en": {
        "lists": "Lists",
        "name": "List name",
        "exclusive": "Hide its members’ posts from my home page",
        "create": "Create list",
        "member": "Find people",
        "find": "Find",
        "add": "Add to the list",
        "choose": "Add @cid to lists…",
        "save": "Save",
        "posts": "Posts",
        "settings": "List settings",
        "delete": "Delete list",
    },
    "zh-CN": {
        "lists": "列表",
        "name": "列表名称",
        "exclusive": "不在首页显示列表成员的动态",
        "create": "创建列表",
        "member": "查找用户",
        "find": "查找",
        "add": "添加到列表",
        "choose": "将 @cid 添加到列表…",
        "save": "保存",
        "posts": "动态",
        "settings": "列表设置",
        "delete": "删除列表",
    },
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("scripts", "width", "locale"),
    [(True, 390, "zh-CN"), long(False, 1280, "en")],
    ids=["with scripts", "without scripts"],
)
def test_an_exclusive_list_is_created_filled_read_and_deleted(
    open_page: OpenPage, scripts: bool, width: int, locale: str
) -> None:
    for login in ("ben", "cid"):
        other = sign_up(open_page(scripts, width), login, post=f"{login} sings")
    ann = open_page(scripts, width)
    words = WORDS[locale]
    start_session(ann, "ann")
    ann.set_extra_http_headers({"Accept-Language": locale})
    ann.goto("/@ben")
    follow = ann.locator(".follow button")
    label = follow.inner_text()
    follow.press("Enter")
    expect(follow).not_to_have_text(label)
    ann.goto("/@ann" if width < 600 else "/home")
    ann.get_by_role("link", name=words["lists"], exact=True).locator("visible=true").click()
    ann.get_by_label(words["name"]).fill("Garden birds")
    ann.get_by_label(words["exclusive"]).check()
    ann.get_by_role("button", name=words["create"]).press("Enter")
    ann.get_by_label(words["member"]).press_sequentially("@be")
    if not scripts:
        ann.get_by_role("button", name=words["find"], exact=True).click()
    expect(ann.locator(".picker .person")).to_have_count(1)
    ann.get_by_label("Ben @ben").check()
    ann.get_by_role("button", name=words["add"], exact=True).click()
    expect(ann.locator("main > .people > .person")).to_have_count(1)
    ann.goto("/@cid")
    open_menu(ann.locator(".profile"))
    ann.get_by_role("link", name=words["choose"]).click()
    ann.get_by_label("Garden birds").check()
    ann.get_by_role("button", name=words["save"]).click()
    other.goto("/@ann")
    other.get_by_role("link", name="1 list").click()
    expect(other.locator(".entry")).to_have_text(re.compile(r"Garden birds\s*2 members$"))
    other.get_by_role("link", name="Garden birds").press("Enter")
    expect(other.locator(".status-body")).to_have_text(["cid sings", "ben sings"])
    ann.goto("/@ann/lists/1")
    expect(ann.locator(".status-body")).to_have_text(["cid sings", "ben sings"])
    ann.goto("/home")
    expect(ann.locator(".status-body")).to_have_count(0)
    ann.goto("/@ann/lists/1")
    ann.get_by_role("link", name=words["settings"]).click()
    ann.get_by_role("button", name=words["delete"]).click()
    ann.goto("/home")
    expect(ann.locator(".status-body")).to_have_text(["ben sings"])


def drag_the_last_to_the_top(page: Page) -> None:
    grips = page.locator(".pin-grip")
    start, end = grips.nth(2).bounding_box(), grips.nth(0).bounding_box()
    assert start and end
    page.mouse.move(start["x"] + 8, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(end["x"] + 8, end["y"] - 4, steps=4)
    page.mouse.up()


def test_pinned_lists_move_by_buttons_that_keep_the_focus_and_by_dragging(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    page = start_session(open_page(), "ann")
    for name in ("One", "Two", "Three"):
        page.goto("/lists")
        page.get_by_label("List name").fill(name)
        page.get_by_role("button", name="Create list").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
    page.goto("/lists")
    for name in ("One", "Two", "Three"):
        page.get_by_role("button", name=f"Pin to Home: {name}").click()
        expect(page.get_by_role("button", name=f"Unpin: {name}")).to_be_visible()
    pinned = page.locator(".entries-pinned .entry b")
    page.get_by_role("button", name="Move “Three” up").press("Enter")
    expect(pinned).to_have_text(["One", "Three", "Two"])
    expect(page.get_by_role("button", name="Move “Three” up")).to_be_focused()
    expected_errors.append("ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    drag_the_last_to_the_top(page)
    expect(page.locator(".toast")).to_contain_text("Check your connection")
    page.context.set_offline(False)
    page.get_by_role("button", name="Move “Two” up").click()  # by one place, not to the drop
    expect(pinned).to_have_text(["One", "Two", "Three"])
    page.get_by_role("button", name="Move “Two” down").click()
    expect(pinned).to_have_text(["One", "Three", "Two"])
    drag_the_last_to_the_top(page)
    expect(pinned).to_have_text(["Two", "One", "Three"])
    page.goto("/home")
    expect(page.locator(".home-tabs a")).to_have_text(
        ["Following", "Popular", "Two", "One", "Three"]
    )


def test_a_tab_of_home_comes_into_sight_with_the_focus(open_page: OpenPage) -> None:
    page = open_page(width=390)
    start_session(page, "ann")
    for name in ("Early birds", "Close friends", "Sunday walks"):
        page.goto("/lists")
        page.get_by_label("List name").fill(name)
        page.get_by_role("button", name="Create list").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        page.goto("/lists")
        page.get_by_role("button", name=f"Pin to Home: {name}").click()
        expect(page.get_by_role("button", name=f"Unpin: {name}")).to_be_visible()
    page.goto("/home")
    tabs = page.locator(".home-tabs a")
    tabs.first.focus()
    for at in range(1, 5):
        page.keyboard.press("Tab")
        expect(tabs.nth(at)).to_be_focused()
        expect(tabs.nth(at)).to_be_in_viewport(ratio=1)
