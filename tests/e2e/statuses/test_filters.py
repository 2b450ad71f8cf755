"""Test keyword filters in a browser: with scripts in English, without in Chinese."""

import pytest
from playwright.sync_api import expect

from tests.conftest import PASSWORD, long
from tests.e2e.conftest import OpenPage, add_member, add_post

WORDS = {
    "en": (
        "Log in",
        "Words or phrases",
        "Save",
        "Filtered: crumbs",
        "Hide them",
        "Your filters hide 1 post on this page.",
    ),
    "zh-CN": (
        "登录",
        "字词或短语",
        "保存",
        "已过滤：crumbs",
        "完全隐藏",
        "本页有 1 条动态被你的过滤规则隐藏。",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("locale", ["en", long("zh-CN")])
def test_a_filter_folds_posts_and_then_hides_them(open_page: OpenPage, locale: str) -> None:
    log_in, field, save, folded, hide, hidden = WORDS[locale]
    finch = open_page(locale=locale, java_script_enabled=locale == "en")
    add_post(add_member("wren"), "fresh crumbs")
    add_member("finch")
    finch.goto("/login")
    finch.locator("[name=login]").fill("finch")
    finch.locator("[name=password]").fill(PASSWORD)
    finch.get_by_role("main").get_by_role("button", name=log_in, exact=True).click()
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
    finch.get_by_label(hide).check()
    finch.get_by_role("button", name=save).click()
    finch.goto("/public")
    expect(finch.get_by_text(hidden)).to_be_visible()
    expect(body).to_have_count(0)
