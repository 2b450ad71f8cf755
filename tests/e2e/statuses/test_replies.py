"""Answering with a real browser, with scripts and without, on a phone and on a desk, in both languages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.conftest import PASSWORD
from tests.e2e.conftest import OpenPage, join, speak, write
from tests.support import worker
from webapp.accounts import registration
from webapp.config import Config
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.statuses.store import post

WORDS = {
    "en": {
        "act": "Reply to this post by Ann",
        "write": "Write a reply",
        "send": "Reply",
        "to": "Replying to @ann",
        "replies": "Replies",
        "tab": "Posts and replies",
        "menu": "Change, pin or delete",
        "delete": "Delete post",
        "deleted": "Post deleted.",
        "gap": "This post was deleted.",
        "more": "Show more replies",
        "on": "Show the replies to this",
        "before": "Show what came before",
    },
    "zh": {
        "act": "回复 Ann 的这条动态",
        "write": "写回复",
        "send": "回复",
        "to": "回复 @ann",
        "replies": "回复",
        "tab": "动态与回复",
        "menu": "修改、置顶或删除",
        "delete": "删除动态",
        "deleted": "动态已删除。",
        "gap": "这条动态已被删除。",
        "more": "显示更多回复",
        "on": "显示对它的回复",
        "before": "显示更早的内容",
    },
}


@pytest.mark.parametrize(("language", "scripts", "width"), [("en", True, 390), ("zh", False, 1280)])
def test_a_member_answers_and_the_answer_stands_below_the_post(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    words = WORDS[language]
    options: dict[str, Any] = {
        "java_script_enabled": scripts,
        "viewport": {"width": width, "height": 800},
    }
    ann, ben, visitor = (open_page(**options) for _ in range(3))
    join(ann, "ann")
    write(ann, "a song")
    join(ben, "ben")
    visitor.goto("/public")
    for page in (ann, ben, visitor):
        speak(page, language)
    ben.goto("/public")
    act = ben.locator(".act-reply").first
    expect(act).to_have_accessible_name(words["act"])
    box = act.bounding_box()
    assert box and box["width"] >= 44 and box["height"] >= 44
    act.click()
    field = ben.get_by_label(words["write"])
    expect(field).to_have_value("@ann ")
    expect(field).to_be_focused()
    if scripts:
        ben.keyboard.type("a second voice")
    else:
        field.fill("@ann a second voice")
    ben.get_by_role("button", name=words["send"], exact=True).click()
    expect(ben.locator(".status-body")).to_have_text(["a song", "@ann a second voice"])
    expect(ben.locator(".status-large .status-answers")).to_have_text(re.compile(words["to"]))
    ben.locator(".status-large .status-answers a").click()
    expect(ben.locator(".status-body")).to_have_text(["a song", "@ann a second voice"])
    expect(ben.get_by_role("heading", name=words["replies"])).to_be_visible()
    ann.goto("/public")
    expect(ann.locator(".act-reply").first).to_have_accessible_name(f"{words['act']} 1")
    expect(ann.locator(".status-body")).to_have_text(["a song"])
    visitor.goto("/@ben")
    expect(visitor.locator(".status")).to_have_count(0)
    visitor.get_by_role("link", name=words["tab"]).click()
    visitor.locator(".status-time").click()
    expect(visitor.locator(".status-body")).to_have_text(["a song", "@ann a second voice"])
    ann.locator("summary", has_text=words["menu"]).click()
    ann.get_by_role("button", name=words["delete"]).click()
    expect(ann.locator(".notices")).to_have_text(words["deleted"])
    visitor.reload()
    expect(visitor.locator(".thread-gap")).to_have_text(words["gap"])
    expect(visitor.locator(".status-body")).to_have_text(["@ann a second voice"])


@pytest.mark.parametrize(("language", "scripts", "width"), [("en", False, 1280), ("zh", True, 390)])
def test_a_thread_that_is_wide_and_deep_is_read_page_by_page(
    open_page: OpenPage, settings: Config, language: str, scripts: bool, width: int
) -> None:
    words, page = (
        WORDS[language],
        open_page(java_script_enabled=scripts, viewport={"width": width, "height": 800}),
    )
    page.goto(grow(settings))
    speak(page, language)
    page.reload()
    body, deep, wide = (
        page.locator(".status-body"),
        [f"deep {n}" for n in range(24)],
        [f"wide {n}" for n in range(35)],
    )
    expect(body).to_have_text(["root", *deep[1:11], *wide[:20]])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("link", name=words["more"]).click()
    expect(body).to_have_text(["root", *wide[20:]])
    expect(page.get_by_role("link", name=words["more"])).to_have_count(0)
    page.go_back()
    page.get_by_role("link", name=words["on"]).click()
    expect(page.locator(".status-large .status-body")).to_have_text("deep 10")
    expect(body).to_have_text(["root", *deep[1:21]])
    page.get_by_role("link", name=words["on"]).click()
    expect(body).to_have_text(["root", *deep[1:]])
    page.locator(".status-time").last.click()
    expect(body).to_have_text(deep[3:])
    page.get_by_role("link", name=words["before"]).click()
    expect(page.locator(".status-large .status-body")).to_have_text("deep 2")


def grow(settings: Config) -> str:
    """Makes a thread of more replies than one page shows, on more levels; its address."""
    db = connect(settings)
    ann = registration.sign_up(db, settings, "ann", "Ann", PASSWORD).uid
    root = above = post(db, settings, ann, parse("root"), "form-root")
    for number in range(1, 24):
        above = post(db, settings, ann, parse(f"deep {number}"), f"form-deep-{number}", reply=above)
    for number in range(35):
        post(db, settings, ann, parse(f"wide {number}"), f"form-wide-{number}", reply=root)
    worker.drain(db, settings)
    db.close()
    return f"/@ann/{root}"


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
    expect(ann.locator(".notices")).to_have_text("Post deleted.")
    ben.get_by_label("Write a reply").press("Control+Enter")
    expect(ben.get_by_text("This post doesn’t exist or was deleted.")).to_be_visible()
    expect(ben.get_by_role("heading", level=1)).to_have_text("Write a reply")
    expect(ben.get_by_label("Write a reply")).to_have_value("@ann again")
