"""Boosting with a real browser, with scripts and without, on a phone and on a desk."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, join, write
from tests.e2e.test_likes import button, check


@pytest.mark.parametrize(("scripts", "width"), [(True, 390), (False, 1280)], ids=["with scripts", "without scripts"])
def test_a_member_boosts_and_others_read_it_and_it_is_taken_back(
    open_page: OpenPage, scripts: bool, width: int
) -> None:
    options: dict[str, Any] = {"java_script_enabled": scripts, "viewport": {"width": width, "height": 800}}
    wren, finch, ibis = (open_page(**options) for _ in range(3))
    join(wren, "wren")
    write(wren, "a song")
    join(finch, "finch")
    join(ibis, "ibis")
    ibis.goto("/@finch")
    ibis.get_by_role("main").get_by_role("button", name="Follow").first.click()
    finch.goto("/public")
    check(finch, "boost", False, "Boost this post by Wren")
    box = button(finch, "boost").bounding_box()
    assert box and box["width"] >= 44 and box["height"] >= 44
    button(finch, "boost").click()
    check(finch, "boost", True, "Boost this post by Wren 1")
    assert ("#status-" in finch.url) != scripts
    for path in ("/home", "/@finch"):
        ibis.goto(path)
        expect(ibis.locator(".boosted")).to_have_text("Finch boosted")
        expect(ibis.locator(".boosted + .status .status-body")).to_have_text("a song")
        check(ibis, "boost", False, "Boost this post by Wren 1")
    ibis.locator(".status-time").click()
    ibis.get_by_role("link", name="1 boost").click()
    expect(ibis.get_by_role("heading", level=1)).to_have_text("Boosted by")
    expect(ibis.locator(".person .byline-login")).to_have_text(["@finch"])
    wren.goto("/notifications/boosts")
    expect(wren.locator(".told-head")).to_contain_text("Finch boosted your post")
    button(finch, "boost").click()
    check(finch, "boost", False, "Boost this post by Wren")
    ibis.goto("/home")
    expect(ibis.locator(".boosted")).to_have_count(0)
    assert ibis.evaluate("document.documentElement.scrollWidth") <= width
