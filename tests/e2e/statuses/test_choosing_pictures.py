"""Test in a browser how pictures are chosen: one press, smaller photos, refusals, a reminder."""

from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, add_pictures, sign_up
from tests.e2e.measurements import layout_faults, prepare
from tests.support.statuses.pictures import photo
from webapp.config import Config

LIMIT = 1_048_576  # bytes of a picture
SENT = """async input => {
    const [file] = input.files
    const { width, height } = await createImageBitmap(file)
    return [file.type, width, height, file.size]
}"""
KEEP_SENT = """() => {
    const { send } = XMLHttpRequest.prototype
    XMLHttpRequest.prototype.send = function (form) {
        window.sent = form.getAll("pictures")[0]
        send.call(this, form)
    }
}"""
SENT_BYTES = "async () => [...new Uint8Array(await window.sent.arrayBuffer())]"
RED, BLUE = (200, 30, 30), (30, 30, 200)


@pytest.fixture
def settings(settings: Config) -> Config:
    """Settings with a small limit."""
    return replace(settings, upload_max=LIMIT)


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """Return the home of a member."""
    page = sign_up(open_page(), "ann")
    return page


def large_photo(orientation: int) -> bytes:
    """Return a noisy JPEG of 3000 × 1500 pixels above the limit: red on the left, then blue."""
    picture = Image.effect_noise((3000, 1500), 90).convert("RGB")
    for colour, left in ((RED, 0), (BLUE, 1500)):
        picture.paste(Image.new("RGB", (1500, 300), colour), (left, 600))
    exif = Image.Exif()
    exif[0x0112] = orientation
    content = BytesIO()
    picture.save(content, "JPEG", quality=90, exif=exif)
    assert len(content.getvalue()) > LIMIT
    return content.getvalue()


def animation(picture_format: str, side: int) -> bytes:
    """Return a picture that moves."""
    frames = [Image.new("RGB", (side, 100), colour) for colour in (RED, BLUE)]
    content = BytesIO()
    frames[0].save(content, picture_format, save_all=True, append_images=frames[1:])
    return content.getvalue()


