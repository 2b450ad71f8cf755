"""Test in a browser that members choose the part of a picture that is kept."""

import io
import re

import pytest
from PIL import Image, ImageOps
from playwright.sync_api import Page, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, set_language, sign_up, start_session
from tests.e2e.live import accessibility_problems
from tests.support.quadrants import corners, quadrants

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}


def choose(page: Page, name: str = "avatar") -> None:
    """Choose a picture of four colours on the page of the profile."""
    file = {"name": "a.png", "mimeType": "image/png", "buffer": quadrants().read()}
    page.locator(f"[name={name}]").set_input_files([file])  # type: ignore[list-item]
    expect(page.locator(".picture-crop canvas")).to_be_visible()


def kept(page: Page, login: str = "ann") -> str:
    """Save the profile, and return the colours in the corners of its picture."""
    page.locator('main form button:text-matches("^(Save|保存)$")').click()
    page.wait_for_url(f"**/@{login}")
    path = re.findall(r'src="(/media/[^"]+)"', page.content())[0]
    return corners(page.request.get(path).body())


def shown(page: Page) -> str:
    """Return the colours in the corners of a square within the round frame, as it is drawn."""
    frame = Image.open(io.BytesIO(page.locator(".picture-crop > div").screenshot()))
    part = io.BytesIO()
    ImageOps.crop(frame, frame.width // 6).save(part, "PNG")
    return corners(part.getvalue())


def drag(page: Page, x: int, y: int) -> None:
    """Drag the picture by so many pixels."""
    frame = page.locator(".picture-crop > div")
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*at)
    page.mouse.down()
    page.mouse.move(at[0] + x, at[1] + y, steps=4)
    page.mouse.up()


@pytest.mark.parametrize("viewport", [PHONE, long(DESK)], ids=["phone", "desk"])
def test_a_picture_is_zoomed_and_dragged_and_kept_as_shown(
    viewport: dict[str, int], open_page: OpenPage
) -> None:
    page = sign_up(open_page(viewport=viewport), "ann", "/settings/profile")
    choose(page)
    assert shown(page) == "rgbw"
    drag(page, -50, -50)  # a square picture fits: there is nothing to move
    assert shown(page) == "rgbw"
    page.get_by_label("Zoom").fill("200")
    drag(page, -400, 400)
    assert shown(page) == "gggg"
    assert accessibility_problems(page) == []
    assert kept(page) == "gggg"


@pytest.mark.long
def test_sliders_choose_by_keyboard(open_page: OpenPage) -> None:
    page = start_session(open_page(), "ann")
    set_language(page, "zh")
    page.goto("/settings/profile")
    choose(page)
    for label, key in (("缩放", "End"), ("左右", "Home"), ("上下", "End")):
        page.get_by_label(label).press(key)
    assert shown(page) == "bbbb"
    assert kept(page) == "bbbb"


def test_a_picture_that_cannot_be_read_takes_the_sliders_away(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "ann", "/settings/profile")
    choose(page)
    page.locator("[name=avatar]").set_input_files([])
    expect(page.locator(".picture-crop")).to_have_count(0)
    expect(page.locator(".picture").first.locator(".avatar")).to_be_visible()


@pytest.mark.long
def test_a_turned_photo_is_kept_as_it_is_shown(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "ann", "/settings/profile")
    turned = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned to the right
    Image.open(quadrants()).convert("RGB").save(turned, "JPEG", quality=95, exif=exif)
    file = {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": turned.getvalue()}
    page.locator("[name=avatar]").set_input_files([file])  # type: ignore[list-item]
    expect(page.locator(".picture-crop canvas")).to_be_visible()
    assert shown(page) == "brwg"
    page.get_by_label("Zoom").fill("200")
    drag(page, 400, 400)
    assert shown(page) == "bbbb"
    assert kept(page) == "bbbb"
