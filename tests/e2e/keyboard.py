"""Use a page with the keyboard, and look at what it leads to."""

from typing import Any

from playwright.sync_api import Locator, Page

STOPS_MAX = 160  # more than any page under test has
# The focused element: its name and place, and whether it and its outline can be seen. Of an input
# that is visually hidden, its last label is what is seen.
FOCUSED_ELEMENT = """() => {
    const element = document.activeElement
    if (element === document.body) return null
    const seen = element.offsetWidth === 1 ? [...element.labels].at(-1) : element
    const box = seen.getBoundingClientRect(), style = getComputedStyle(seen)
    const labels = [...(element.labels ?? [])].map(label => label.innerText).join(" ")
    const icon = element.querySelector("svg[aria-label]")?.getAttribute("aria-label")
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
    return {
        name: (element.getAttribute("aria-label") || labels || (icon ?? "") + element.textContent)
            .trim().replace(/\\s+/g, " "),
        html: element.outerHTML.slice(0, 160),
        visible: box.width > 0 && box.height > 0 && box.right > 0
            && box.top >= 0 && box.bottom <= innerHeight,
        uncovered: seen.contains(top) || top?.contains(seen) || false,
        outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
        position: [...document.querySelectorAll("*")].indexOf(element),
    }
}"""


def press_while_composing(field: Locator, key: str, **event: Any) -> None:
    """Press a key that an input method takes. `event` says by what it is recognised."""
    field.dispatch_event("keydown", {"key": key, "bubbles": True, "cancelable": True, **event})


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the element with this name has the focus."""
    passed = []
    for _ in range(STOPS_MAX):
        page.keyboard.press("Tab")
        element = page.evaluate(FOCUSED_ELEMENT)
        if element and element["name"] == name:
            return
        passed.append(element and element["name"])
    raise AssertionError(f"no {name!r} among {passed}")


def type_into(page: Page, name: str, text: str) -> None:
    """Replace the text of the field with this name."""
    tab_to(page, name)
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def activate(page: Page, name: str, key: str = "Enter") -> None:
    """Press a key on the element with this name."""
    tab_to(page, name)
    page.keyboard.press(key)


def assert_focus_is_clear(page: Page, path: str, count_min: int) -> None:
    """Check every element that Tab leads to: its name, outline and order, and that it is seen."""
    # The skip link is the last one that Tab leads to. A page may begin with the focus elsewhere.
    page.locator(".skip").focus()
    elements = _focusable_elements(page)
    assert len(elements) >= count_min, path
    for element in elements:
        for fact in ("name", "visible", "uncovered", "outlined"):
            assert element[fact], (path, fact, element)
    positions = [element["position"] for element in elements]
    assert positions == sorted(positions), path


def _focusable_elements(page: Page) -> list[dict[str, Any]]:
    """Return every element that Tab leads to, in order, until the skip link or the page's end."""
    elements = []
    for _ in range(STOPS_MAX):
        page.keyboard.press("Tab")
        element = page.evaluate(FOCUSED_ELEMENT)
        if element is None or 'class="skip"' in element["html"]:
            return elements
        elements.append(element)
    raise AssertionError("Tab never leaves the page")
