"""What members do with their account, with a real browser, with scripts and without."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.conftest import PASSWORD
from tests.e2e.conftest import OpenPage, fill, join, sign_in, write

ANOTHER = "another good password"
Visit = Callable[[], Page]


@pytest.fixture
def visit(open_page: OpenPage) -> Visit:
    """Opens a visitor's page: one without scripts, the next with."""
    scripts = cycle((False, True))
    return lambda: open_page(java_script_enabled=next(scripts))


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A picture that is no icon."""
    path = tmp_path / "me.jpg"
    Image.effect_noise((1600, 1200), 60).convert("RGB").save(path, "JPEG", quality=90)
    return path


def press(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def choose(page: Page, label: str, file: Path) -> None:
    """Picks a file as one does: with the dialog that the field opens."""
    with page.expect_file_chooser() as chooser:
        page.get_by_label(label, exact=True).click()
    chooser.value.set_files(file)


def expect_loaded(picture: Locator) -> None:
    """The picture is there, and is one that was uploaded."""
    expect(picture).to_have_attribute("src", re.compile(r"\.webp$"))
    picture.scroll_into_view_if_needed()
    expect(picture).not_to_have_js_property("naturalWidth", 0)


def test_a_member_says_who_they_are_with_a_picture_that_shows_everywhere(
    visit: Visit, photo: Path
) -> None:
    page = visit()
    join(page, "wren")
    write(page, "a song")
    page.get_by_role("link", name="Settings").click()
    fill(
        page,
        Name="Winter Wren",
        **{"About you": "Small.\nLoud. #reeds", "Location": "Reeds", "Website": "example.org"},
    )
    choose(page, "Profile picture", photo)
    choose(page, "Header image", photo)
    press(page, "Save")
    expect(page.get_by_text("Profile saved.")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Winter Wren")
    expect(page.locator(".profile .status-body")).to_have_text("Small.\nLoud. #reeds")
    expect(page.get_by_role("link", name="example.org")).to_have_attribute(
        "href", "https://example.org"
    )
    for path in ("/@wren", "/public", "/home"):
        page.goto(path)
        expect_loaded(page.locator(".status img.avatar"))
    page.goto("/@wren")
    page.reload()
    expect_loaded(page.locator(".profile-top img.avatar"))
    expect_loaded(page.locator("img.banner"))
    page.get_by_role("link", name="Edit profile").click()
    expect(page.get_by_label("About you")).to_have_value("Small.\nLoud. #reeds")
    page.get_by_label("Remove the picture").first.check()
    press(page, "Save")
    expect(page.locator("svg.avatar").first).to_be_visible()
    expect(page.locator(".status img.avatar")).to_have_count(0)
    expect_loaded(page.locator("img.banner"))


def test_a_file_that_is_no_picture_comes_back_with_words_and_the_rest_as_typed(
    visit: Visit, tmp_path: Path
) -> None:
    page = visit()
    join(page, "wren")
    page.goto("/settings/profile")
    lie = tmp_path / "lie.png"
    lie.write_bytes(b"%PDF-1.7 no picture at all")
    fill(page, Name="Winter Wren", **{"About you": "Small.\nLoud.", "Location": "Reeds"})
    choose(page, "Profile picture", lie)
    press(page, "Save")
    field = page.get_by_label("Profile picture", exact=True)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".picture").first.locator(".field-error")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Winter Wren")
    expect(page.get_by_label("About you")).to_have_value("Small.\nLoud.")
    expect(page.get_by_label("Location")).to_have_value("Reeds")
    page.goto("/@wren")
    expect(page.get_by_role("heading", level=1)).to_have_text("Wren")


def test_a_device_is_signed_out_from_another(visit: Visit) -> None:
    here, there = visit(), visit()
    join(here, "wren")
    sign_in(there, "wren")
    here.goto("/settings/sessions")
    expect(here.locator(".entry")).to_have_count(2)
    here.locator(".entry").get_by_role("button").click()
    expect(here.get_by_text("That device was signed out.")).to_be_visible()
    expect(here.locator(".entry")).to_have_count(1)
    there.goto("/home")
    expect(there.get_by_role("heading", level=1)).to_have_text("Welcome back")
    here.goto("/home")
    expect(here.get_by_role("heading", level=1)).to_have_text("Home")


def test_a_new_password_signs_the_others_out_and_only_it_opens(visit: Visit) -> None:
    here, there = visit(), visit()
    join(here, "wren")
    sign_in(there, "wren")
    here.goto("/settings/password")
    fill(here, **{"Current password": "not this one", "New password": ANOTHER})
    press(here, "Change password")
    expect(here.get_by_text("That’s not your password.")).to_be_visible()
    fill(here, **{"Current password": PASSWORD, "New password": ANOTHER})
    press(here, "Change password")
    expect(here.get_by_text("Password changed.")).to_be_visible()
    expect(here.get_by_text("1 other device is signed out.")).to_be_visible()
    there.goto("/home")
    fill(there, Login="wren", Password=PASSWORD)
    press(there, "Log in")
    expect(there.get_by_text("Wrong login or password.")).to_be_visible()
    sign_in(there, "wren", ANOTHER)


def test_a_token_is_shown_once_and_can_be_revoked(visit: Visit) -> None:
    page = visit()
    join(page, "wren")
    page.goto("/settings/tokens")
    fill(page, **{"Name of the token": "the feeder"})
    press(page, "Make a token")
    expect(page.locator(".secret code")).to_have_text(re.compile(r"^\S{20,}$"))
    token = page.locator(".secret code").inner_text()
    page.goto("/settings/tokens")
    expect(page.locator(".entry")).to_contain_text("the feeder")
    assert token not in page.content()
    page.get_by_role("button", name="Revoke the feeder").click()
    expect(page.get_by_text("Token revoked.")).to_be_visible()
    expect(page.locator(".entry")).to_have_count(0)


def test_an_account_is_deleted_with_the_password_and_nothing_of_it_shows(visit: Visit) -> None:
    page, other = visit(), visit()
    join(page, "wren")
    write(page, "a last song")
    join(other, "robin")
    page.goto("/settings/delete")
    fill(page, Password="wrong password")
    press(page, "Delete my account")
    expect(page.get_by_text("That’s not your password.")).to_be_visible()
    fill(page, Password=PASSWORD)
    press(page, "Delete my account")
    expect(page.get_by_text("Your account was deleted.")).to_be_visible()
    other.goto("/public")
    expect(other.get_by_text("a last song")).to_have_count(0)
    other.goto("/@wren")
    expect(other.locator(".error-code")).to_be_visible()
    page.goto("/login")
    fill(page, Login="wren", Password=PASSWORD)
    press(page, "Log in")
    expect(page.get_by_text("Wrong login or password.")).to_be_visible()


def test_language_and_theme_outlive_signing_out(visit: Visit) -> None:
    page = visit()
    join(page, "wren")
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("button", name="简体中文").click()
    page.get_by_role("button", name="退出登录").click()
    page.goto("/login")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_browser_that_asks_for_chinese_gets_it_and_a_choice_wins(open_page: OpenPage) -> None:
    page = open_page(locale="zh-CN")
    page.goto("/public")
    expect(page.get_by_role("heading", level=1)).to_have_text("广场")
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Public")


def test_going_back_finds_what_was_typed(open_page: OpenPage) -> None:
    page = open_page()
    join(page, "wren")
    page.get_by_label("What’s happening?").fill("half a tho")
    page.get_by_role("link", name="Public", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Public")
    page.go_back()
    expect(page.get_by_label("What’s happening?")).to_have_value("half a tho")
    page.go_forward()
    page.go_back()
    expect(page.get_by_label("What’s happening?")).to_have_value("half a tho")
