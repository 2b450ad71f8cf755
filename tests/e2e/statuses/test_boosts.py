"""Boosting with a real browser, with scripts and without, on a phone and on a desk, in both languages."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, join, speak, write
from tests.e2e.statuses.test_likes import button, check

# What the site says in each language: the button under a post, who boosted it, their number, the page of them, and what
# its author is told.
WORDS = {
    "en": (
        "Boost this post by Wren",
        "Finch boosted",
        "1 boost",
        "Boosted by",
        "Finch boosted your post",
    ),
    "zh": ("转发 Wren 的这条动态", "Finch 转发了", "1 次转发", "转发的人", "Finch 转发了你的动态"),
}


@pytest.mark.parametrize(("language", "scripts", "width"), [("en", True, 390), ("zh", False, 1280)])
def test_a_member_boosts_and_others_read_it_and_it_is_taken_back(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    act, boosted, number, heading, told = WORDS[language]
    options: dict[str, Any] = {
        "java_script_enabled": scripts,
        "viewport": {"width": width, "height": 800},
    }
    wren, finch, ibis = (open_page(**options) for _ in range(3))
    join(wren, "wren")
    write(wren, "a song")
    join(finch, "finch")
    join(ibis, "ibis")
    ibis.goto("/@finch")
    ibis.get_by_role("main").get_by_role("button", name="Follow").first.click()
    for page in (wren, finch, ibis):
        speak(page, language)
    finch.goto("/public")
    check(finch, "boost", False, act)
    box = button(finch, "boost").bounding_box()
    assert box and box["width"] >= 44 and box["height"] >= 44
    button(finch, "boost").click()
    check(finch, "boost", True, f"{act} 1")
    assert ("#status-" in finch.url) != scripts
    for path in ("/home", "/@finch"):
        ibis.goto(path)
        expect(ibis.locator(".boosted")).to_have_text(boosted)
        expect(ibis.locator(".boosted + .status .status-body")).to_have_text("a song")
        check(ibis, "boost", False, f"{act} 1")
    ibis.locator(".status-time").click()
    ibis.get_by_role("link", name=number).click()
    expect(ibis.get_by_role("heading", level=1)).to_have_text(heading)
    expect(ibis.locator(".person .byline-login")).to_have_text(["@finch"])
    wren.goto("/notifications/boosts")
    expect(wren.locator(".told-head")).to_contain_text(told)
    button(finch, "boost").click()
    check(finch, "boost", False, act)
    ibis.goto("/home")
    expect(ibis.locator(".boosted")).to_have_count(0)
    assert ibis.evaluate("document.documentElement.scrollWidth") <= width
