"""Test boosts in a browser: with and without scripts, narrow and wide, in both languages."""

import re

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, set_language, sign_up
from tests.support.like_buttons import button, check

# The button, the line above a boost, the number of boosts, their page, and the notification.
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


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "scripts", "width"), [long("en", True, 390), ("zh", False, 1280)]
)
def test_a_boost_reaches_followers_and_is_taken_back(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    boost, boosted, count, heading, notification = WORDS[language]
    wren, finch, ibis = (open_page(scripts, width) for _ in range(3))
    sign_up(wren, "wren", post="a song")
    sign_up(finch, "finch")
    sign_up(ibis, "ibis", "/@finch")
    ibis.get_by_role("main").get_by_role("button", name="Follow").first.click()
    for page in (wren, finch, ibis):
        set_language(page, language)
    finch.goto("/public")
    check(finch, "boost", False, boost)
    box = button(finch, "boost").bounding_box()
    assert box and box["width"] >= 44 and box["height"] >= 44
    button(finch, "boost").click()
    check(finch, "boost", True, f"{boost} 1")
    assert ("#status-" in finch.url) != scripts
    for path in ("/home", "/@finch"):
        ibis.goto(path)
        expect(ibis.locator(".boosted")).to_have_text(re.compile(f"^{boosted} · "))
        expect(ibis.locator(".boosted + .status .status-body")).to_have_text("a song")
        check(ibis, "boost", False, f"{boost} 1")
    ibis.locator(".status-time").click()
    ibis.get_by_role("link", name=count).click()
    expect(ibis.get_by_role("heading", level=1)).to_have_text(heading)
    expect(ibis.locator(".person .byline-login")).to_have_text(["@finch"])
    wren.goto("/notifications/boosts")
    expect(wren.locator(".notification-head")).to_contain_text(notification)
    button(finch, "boost").click()
    check(finch, "boost", False, boost)
    ibis.goto("/home")
    expect(ibis.locator(".boosted")).to_have_count(0)
    assert ibis.evaluate("document.documentElement.scrollWidth") <= width
