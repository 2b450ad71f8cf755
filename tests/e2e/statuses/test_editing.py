"""Test editing, warnings and pins in a browser, with scripts and without, in both languages."""

import re

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, add_pictures, open_menu, set_language, sign_up
from tests.e2e.live import accessibility_problems
from tests.support.statuses.pictures import photo

WORDS = {
    "en": {
        "edit": "Edit",
        "title": "Edit post",
        "text": "What’s happening?",
        "warn": "Add a warning",
        "warning": "Warning",
        "save": "Save",
        "saved": "Post saved.",
        "pin": "Pin to your profile",
        "pinned": "Pinned to your profile.",
        "pins": "Pinned",
        "edited": "edited",
        "history": "Edit history",
    },
    "zh": {
        "edit": "编辑",
        "title": "编辑动态",
        "text": "有什么新鲜事？",
        "warn": "添加内容警告",
        "warning": "内容警告",
        "save": "保存",
        "saved": "动态已保存。",
        "pin": "置顶到个人主页",
        "pinned": "已置顶到你的个人主页",
        "pins": "已置顶",
        "edited": "已编辑",
        "history": "编辑记录",
    },
}


@pytest.mark.parametrize(("language", "scripts"), [("en", True), long("zh", False)])
def test_a_post_is_edited_gets_a_content_warning_and_is_pinned(
    open_page: OpenPage, language: str, scripts: bool
) -> None:
    words = WORDS[language]
    ann = sign_up(open_page(scripts, 390), "ann", post="dawn corus")
    set_language(ann, language)
    ann.reload()
    open_menu(ann.locator(".status").first)
    ann.get_by_role("link", name=re.compile(rf"^{words['edit']} · ")).click()
    expect(ann.get_by_role("heading", level=1)).to_have_text(words["title"])
    field = ann.get_by_role("textbox", name=words["text"])
    expect(field).to_have_value("dawn corus")
    field.fill("dawn chorus")
    ann.get_by_text(words["warn"]).click()
    ann.get_by_label(words["warning"], exact=True).fill("early birds")
    ann.get_by_role("button", name=words["save"], exact=True).click()
    expect(ann.get_by_role("status").filter(has_text=words["saved"])).to_be_visible()
    body = ann.locator(".status-body")
    expect(body).to_be_hidden()
    ann.get_by_text("early birds").click()
    expect(body).to_have_text("dawn chorus")
    expect(body).to_be_visible()
    open_menu(ann.locator(".status").first)
    ann.get_by_role("button", name=words["pin"]).click()
    expect(ann.get_by_role("status").filter(has_text=words["pinned"])).to_be_visible()
    ann.goto("/@ann")
    expect(ann.get_by_role("region", name=words["pins"]).locator(".status")).to_have_count(1)
    expect(ann.locator(".status")).to_have_count(1)
    ann.get_by_role("link", name=words["edited"]).click()
    expect(ann.get_by_role("heading", level=1)).to_have_text(words["history"])
    versions = ann.locator(".version")
    versions.first.locator("summary").click()
    expect(versions.first.locator(".status-body ins")).to_contain_text("chorus")
    expect(versions.first.locator(".status-body del")).to_contain_text("corus")
    expect(versions.first.locator("summary ins")).to_contain_text("early birds")
    expect(versions.last.locator(".status-body")).to_have_text("dawn corus")
    if scripts:
        assert accessibility_problems(ann) == []


@pytest.mark.long
@pytest.mark.parametrize("scripts", [True, long(False)])
def test_the_description_of_a_picture_is_edited(open_page: OpenPage, scripts: bool) -> None:
    ann = sign_up(open_page(scripts, 390), "ann")
    picture = {"name": "sky.png", "mimeType": "image/png", "buffer": photo((900, 600))}
    if scripts:
        add_pictures(ann, picture)
    else:
        ann.get_by_label("What’s happening?").focus()  # on phones the composer opens
        ann.locator(".attach > summary").click()
        ann.get_by_label("Picture 1", exact=True).set_input_files([picture])  # type: ignore[list-item]
    ann.get_by_label("Description of picture 1").fill("a read sky")
    ann.get_by_label("What’s happening?").fill("look")
    ann.locator(".composer-send button").click()
    expect(ann.locator(".gallery img")).to_have_attribute("alt", "a read sky")
    open_menu(ann.locator(".status").first)
    ann.get_by_role("link", name="Edit · 60 minutes left", exact=True).click()
    field = ann.get_by_label("Description of picture 1")
    expect(field).to_have_value("a read sky")
    field.fill("a red sky")
    if scripts:
        assert accessibility_problems(ann) == []
    ann.get_by_role("button", name="Save", exact=True).click()
    expect(ann.locator(".gallery img")).to_have_attribute("alt", "a red sky")
    expect(ann.get_by_role("link", name="edited")).to_have_count(0)
