"""Like buttons in a browser."""

from playwright.sync_api import Locator, Page, expect


def button(page: Page, kind: str) -> Locator:
    """Return a button of the newest status on the page."""
    return page.locator(f".status .action-{kind}").first


def check(page: Page, kind: str, pressed: bool, name: str) -> None:
    """Check a button's name and state."""
    expect(button(page, kind)).to_have_attribute("aria-pressed", str(pressed).lower())
    expect(button(page, kind)).to_have_accessible_name(name)
