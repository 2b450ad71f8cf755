"""Passkeys in a browser, with a virtual authenticator."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import PASSWORD
from tests.e2e.conftest import OpenPage, add_member, fill, log_out
from tests.e2e.live import accessibility_problems


def with_authenticator(page: Page) -> None:
    """Give a page's browser a device that makes passkeys and says yes."""
    debugger = page.context.new_cdp_session(page)
    debugger.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    debugger.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def log_in(page: Page) -> None:
    """Log a new member in at the address of the page, which is not that of the test."""
    add_member("robin")
    page.goto("/login")
    fill(page, Username="robin", Password=PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url("**/home")


@pytest.fixture
def local_page(open_page: OpenPage, site: str, expected_errors: list[str]) -> Page:
    """A page at `localhost`, where passkeys work, with a device."""
    expected_errors.append("/stream/")  # it is at another address
    page = open_page(base_url=site.replace("127.0.0.1", "localhost"))
    with_authenticator(page)
    return page


def test_a_member_adds_a_passkey_logs_in_with_it_and_removes_it(local_page: Page) -> None:
    page = local_page
    log_in(page)
    page.goto("/settings/security")
    page.get_by_label("Name of the passkey").fill("my phone")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator(".entry").first).to_contain_text("my phone")
    assert accessibility_problems(page) == []
    page.get_by_label("Name of the passkey").fill("again")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator(".passkey-note")).to_have_text(re.compile("may have one already"))
    log_out(page)

    page.goto("/login?next=/settings/security")
    page.get_by_role("button", name="Log in with a passkey").click()
    page.wait_for_url("**/settings/security")
    expect(page.locator(".entry").first).to_contain_text("Last used")
    page.get_by_role("button", name="Remove the passkey my phone").click()
    expect(page.get_by_text("my phone")).to_have_count(0)
    log_out(page)

    page.goto("/login")
    page.get_by_role("button", name="Log in with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("That passkey didn’t work")


def test_without_scripts_the_page_offers_no_passkey(open_page: OpenPage, site: str) -> None:
    page = open_page(base_url=site.replace("127.0.0.1", "localhost"), java_script_enabled=False)
    log_in(page)
    page.goto("/settings/security")
    expect(page.get_by_text("This browser can’t make passkeys.")).to_be_visible()
    expect(page.get_by_role("button", name="Add a passkey")).to_have_count(0)
