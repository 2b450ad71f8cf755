"""Change an account in a real browser, with scripts and without."""

import re
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.conftest import PASSWORD
from tests.e2e.conftest import OpenPage, fill, log_out, sign_in, sign_up, start_session
from tests.e2e.live import accessibility_problems

NEW_PASSWORD = "another good password"
Visit = Callable[[], Page]


@pytest.fixture
def visit(open_page: OpenPage) -> Visit:
    """Return a function that opens a visitor's page, without scripts and with."""
    scripts = cycle((False, True))
    return lambda: open_page(scripts=next(scripts))


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """Return a picture that is larger than an icon."""
    path = tmp_path / "me.jpg"
    Image.effect_noise((1600, 1200), 60).convert("RGB").save(path, "JPEG", quality=90)
    return path


def press(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def choose(page: Page, label: str, file: Path) -> None:
    """Choose a file with the dialog that the field opens."""
    with page.expect_file_chooser() as chooser:
        page.get_by_label(label, exact=True).click()
    chooser.value.set_files(file)


def expect_loaded(picture: Locator) -> None:
    """Expect an uploaded picture, and wait until it has loaded."""
    expect(picture).to_have_attribute("src", re.compile(r"\.webp$"))
    picture.scroll_into_view_if_needed()
    expect(picture).not_to_have_js_property("naturalWidth", 0)


def test_a_profile_and_its_picture_show_everywhere(visit: Visit, photo: Path) -> None:
    page = visit()
    sign_up(page, "wren", post="a song")
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="Name, bio and pictures").click()
    bio = "Small.\nLoud. #reeds"
    fill(page, Display_name="Winter Wren", Bio=bio, Location="Reeds", Website="example.org")
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
    expect(page.get_by_label("Bio")).to_have_value("Small.\nLoud. #reeds")
    page.get_by_label("Remove picture").first.check()
    press(page, "Save")
    expect(page.locator("svg.avatar").first).to_be_visible()
    expect(page.locator(".status img.avatar")).to_have_count(0)
    expect_loaded(page.locator("img.banner"))


@pytest.mark.long
def test_a_file_that_is_not_a_picture_is_refused_and_the_form_kept(
    visit: Visit, tmp_path: Path
) -> None:
    page = visit()
    sign_up(page, "wren", "/settings/profile")
    pdf = tmp_path / "pdf.png"
    pdf.write_bytes(b"%PDF-1.7 no picture at all")
    fill(page, Display_name="Winter Wren", Bio="Small.\nLoud.", Location="Reeds")
    choose(page, "Profile picture", pdf)
    press(page, "Save")
    field = page.get_by_label("Profile picture", exact=True)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".picture").first.locator(".field-error")).to_be_visible()
    expect(page.get_by_label("Display name", exact=True)).to_have_value("Winter Wren")
    expect(page.get_by_label("Bio")).to_have_value("Small.\nLoud.")
    expect(page.get_by_label("Location")).to_have_value("Reeds")
    page.goto("/@wren")
    expect(page.get_by_role("heading", level=1)).to_have_text("Wren")


@pytest.mark.long
def test_a_device_is_signed_out_from_another(visit: Visit) -> None:
    here, there = visit(), visit()
    start_session(here, "wren")
    sign_in(there, "wren")
    here.goto("/settings/sessions")
    expect(here.locator(".entry")).to_have_count(2)
    here.locator(".entry").get_by_role("button").click()
    expect(here.get_by_text("That device was logged out.")).to_be_visible()
    expect(here.locator(".entry")).to_have_count(1)
    there.goto("/home")
    expect(there.get_by_role("heading", level=1)).to_have_text("Welcome back")
    here.goto("/home")
    expect(here.get_by_role("heading", level=1)).to_have_text("Home")


@pytest.mark.long
def test_a_new_password_signs_other_devices_out_and_replaces_the_old(visit: Visit) -> None:
    here, there = visit(), visit()
    start_session(here, "wren")
    sign_in(there, "wren")
    here.goto("/settings/password")
    fill(here, **{"Current password": "not this one", "New password": NEW_PASSWORD})
    press(here, "Change password")
    expect(here.get_by_text("That’s not your password.")).to_be_visible()
    fill(here, **{"Current password": PASSWORD, "New password": NEW_PASSWORD})
    press(here, "Change password")
    expect(here.get_by_text("Password changed.")).to_be_visible()
    expect(here.get_by_text("1 other device was logged out.")).to_be_visible()
    there.goto("/home")
    fill(there, Username="wren", Password=PASSWORD)
    press(there, "Log in")
    expect(there.get_by_text("Wrong username or password.")).to_be_visible()
    sign_in(there, "wren", NEW_PASSWORD)


