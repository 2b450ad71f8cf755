"""Filtering words with a real browser: with scripts in English, without in Chinese."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.conftest import PASSWORD
from tests.e2e.conftest import OpenPage, join, write

WORDS = {
    "en": (
        "Words",
        "Save",
        "Filtered: crumbs",
        "Hide them",
        "Your filters leave out 1 post here.",
    ),
    "zh-CN": (
        "字词",
        "保存",
        "已过滤：crumbs",
        "隐去不显示",
        "你的过滤规则在这里隐去了 1 条动态。",
    ),
}


@pytest.mark.parametrize("locale", list(WORDS))
def test_a_member_folds_words_up_then_leaves_them_out(open_page: OpenPage, locale: str) -> None:
    field, save, folded, leave, left_out = WORDS[locale]
    wren, finch = open_page(), open_page(locale=locale, java_script_enabled=locale == "en")
    join(wren, "wren")
    write(wren, "fresh crumbs")
    join(open_page(), "finch")
    finch.goto("/login")
    finch.locator("[name=login]").fill("finch")
    finch.locator("[name=password]").fill(PASSWORD)
    finch.locator("main form button").click()
    finch.goto("/settings/filters")
    finch.get_by_label(field, exact=True).fill("crumbs")
    finch.get_by_role("button", name=save).click()
    finch.goto("/public")
    body = finch.locator(".status-body")
    expect(body).to_be_hidden()
    finch.get_by_text(folded).click()
    expect(body).to_have_text("fresh crumbs")
    finch.goto("/settings/filters")
    finch.get_by_role("link", name="crumbs").click()
    finch.get_by_label(leave).check()
    finch.get_by_role("button", name=save).click()
    finch.goto("/public")
    expect(finch.get_by_text(left_out)).to_be_visible()
    expect(body).to_have_count(0)
