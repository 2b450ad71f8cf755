"""Measure pages: what does not fit, what shifts or moves, and what is not accessible."""

import re
from collections.abc import Iterator
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

WIDTHS = (360, 390, 1280, 1440)
HEIGHT = 800
WIDE = 1280
# Each part that only a wide page has is on one of these.
PATHS_CHECKED_WIDE = set(
    "/home /settings/profile /@ann /notifications /lists /chats /chats/1".split()
)
SHIFT_MAX = 0.005  # a time in the reader's own language may be a word longer
ALL_RULES: dict[str, Any] = {"resultTypes": ["violations"]}
COLOUR_RULES = ALL_RULES | {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
}
HAS_AXE = "() => 'axe' in window"
# The violations alone, because the whole result is large.
VIOLATIONS = "options => axe.run(options).then(result => result.violations)"
NEEDED_AND_GIVEN_WIDTH = "() => [document.documentElement.scrollWidth, innerWidth]"
WIDER_ELEMENTS = """() => [...document.querySelectorAll("body *")]
    .filter(element => element.getBoundingClientRect().right > innerWidth + 1)
    .map(element => element.outerHTML.slice(0, 100)).slice(0, 5)"""
OBSERVE_SHIFTS = """new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shifted = (window.shifted ?? 0) + entry.value
}).observe({ type: "layout-shift", buffered: true })"""
# Waits until everything that loaded is drawn, and its shifts are reported.
TOTAL_SHIFT = """async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
    await new Promise(resolve => setTimeout(resolve))
    return window.shifted ?? 0
}"""
MOVING_ELEMENTS = """() => [...document.querySelectorAll("*")].filter(element => {
    const style = getComputedStyle(element)
    return style.transitionDuration.split(", ").some(time => parseFloat(time))
        || !["none", "late", "absent"].includes(style.animationName)
        || style.scrollBehavior === "smooth"
}).map(element => element.outerHTML.slice(0, 100))"""
Fault = tuple[Any, ...]


def prepare(page: Page) -> None:
    """Let each later page measure its layout shifts, and load axe-core into it."""
    page.add_init_script(OBSERVE_SHIFTS)
    page.add_init_script(AXE_SCRIPT)


def movements(page: Page, path: str, shift_max: float = SHIFT_MAX) -> list[Fault]:
    """Return what shifted on a page, and what moves although its reader wants no motion."""
    faults: list[Fault] = [(path, "moves", html) for html in page.evaluate(MOVING_ELEMENTS)]
    shift = page.evaluate(TOTAL_SHIFT)
    if shift >= shift_max:
        faults.append((path, "shifts", shift))
    return faults


def overflows(page: Page) -> bool:
    """Return True if a page scrolls sideways."""
    needed, given = page.evaluate(NEEDED_AND_GIVEN_WIDTH)
    return bool(needed > given)


def layout_faults(page: Page, where: str, width: int) -> list[Fault]:
    """Return what axe-core finds on a page, and the widths at which it scrolls sideways.

    The page has its first width again at the end.
    """
    faults: list[Fault] = [*accessibility_faults(page, where, width)]
    for other in sorted(WIDTHS, key=lambda candidate: candidate == width):
        page.set_viewport_size({"width": other, "height": HEIGHT})
        if overflows(page):
            faults.append((where, other, page.evaluate(WIDER_ELEMENTS)))
    return faults


def accessibility_faults(page: Page, where: str, width: int) -> list[Fault]:
    """Return what axe-core finds on a page that is more than minor.

    Every page is checked at the width of a phone; of wide ones, a few that show each part that
    only a wide page has.
    """
    if width >= WIDE and where not in PATHS_CHECKED_WIDE:
        return []
    faults: list[Fault] = []
    for scheme, violation in violations(page):
        html = re.sub(r"\s+", " ", violation["nodes"][0]["html"])[:200]
        rule = f"{violation['id']}: {violation['help']}"
        faults.append((f"{where}, {scheme}", rule, html))
    return faults


def violations(page: Page) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what axe-core finds on a page that is more than minor, with the colour scheme.

    The dark scheme differs in its colours only.
    """
    if not page.evaluate(HAS_AXE):
        page.evaluate(AXE_SCRIPT)
    for scheme, rules in (("dark", COLOUR_RULES), ("light", ALL_RULES)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for violation in page.evaluate(VIOLATIONS, rules):
            if violation["impact"] != "minor":
                yield scheme, violation
