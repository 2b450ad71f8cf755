"""Every page at every width, by day and by night: nothing sticks out, and axe-core finds nothing to mend."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.e2e.conftest import OpenPage, fill, join, write

AXE = Axe()
EVERYTHING: dict[str, Any] = {"resultTypes": ["violations"]}
COLOURS = EVERYTHING | {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
WIDTHS = (360, 390, 1280, 1440)
LONG = "W" * 250
FIT = "() => [document.documentElement.scrollWidth, innerWidth]"
OVER = """() => [...document.querySelectorAll("body *")]
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .map(one => one.outerHTML.slice(0, 100)).slice(0, 5)"""


def furnish(page: Page, other: Page) -> list[str]:
    """Makes two members and posts hard to lay out; gives the addresses of all kinds of pages."""
    join(other, "ann")
    join(page, "W" * 15)
    page.goto("/@ann")
    page.get_by_role("button", name="Follow @ann", exact=True).click()
    for text in (LONG, f"see https://example.com/{'W' * 200} #{'tag' * 8}", "שלום 世界 😀 @ann"):
        other.goto("/home")
        other.get_by_label("What is happening?").fill(text)
        other.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    write(page, "one\n\ntwo")
    other.goto(f"/@{'W' * 15}")
    other.get_by_role("button", name=f"Follow @{'W' * 15}", exact=True).click()
    page.goto("/@ann")
    status = page.locator(".status-time").first.get_attribute("href")
    assert status
    paths = "/ /public /home /statuses/new /login /signup /@ann /@ann/followers /@ann/following /nowhere"
    return [*paths.split(), f"/@{'W' * 15}", status, "/public?max_id=1", "/@ann?max_id=x"]


def refused(page: Page) -> None:
    """Leaves a form that was refused on the page."""
    if page.url.endswith("/signup"):
        fill(page, Login="not a login", Name=" ", Password="short")
        page.get_by_role("button", name="Create my account").click()
    else:
        page.get_by_label("What is happening?").fill("x" * 281)
        page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()


@pytest.mark.parametrize("signed_in", [True, False], ids=["member", "visitor"])
def test_no_page_scrolls_sideways_at_any_width(open_page: OpenPage, signed_in: bool) -> None:
    member, other, visitor = open_page(), open_page(), open_page()
    pages = furnish(member, other)
    page = member if signed_in else visitor
    wide = []
    for path in pages:
        page.goto(path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            needed, given = page.evaluate(FIT)
            if needed > given:
                wide.append((path, width, needed, page.evaluate(OVER)))
    assert wide == []


@pytest.mark.parametrize("signed_in", [True, False], ids=["member", "visitor"])
def test_axe_finds_nothing_on_any_page_by_day_or_night(open_page: OpenPage, signed_in: bool) -> None:
    member, other, visitor = (open_page(reduced_motion="reduce") for _ in range(3))
    pages = furnish(member, other)
    page = member if signed_in else visitor
    found = []
    for path in pages:
        page.goto(path)
        found += problems(page, path)
    page.goto("/home" if signed_in else "/signup")
    if signed_in:
        page.locator(".status-delete summary").first.click()
        found += problems(page, "delete")
        page.goto("/home")
    refused(page)
    found += problems(page, "refused form")
    page.set_viewport_size({"width": 390, "height": 800})
    for path in ("/public", "/home" if signed_in else "/"):
        page.goto(path)
        found += problems(page, f"{path} at 390")
    assert found == []


def problems(page: Page, where: str) -> list[tuple[str, str, str]]:
    """What axe-core finds on a page that is more than minor; by night only colours are another matter."""
    violations = []
    for scheme, rules in (("dark", COLOURS), ("light", EVERYTHING)):
        page.emulate_media(color_scheme=scheme)
        violations += [(scheme, one) for one in AXE.run(page, options=rules).response["violations"]]
    return [
        (f"{where}, {scheme}", f"{one['id']}: {one['help']}", re.sub(r"\s+", " ", one["nodes"][0]["html"])[:200])
        for scheme, one in violations
        if one["impact"] != "minor"
    ]
