"""Quoting with a real browser, with scripts and without, on a phone and on a desk, in both languages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, join, speak, write

# What the site says in each language: what is under a post, what the form says, the number of quotes, taking one's post
# out of a quote and back, what is shown then, who may quote, and that nobody else may.
WORDS = {
    "en": (
        *("Quote this post by Ann", "Quote this post", "1 quote", "Take my post out of this quote"),
        *(
            "Show my post here again",
            "This post is not available.",
            "Choose who may quote it",
            "Who can quote it",
            "Nobody else",
        ),
        "The author doesn’t let others quote this post.",
    ),
    "zh": (
        *("引用 Ann 的这条动态", "引用这条动态", "1 次引用", "从这条引用中撤下我的动态"),
        *(
            "在此重新显示我的动态",
            "这条动态无法查看。",
            "选择谁可以引用",
            "谁可以引用",
            "除我以外，谁也不行",
        ),
        "作者不允许他人引用这条动态。",
    ),
}


@pytest.mark.parametrize(("language", "scripts", "width"), [("en", True, 390), ("zh", False, 1280)])
def test_a_post_is_quoted_taken_out_of_the_quote_and_shown_again(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    quote, mark, number, take_out, show, gone, choose, who, nobody, refused = WORDS[language]
    options: dict[str, Any] = {
        "java_script_enabled": scripts,
        "viewport": {"width": width, "height": 800},
    }
    ann, ben = open_page(**options), open_page(**options)
    join(ann, "ann")
    write(ann, "a song")
    join(ben, "ben")
    for page in (ann, ben):
        speak(page, language)
    ben.goto("/@ann")
    link = ben.get_by_role("link", name=quote)
    box = link.bounding_box()
    assert box and box["width"] >= 44 and box["height"] >= 44
    link.click()
    expect(ben.get_by_label(mark)).to_be_checked()
    expect(ben.locator(".composer .post-card-text")).to_have_text("a song")
    ben.locator(".composer-input").fill("listen to this")
    ben.locator(".composer-send button").click()
    card = ben.locator(".status", has_text="listen to this").locator(".post-card")
    expect(card).to_contain_text("a song")
    assert ben.evaluate("document.documentElement.scrollWidth <= innerWidth")
    card.click()
    expect(ben).to_have_url(re.compile(r"/@ann/\d+$"))
    ben.get_by_role("link", name=number).click()
    expect(ben.locator(".status-body")).to_have_text(["listen to this"])
    ann.goto(ben.url)
    ann.get_by_role("button", name=take_out).click()
    expect(ann.locator(".status .post-card")).to_have_text(gone)
    ben.reload()
    expect(ben.locator(".status .post-card")).to_have_text(gone)
    ann.get_by_role("button", name=show).click()
    expect(ann.locator(".status .post-card")).to_contain_text("a song")
    ben.reload()
    expect(ben.locator(".status .post-card")).to_contain_text("a song")
    ann.goto("/home")
    ann.locator(".composer-input").fill("mine alone")
    ann.locator("summary", has_text=choose).click()
    ann.get_by_label(who).select_option(label=nobody)
    ann.locator(".composer-send button").click()
    address = (
        ann.locator(".status", has_text="mine alone")
        .get_by_role("link", name=quote)
        .get_attribute("href")
    )
    ben.goto("/@ann")
    expect(ben.locator(".status", has_text="mine alone").locator(".act-quote")).to_have_count(0)
    ben.goto(str(address))
    expect(ben.locator(".field-error")).to_contain_text(refused)
    ann.goto("/@ann")
    ann.locator(".status", has_text="mine alone").locator(".status-time").click()
    again = ann.locator(".status-quoting")
    expect(again.get_by_label(who).locator("option:checked")).to_have_text(nobody)
    again.get_by_label(who).select_option("everyone")
    again.get_by_role("button").press("Enter")
    expect(ann.locator(".status-quoting option:checked")).not_to_have_text(nobody)
    ben.goto(str(address))
    expect(ben.locator(".composer .post-card-text")).to_have_text("mine alone")