def payload(name: str, kind: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": kind, "buffer": content}


def first_file(page: Page) -> Locator:
    """Return the input that sends the first picture, once the picture is as it will be sent."""
    expect(page.locator(".attach[data-ready] canvas").first).to_be_visible()
    return page.locator(".picture-slot [type=file]").first


@pytest.mark.parametrize("control", ["mouse", "keyboard"])
def test_one_press_opens_the_browsers_own_dialog(page: Page, control: str) -> None:
    adder = page.get_by_label("Add pictures", exact=True)
    with page.expect_file_chooser() as chooser:
        if control == "mouse":
            page.locator("label.composer-add").click()
        else:
            adder.focus()
            page.keyboard.press("Enter")
    assert chooser.value.is_multiple()
    chooser.value.set_files([payload("a.png", "image/png", photo())])
    expect(page.locator(".picture-slot canvas")).to_have_count(1)
    expect(page.locator(".picture-file:visible")).to_have_count(0)
    adder.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(page.locator("label.composer-add")).to_have_css("outline-style", "solid")


def test_a_large_photo_is_sent_smaller_and_upright(page: Page) -> None:
    add_pictures(page, payload("a.jpg", "image/jpeg", large_photo(orientation=6)))
    page.get_by_label("Description of picture 1").fill("stripes")
    page.locator(".composer-send button").click()  # waits until the photo is smaller
    picture = page.locator(".gallery-picture")
    expect(picture).to_have_count(1)
    answer = page.request.get(picture.get_attribute("href") or "")
    stored = Image.open(BytesIO(answer.body())).convert("RGB")
    width, height = stored.size
    assert 640 <= height == 2 * width <= 2048  # turned to the right: red is above
    for place, colour in (((width // 2, height // 4), RED), ((width // 2, 3 * height // 4), BLUE)):
        seen = stored.getpixel(place)
        assert isinstance(seen, tuple)
        assert all(abs(one - other) < 40 for one, other in zip(seen, colour, strict=True))


def test_what_a_picture_says_of_itself_is_suggested_and_what_is_none_is_refused(page: Page) -> None:
    exif, content = Image.Exif(), BytesIO()
    exif[0x010E] = "A fox looks at a hen"
    Image.new("RGB", (3000, 2000)).save(content, "JPEG", exif=exif)
    add_pictures(page, payload("a.jpg", "image/jpeg", content.getvalue()))
    expect(page.get_by_label("Description of picture 1")).to_have_value("A fox looks at a hen")
    expect(page.get_by_text("Suggested from the picture’s own description.")).to_be_visible()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Suggested from")).to_have_count(0)
    add_pictures(page, payload("notes.txt", "text/plain", b"no picture"))
    expect(page.get_by_role("alert")).to_contain_text("We can’t read that picture.")
    page.locator(".composer-send button").click()
    expect(page.get_by_role("alert")).to_be_focused()


@pytest.mark.long
def test_a_photo_is_within_the_limits_before_it_is_sent(page: Page) -> None:
    add_pictures(page, payload("a.jpg", "image/jpeg", large_photo(orientation=1)))
    file = first_file(page)
    page.wait_for_function("input => input.files[0].size <= 1048576", arg=file.element_handle())
    kind, width, height, size = file.evaluate(SENT)
    assert kind == "image/jpeg"
    assert width <= 2560 and abs(width - 2 * height) <= 2
    assert size <= LIMIT
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["png", "webp", "gif"])
def test_what_moves_is_sent_as_it_is(page: Page, kind: str) -> None:
    content = animation(kind, 3000)
    add_pictures(page, payload(f"a.{kind}", f"image/{kind}", content))
    page.get_by_label("Description of picture 1").fill("it moves")
    page.evaluate(KEEP_SENT)
    page.locator(".composer-send button").click()
    expect(page.locator(".gallery-picture")).to_have_count(1)
    assert bytes(page.evaluate(SENT_BYTES)) == content


@pytest.mark.long
def test_a_format_that_only_the_browser_knows_is_sent_as_another(page: Page) -> None:
    content = BytesIO()
    Image.new("RGB", (90, 60), RED).save(content, "BMP")
    add_pictures(page, payload("a.bmp", "image/bmp", content.getvalue()))
    page.get_by_label("Description of picture 1").fill("all red")
    page.locator(".composer-send button").click()
    expect(page.locator(".gallery-picture")).to_have_count(1)


def test_a_missing_description_is_asked_for_once(page: Page) -> None:
    reminder = page.locator("[data-reminder]")
    for count, is_reminded in enumerate((True, False), 1):
        add_pictures(page, payload("a.png", "image/png", photo()))
        expect(reminder).to_be_hidden()
        page.locator(".composer-send button").click()
        if is_reminded:
            expect(reminder).to_contain_text("A picture has no description yet.")
            assert reminder.evaluate("note => note.previousElementSibling.name") == "alt"
            expect(page.get_by_label("Description of picture 1")).to_be_focused()
            page.locator(".composer-send button").click()
        expect(page.locator(".gallery-picture")).to_have_count(count)


@pytest.mark.parametrize("width", [390, long(1280)])
def test_chosen_pictures_have_no_layout_faults(open_page: OpenPage, width: int) -> None:
    page = open_page(width=width, reduced_motion="reduce")
    prepare(page)
    sign_up(page, "ann")
    add_pictures(page, payload("a.png", "image/png", photo((900, 600))))
    page.locator(".composer-input").fill("x")
    page.locator(".composer-send button").click()
    expect(page.locator("[data-reminder]")).to_be_visible()
    assert layout_faults(page, "chosen", width) == []
    page.locator(".composer-send button").click()
    expect(page.locator(".gallery-picture")).to_have_count(1)


def test_the_buttons_of_a_kept_picture_stand_beside_it_on_a_phone(open_page: OpenPage) -> None:
    page = sign_up(open_page(width=320), "ann")
    add_pictures(page, *(payload(f"{n}.png", "image/png", photo((900, 600))) for n in "ab"))
    page.locator(".composer-input").fill("two pictures")
    page.get_by_role("button", name="Save draft").click()
    page.get_by_role("link", name="two pictures").click()
    picture = page.locator("img.picture-stored").first.bounding_box()
    button = page.get_by_role("button", name="Move down").bounding_box()
    assert picture and button
    assert button["x"] >= picture["x"] + picture["width"]
