"""Test quotes in a browser: with and without scripts, narrow and wide, in both languages."""

import re

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, open_menu, open_part, set_language, sign_up, start_session

WORDS = {
    "en": {
        "quote": "Quote this post by Ann",
        "quoted": "Quote this post",
        "count": "1 quote",
        "detach": "Remove my post from this quote",
        "reattach": "Show my post again",
        "detached": "This post isn’t available.",
        "audience": "Audience",
        "policy": "Who can quote it",
        "nobody": "Only me",
        "refused": "The author doesn’t let others quote this post.",
    },
    "zh": {
        "quote": "引用 Ann 的这条动态",
        "quoted": "引用这条动态",
        "count": "1 次引用",
        "detach": "从这条引用中移除我的动态",
        "reattach": "重新显示我的动态",
        "detached": "无法查看这条动态。",
        "audience": "可见范围",
        "policy": "谁可以引用",
        "nobody": "仅自己",
        "refused": "作者不允许他人引用这条动态。",
    },
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "scripts", "width"), [long("en", True, 390), ("zh", False, 1280)]
)
def test_a_quote_is_posted_detached_and_attached_again(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    words = WORDS[language]
    ann, ben = open_page(scripts, width), open_page(scripts, width)
    sign_up(ann, "ann", post="a song")
    start_session(ben, "ben")
    for page in (ann, ben):
        set_language(page, language)
    ben.goto("/@ann")
    link = ben.get_by_role("link", name=words["quote"])
    box = link.bounding_box()
    assert box and box["width"] >= 44 and box["height"] >= 44
    link.click()
    expect(ben.get_by_label(words["quoted"])).to_be_checked()
    expect(ben.locator(".composer .post-card-text")).to_have_text("a song")
    ben.locator(".composer-input").fill("listen to this")
    ben.locator(".composer-send button").click()
    card = ben.locator(".status", has_text="listen to this").locator(".post-card")
    expect(card).to_contain_text("a song")
    assert ben.evaluate("document.documentElement.scrollWidth <= innerWidth")
    card.click()
    expect(ben).to_have_url(re.compile(r"/@ann/\d+$"))
    ben.get_by_role("link", name=words["count"]).click()
    expect(ben.locator(".status-body")).to_have_text(["listen to this"])
    ann.goto(ben.url)
    ann.get_by_role("button", name=words["detach"]).click()
    expect(ann.locator(".status .post-card")).to_have_text(words["detached"])
    ben.reload()
    expect(ben.locator(".status .post-card")).to_have_text(words["detached"])
    ann.get_by_role("button", name=words["reattach"]).click()
    expect(ann.locator(".status .post-card")).to_contain_text("a song")
    ben.reload()
    expect(ben.locator(".status .post-card")).to_contain_text("a song")
    ann.goto("/home")
    ann.locator(".composer-input").fill("mine alone")
    open_part(ann, words["audience"])
    ann.get_by_label(words["policy"]).select_option(label=words["nobody"])
    ann.locator(".composer-send button").click()
    own = ann.locator(".status", has_text="mine alone")
    quote_path = own.get_by_role("link", name=words["quote"]).get_attribute("href")
    ben.goto("/@ann")
    expect(ben.locator(".status", has_text="mine alone").locator(".action-quote")).to_have_count(0)
    ben.goto(str(quote_path))
    expect(ben.locator(".field-error")).to_contain_text(words["refused"])
    ann.goto("/@ann")
    ann.locator(".status", has_text="mine alone").locator(".status-time").click()
    menu = open_menu(ann.locator(".status").first)
    menu.get_by_text(words["policy"]).click()
    expect(menu.locator("[aria-pressed=true]")).to_have_text(words["nobody"])
    menu.locator("[name=quote_policy][value=everyone]").press("Enter")
    expect(ann.locator(".notices")).to_be_visible()
    ben.goto(str(quote_path))
    expect(ben.locator(".composer .post-card-text")).to_have_text("mine alone")
