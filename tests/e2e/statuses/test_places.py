"""Test places in a browser: typed by name, and from the device."""

import pytest
from playwright.sync_api import Route, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, open_part, sign_up, write_kept

TEXT = "What’s happening?"


@pytest.mark.parametrize("scripts", [True, long(False)])
def test_a_place_is_typed_by_its_name(open_page: OpenPage, scripts: bool) -> None:
    page = sign_up(open_page(scripts), "ann")
    page.get_by_label(TEXT).fill("a heron")
    open_part(page, "Add a place")
    expect(page.get_by_role("button", name="Use my location")).to_be_visible(visible=scripts)
    page.get_by_label("Name of the place").fill("The reeds")
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-place")).to_contain_text("The reeds")


def test_a_place_that_was_closed_again_does_not_come_back(open_page: OpenPage) -> None:
    page, held = open_page(), list[Route]()
    page.route("**/place.*.js", lambda route: held.append(route))
    write_kept(sign_up(page, "ann").get_by_label(TEXT), "a heron")
    with page.expect_request("**/place.*.js"):
        open_part(page, "Add a place")
    page.get_by_label("Name of the place").fill("The reeds")
    part = page.locator("details", has=page.get_by_label("Name of the place"))
    part.locator("summary").click()
    expect(part).not_to_have_attribute("open", "")
    held[0].continue_()
    expect(part.get_by_label("Name of the place")).to_have_value("")
    page.unroute_all()
    page.reload()
    expect(page.get_by_label(TEXT)).to_have_value("a heron")
    expect(part.get_by_label("Name of the place")).to_have_value("")


def test_the_device_adds_its_location_until_it_is_taken_back(open_page: OpenPage) -> None:
    page = sign_up(
        open_page(
            permissions=["geolocation"], geolocation={"latitude": 31.23041, "longitude": 121.47372}
        ),
        "ann",
    )
    box = page.get_by_role("checkbox", name="Add my location")
    for text, is_added in (("first", True), ("second", False)):
        page.get_by_label(TEXT).fill(text)
        open_part(page, "Add a place")
        expect(box).to_be_hidden()
        page.get_by_role("button", name="Use my location").click()
        expect(box).to_be_checked()
        expect(page.get_by_text("Add my location: 31.23, 121.47")).to_be_visible()
        box.set_checked(is_added)
        page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
        expect(page.locator(".status-body").first).to_have_text(text)
        expect(page.locator(".status-place")).to_have_count(1)
    expect(page.locator(".status-place")).to_contain_text("31.23, 121.47")


def test_a_press_waits_for_its_script(open_page: OpenPage) -> None:
    place = {"latitude": 31.23041, "longitude": 121.47372}
    page, held = open_page(permissions=["geolocation"], geolocation=place), list[Route]()
    page.route("**/place.*.js", lambda route: held.append(route))
    sign_up(page, "ann").get_by_label(TEXT).fill("first")
    with page.expect_request("**/place.*.js"):
        open_part(page, "Add a place")
    page.get_by_role("button", name="Use my location").click()
    [route] = held
    route.continue_()
    expect(page.get_by_role("checkbox", name="Add my location")).to_be_checked()