@pytest.mark.long
def test_a_token_is_shown_once_and_can_be_revoked(visit: Visit) -> None:
    page = visit()
    sign_up(page, "wren", "/settings/tokens")
    fill(page, **{"Token name": "the feeder"})
    press(page, "Create a token")
    expect(page.locator(".secret code")).to_have_text(re.compile(r"^\S{20,}$"))
    token = page.locator(".secret code").inner_text()
    page.goto("/settings/tokens")
    expect(page.locator(".entry")).to_contain_text("the feeder")
    assert token not in page.content()
    page.get_by_role("button", name="Revoke the feeder").click()
    expect(page.get_by_text("Token revoked.")).to_be_visible()
    expect(page.locator(".entry")).to_have_count(0)


@pytest.mark.long
def test_a_deleted_account_disappears(visit: Visit) -> None:
    page, other = visit(), visit()
    sign_up(page, "wren", post="a last song")
    sign_up(other, "robin")
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
    fill(page, Username="wren", Password=PASSWORD)
    press(page, "Log in")
    expect(page.get_by_text("Wrong username or password.")).to_be_visible()


@pytest.mark.long
def test_language_and_theme_survive_logging_out(visit: Visit) -> None:
    page = visit()
    sign_up(page, "wren")
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("button", name="简体中文").click()
    log_out(page)
    page.goto("/login")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_language_of_the_browser_is_used_until_one_is_chosen(open_page: OpenPage) -> None:
    page = open_page(locale="zh-CN")
    page.goto("/public")
    expect(page.get_by_role("heading", level=1)).to_have_text("探索")
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Explore")


@pytest.mark.long
def test_going_back_restores_typed_text(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren")
    page.get_by_label("What’s happening?").fill("half a tho")
    page.get_by_role("link", name="Explore", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Explore")
    page.go_back()
    expect(page.get_by_label("What’s happening?")).to_have_value("half a tho")
    page.go_forward()
    page.go_back()
    expect(page.get_by_label("What’s happening?")).to_have_value("half a tho")


@pytest.mark.long
def test_a_password_shows_while_its_box_is_ticked(open_page: OpenPage) -> None:
    page = open_page()
    page.goto("/signup")
    fill(page, Username="wren", Display_name="Wren", Password="correct horse battery")
    field, box = page.locator("[name=password]"), page.get_by_label("Show password")
    for kind in ("text", "password", "text"):
        box.click()
        expect(field).to_have_attribute("type", kind)
        expect(field).to_have_value("correct horse battery")
    page.get_by_role("button", name="Create account").click()
    expect(page.locator(".welcome-progress")).to_be_visible()
    without = open_page(scripts=False)
    without.goto("/signup")
    expect(without.get_by_text("Show password")).to_be_hidden()


@pytest.mark.long
def test_one_press_on_a_named_button_chooses_a_picture(open_page: OpenPage, photo: Path) -> None:
    page = open_page()
    # Choosers are watched from now on: one that opens as the watch begins would be missed.
    page.on("filechooser", lambda _: None)
    sign_up(page, "wren", "/settings/profile")
    with page.expect_file_chooser() as chosen:
        page.get_by_text("Choose a picture").first.click()
    chosen.value.set_files(photo)
    expect(page.locator(".avatar canvas")).to_be_visible()
    header = page.get_by_label("Header image", exact=True)
    assert (header.bounding_box() or {})["width"] == 1, "the browser's own words do not show"
    header.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(header.locator("+ label")).to_have_css("outline-style", "solid")
    with page.expect_file_chooser() as chosen:
        page.keyboard.press("Enter")
    chosen.value.set_files(photo)
    expect(page.locator(".banner canvas")).to_be_visible()
    assert accessibility_problems(page) == []


def test_a_meter_says_how_safe_a_new_password_is_while_it_is_chosen(open_page: OpenPage) -> None:
    page = open_page()
    page.goto("/signup")
    meter, words = page.locator(".strength meter"), page.locator(".strength [role=status]")
    expect(meter).to_be_hidden()
    field = page.get_by_label("Password", exact=True)
    field.fill("password")
    expect(words).to_contain_text("Many people use that password")
    expect(meter).to_have_js_property("value", 1)
    field.fill(NEW_PASSWORD)
    expect(words).to_contain_text("Extremely hard to guess")
    assert accessibility_problems(page) == []
    field.fill("")
    expect(words).to_be_empty()
    expect(meter).to_be_hidden()
