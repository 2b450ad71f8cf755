"""Nearby in a browser: the device fills in where it is, and only when a member asks."""

from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, sign_up


def test_the_device_tells_its_location_rounded_when_a_member_asks(open_page: OpenPage) -> None:
    page = sign_up(
        open_page(
            permissions=["geolocation"], geolocation={"latitude": 31.23041, "longitude": 121.47372}
        ),
        "ann",
        "/nearby",
    )
    expect(page.get_by_label("Latitude and longitude")).to_have_value("")
    page.get_by_role("button", name="Use my location").click()
    expect(page).to_have_url("/nearby?at=31.23%2C+121.47&radius=5")
    expect(page.get_by_text("No posts around here")).to_be_visible()
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_role("button", name="Use my location").click()
    expect(page.get_by_text("You can be found around 31.23, 121.47")).to_be_visible()
    page.get_by_role("button", name="Stop, and delete my position").click()
    expect(page.get_by_text("No one can find you nearby anymore.")).to_be_visible()
