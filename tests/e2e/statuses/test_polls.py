"""Test polls in a narrow browser without scripts, in Chinese."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, set_language, sign_up


def test_a_poll_works_without_scripts(open_page: OpenPage) -> None:
    phone: Any = {"java_script_enabled": False, "viewport": {"width": 390, "height": 800}}
    wren, finch = open_page(**phone), open_page(**phone)
    for page, login in ((wren, "wren"), (finch, "finch")):
        sign_up(page, login)
        set_language(page, "zh")
    wren.goto("/home")
    wren.locator("#text").fill("哪一首？")
    wren.get_by_text("发起投票").click()
    wren.get_by_label("选项 1", exact=True).fill("颤音")
    wren.get_by_label("允许多选").check()
    wren.locator(".composer .composer-send button").click()
    expect(wren.locator(".field-error").first).to_have_text(
        "投票至少需要两个选项。不发起投票时请全部留空。"
    )
    expect(wren.get_by_label("选项 1", exact=True)).to_have_value("颤音")
    expect(wren.get_by_label("允许多选")).to_be_checked()
    wren.get_by_label("选项 2", exact=True).fill("啾啾")
    wren.get_by_label("选项 3（选填）").fill("口哨")
    wren.get_by_label("投票时长").select_option("7 天")
    wren.locator(".composer .composer-send button").click()
    expect(wren.locator(".poll-result b")).to_have_text(["0%", "0%", "0%"])
    finch.goto("/public")
    finch.get_by_role("checkbox", name="啾啾").check()
    finch.get_by_role("checkbox", name="口哨").press("Space")
    for option in finch.locator(".poll-option").all():
        box = option.bounding_box()
        assert box and box["height"] >= 44
    finch.get_by_role("checkbox", name="口哨").press("Enter")  # submits the form
    expect(finch.locator(".poll-result b")).to_have_text(["0%", "100%", "100%"])
    expect(finch.locator(".poll-own .poll-words")).to_have_text(
        ["啾啾 （你的选择）", "口哨 （你的选择）"]
    )
    expect(finch.locator(".poll-foot")).to_have_text("1 人已投票 · 还剩 7 天")
    assert "/public#status-" in finch.url
    wren.goto("/@wren")
    expect(wren.locator(".poll-result b")).to_have_text(["0%", "100%", "100%"])
    expect(wren.locator(".poll-own")).to_have_count(0)
