"""Lists with a real browser, with scripts and without, on a phone and on a desk, in both languages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, join, write

WORDS = {
    "en": {
        "lists": "Lists",
        "name": "Name of the list",
        "aside": "Keep its members’ posts out of my home page",
        "make": "Make the list",
        "person": "Add a member",
        "add": "Add",
        "choose": "Add to lists…",
        "save": "Save",
        "posts": "Posts",
        "settings": "Settings of the list",
        "delete": "Delete the list",
    },
    "zh-CN": {
        "lists": "列表",
        "name": "列表名称",
        "aside": "列表成员的动态不在我的首页显示",
        "make": "建好列表",
        "person": "按用户名添加",
        "add": "添加",
        "choose": "加入列表…",
        "save": "保存",
        "posts": "动态",
        "settings": "列表设置",
        "delete": "删除列表",
    },
}


@pytest.mark.parametrize(
    ("scripts", "width", "locale"),
    [(True, 390, "zh-CN"), (False, 1280, "en")],
    ids=["with scripts", "without scripts"],
)
def test_a_member_makes_an_exclusive_list_fills_it_reads_it_and_deletes_it(
    open_page: OpenPage, scripts: bool, width: int, locale: str
) -> None:
    options: dict[str, Any] = {
        "java_script_enabled": scripts,
        "viewport": {"width": width, "height": 800},
    }
    for login in ("ben", "cid"):
        other = open_page(**options)
        join(other, login)
        write(other, f"{login} sings")
    ann, words = open_page(**options), WORDS[locale]
    join(ann, "ann")
    ann.set_extra_http_headers({"Accept-Language": locale})
    ann.goto("/@ben")
    ann.locator(".follow button").press("Enter")
    ann.goto("/@ann" if width < 600 else "/home")
    ann.get_by_role("link", name=words["lists"], exact=True).locator("visible=true").click()
    ann.get_by_label(words["name"]).fill("Garden birds")
    ann.get_by_label(words["aside"]).check()
    ann.get_by_role("button", name=words["make"]).press("Enter")
    ann.get_by_label(words["person"]).fill("@ben")
    ann.get_by_role("button", name=words["add"], exact=True).click()
    expect(ann.locator(".person")).to_have_count(1)
    ann.goto("/@cid")
    ann.locator(".menu summary").click()
    ann.get_by_role("link", name=words["choose"]).click()
    ann.get_by_label("Garden birds").check()
    ann.get_by_role("button", name=words["save"]).click()
    other.goto("/@ann")
    other.get_by_role("link", name="1 list").click()
    expect(other.locator(".entry")).to_have_text(re.compile(r"Garden birds\s+2 members\s*$"))
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
