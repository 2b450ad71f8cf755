"""Test pictures in a browser: with and without scripts, narrow and wide, in both languages."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, Route, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, add_pictures, open_part, set_language, sign_up
from tests.support.statuses.pictures import photo

# The part of the composer, a picture's field and its description, the button, and the error.
WORDS = {
    "en": (
        "Add pictures",
        "Picture {}",
        "Description of picture {}",
        "Post",
        "We can’t read that picture.",
    ),
    "zh": ("添加图片", "图片 {}", "图片 {} 的描述", "发布", "无法读取这个文件"),
}
BUTTONS = {
    "en": ("Next picture", "Previous picture", "Close"),
    "zh": ("下一张图片", "上一张图片", "关闭"),
}
TEXT = {"en": "What’s happening?", "zh": "有什么新鲜事？"}
COLOURS = ("red", "green", "blue", "black")
SMALL_COPIES = """count => [...document.querySelectorAll(".picture-slot canvas")]
    .filter(({width, height}) => Math.max(width, height) === 160).length === count"""
COLOUR_AT = """canvas => [...canvas.getContext("2d").getImageData(5, 5, 1, 1).data].slice(0, 3)"""


@pytest.fixture
def photos(tmp_path: Path) -> list[Path]:
    """Return four pictures of different shapes."""
    sizes = [(900, 600), (300, 900), (64, 48), (1600, 200)]
    files = [tmp_path / f"{colour}.png" for colour in COLOURS]
    for file, colour, size in zip(files, COLOURS, sizes, strict=True):
        file.write_bytes(photo(size, colour))
    return files


def choose(page: Page, *photos: Path, language: str = "en") -> None:
    """Choose pictures in the composer, each with a description."""
    part, picture, description, *_ = WORDS[language]
    page.goto("/home")
    page.locator(".composer-input").focus()
    if page.locator(".picture-adder").is_visible():
        add_pictures(page, *photos)
    else:  # without a script
        open_part(page, part)
        for number, file in enumerate(photos, 1):
            page.get_by_label(picture.format(number), exact=True).set_input_files(file)
    for number, file in enumerate(photos, 1):
        page.get_by_label(description.format(number)).fill(f"All {file.stem}")


def wait_for_pictures(page: Page, count: int) -> None:
    """Wait until the composer shows small copies of this many chosen pictures."""
    page.wait_for_function(SMALL_COPIES, arg=count)


def send(page: Page, language: str = "en") -> None:
    page.get_by_role("main").get_by_role("button", name=WORDS[language][3], exact=True).click()


@pytest.mark.parametrize(
    ("language", "scripts", "width"), [("en", True, 390), long("zh", False, 1280)]
)
def test_pictures_are_posted_and_shown_whole(
    open_page: OpenPage, photos: list[Path], language: str, scripts: bool, width: int
) -> None:
    page, visitor = open_page(scripts, width), open_page(scripts, width)
    sign_up(page, "ann")
    set_language(page, language)
    choose(page, *photos, language=language)
    page.get_by_label(TEXT[language]).fill("four of them")
    send(page, language)
    expect(page.locator(".status .gallery-picture")).to_have_count(4)
    visitor.goto("/public")
    boxes = []
    for colour in COLOURS:
        link = visitor.get_by_role("link", name=f"All {colour}")
        link.scroll_into_view_if_needed()
        boxes.append(link.bounding_box() or {})
        expect(link.get_by_role("img", name=f"All {colour}")).to_have_js_property("complete", True)
    grid = visitor.locator(".gallery").bounding_box() or {}
    assert all(abs(box["width"] * 2 - grid["width"]) < 6 for box in boxes)
    last = visitor.get_by_role("link", name="All black")
    file = visitor.request.get(last.get_attribute("href") or "")
    assert file.ok
    assert Image.open(BytesIO(file.body())).size == (1600, 200)
    if scripts:
        last.click()
        expect(visitor.get_by_role("dialog").get_by_role("img")).to_have_js_property(
            "naturalWidth", 1600
        )


@pytest.mark.long
def test_a_picture_has_its_size_before_it_has_loaded(
    open_page: OpenPage, photos: list[Path]
) -> None:
    page, visitor = open_page(), open_page(width=390)
    sign_up(page, "ann")
    choose(page, photos[0])
    send(page)
    expect(page.locator(".status .gallery-picture")).to_have_count(1)
    held: list[Route] = []
    visitor.route("**/media/posts/**", lambda route: held.append(route))
    with visitor.expect_request("**/media/posts/**"):
        visitor.goto("/public", wait_until="commit")
    picture = visitor.locator(".gallery img")
    expect(picture).to_have_js_property("complete", False)
    before = picture.bounding_box() or {}
    for route in held:
        route.continue_()
    expect(picture).to_have_js_property("complete", True)
    after = picture.bounding_box() or {}
    assert before and all(abs(after[side] - before[side]) < 1 for side in before)


@pytest.mark.long
def test_a_refused_picture_keeps_the_descriptions_for_the_next_attempt(
    open_page: OpenPage, expected_errors: list[str], photos: list[Path], tmp_path: Path
) -> None:
    expected_errors.append("422")
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"no picture")
    for language, (_, picture, description, _, error) in WORDS.items():
        page = open_page(language == "en", 390)
        text = TEXT[language]
        sign_up(page, f"ann_{language}")
        set_language(page, language)
        choose(page, bad, photos[0], language=language)
        page.get_by_label(text).fill("two of them")
        if language == "en":  # the browser cannot read it either
            expect(page.get_by_role("alert")).to_contain_text(error)
        send(page, language)
        expect(page.get_by_text(error).first).to_be_visible()
        expect(page.get_by_label(text)).to_have_value("two of them")
        expect(page.get_by_label(description.format(1))).to_have_value("All bad")
        expect(page.get_by_label(description.format(2))).to_have_value("All red")
        if language == "en":
            page.get_by_role("button", name="Remove").first.click()
        else:
            page.get_by_label(picture.format(1), exact=True).set_input_files(photos[1])
            page.get_by_label(picture.format(2), exact=True).set_input_files(photos[0])
        send(page, language)
        expect(page.get_by_role("img", name="All red").first).to_be_visible()


@pytest.mark.long
def test_several_pictures_chosen_together_get_a_row_each_and_can_be_removed(
    open_page: OpenPage, photos: list[Path]
) -> None:
    page = sign_up(open_page(), "ann")
    expect(page.get_by_label("Description of picture 1")).to_be_hidden()
    add_pictures(page, *photos[:2])
    expect(page.locator(".picture-slot canvas")).to_have_count(2)
    wait_for_pictures(page, 2)
    assert page.locator(".picture-slot canvas").nth(0).evaluate(COLOUR_AT) == [255, 0, 0]
    assert page.locator(".picture-slot canvas").nth(1).evaluate(COLOUR_AT) == [0, 128, 0]
    page.get_by_label("Description of picture 1").fill("All red")
    page.get_by_label("Description of picture 2").fill("All green")
    page.get_by_role("button", name="Remove").first.click()
    adder = page.get_by_label("Add pictures", exact=True)
    expect(adder).to_be_focused()
    expect(page.locator(".picture-slot canvas")).to_have_count(1)
    adder.set_input_files(photos[2:4] + photos[:2])  # one more than there is room for
    expect(page.locator(".picture-slot canvas")).to_have_count(4)
    expect(page.get_by_role("alert")).to_have_text("You can add up to 4 pictures.")
    expect(adder).to_be_disabled()
    page.get_by_label("Description of picture 1").fill("All blue")
    send(page)
    expect(page.get_by_label("Description of picture 3")).to_be_focused()
    send(page)  # without that description
    expect(page.locator(".gallery-picture img")).to_have_count(4)
    names = [img.get_attribute("alt") for img in page.locator(".gallery-picture img").all()]
    assert names == [
        "All blue",
        "All green",
        "Picture without a description",
        "Picture without a description",
    ]


def test_a_lightbox_has_arrow_keys_and_escape_and_restores_the_focus(
    open_page: OpenPage, photos: list[Path]
) -> None:
    page = sign_up(open_page(), "ann")
    choose(page, *photos[:3])
    send(page)
    link = page.get_by_role("link", name="All green")
    dialog = page.get_by_role("dialog")
    link.focus()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("img", name="All green")).to_be_visible()
    expect(dialog.locator("figcaption")).to_have_text("All green")
    for key, colour in (
        ("ArrowRight", "blue"),
        ("ArrowRight", "red"),
        ("ArrowLeft", "blue"),
        ("ArrowLeft", "green"),
    ):
        page.keyboard.press(key)
        expect(dialog.get_by_role("img", name=f"All {colour}")).to_have_js_property(
            "complete", True
        )
        expect(dialog.locator("figcaption")).to_have_text(f"All {colour}")
    box = dialog.get_by_role("img").bounding_box()
    assert box
    assert box["x"] >= 0 and box["x"] + box["width"] <= 1280
    assert box["y"] >= 0 and box["y"] + box["height"] <= 720
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(link).to_be_focused()
    for language, (forward, back, close) in BUTTONS.items():
        set_language(page, language)
        page.reload()
        link.click()
        dialog.get_by_role("button", name=forward).click()
        expect(dialog.locator("figcaption")).to_have_text("All blue")
        dialog.get_by_role("button", name=back).click()
        expect(dialog.locator("figcaption")).to_have_text("All green")
        dialog.get_by_role("button", name=close).click()
        expect(dialog).to_have_count(0)


def test_the_lightbox_script_is_loaded_on_demand(open_page: OpenPage) -> None:
    page = open_page()
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    sign_up(page, "ann")
    assert any("/pictures." in url for url in requested)
    assert not any(
        f"/{name}." in url
        for url in requested
        for name in ("lightbox", "attachments", "picture-files", "shrink-picture")
    )


ALTS = "fields => fields.filter(field => !field.hidden && field.value).map(field => field.value)"


def described(page: Page) -> list[str]:
    """Return the descriptions in the composer, in order."""
    descriptions: list[str] = page.locator(".picture-slot textarea").evaluate_all(ALTS)
    return descriptions


def test_pictures_are_put_in_order_with_buttons_and_by_dragging(
    open_page: OpenPage, photos: list[Path]
) -> None:
    page = sign_up(open_page(viewport={"width": 1280, "height": 1400}), "ann")
    add_pictures(page, *photos)
    wait_for_pictures(page, 4)
    for number, colour in enumerate(COLOURS, 1):
        page.get_by_label(f"Description of picture {number}").fill(colour)
    rows = [page.get_by_role("group", name=f"Picture {number}") for number in range(1, 5)]
    expect(rows[0].get_by_role("button", name="Move up")).to_be_hidden()
    expect(rows[3].get_by_role("button", name="Move down")).to_be_hidden()
    rows[1].get_by_role("button", name="Move up").press("Enter")
    assert described(page) == ["green", "red", "blue", "black"]
    expect(page.get_by_role("status").filter(has_text="Picture 1 of 4")).to_be_attached()
    expect(rows[0].get_by_role("button", name="Move down")).to_be_focused()
    assert page.locator(".picture-slot canvas").first.evaluate(COLOUR_AT) == [0, 128, 0]
    rows[0].get_by_role("button", name="Move down").press("Enter")
    assert described(page) == ["red", "green", "blue", "black"]
    expect(rows[1].get_by_role("button", name="Move down")).to_be_focused()
    grip, last = rows[0].locator(".picture-grip"), rows[3].bounding_box()
    grip.hover()
    page.mouse.down()
    assert last
    page.mouse.move(last["x"] + 40, last["y"] + last["height"] - 5, steps=15)
    page.mouse.up()
    assert described(page) == ["green", "blue", "black", "red"]
    send(page)
    expect(page.locator(".gallery-picture img")).to_have_count(4)
    alts = [image.get_attribute("alt") for image in page.locator(".gallery img").all()]
    assert alts == ["green", "blue", "black", "red"]


@pytest.mark.long
def test_the_point_that_cropping_keeps_is_clicked_dragged_and_moved_by_keys(
    open_page: OpenPage, photos: list[Path]
) -> None:
    page = sign_up(open_page(), "ann")
    add_pictures(page, *photos[:2])
    wait_for_pictures(page, 2)
    frames, focus = page.locator(".picture-frame"), page.locator("[name=focus]")
    points = page.get_by_role("button", name="What matters most in the picture.")
    expect(points.first).to_be_visible()
    points.first.press("ArrowRight")
    points.first.press("ArrowUp")
    expect(focus.first).to_have_value("6-4")
    expect(page.get_by_role("status").filter(has_text="60% from the left, 40%")).to_be_attached()
    points.first.press("ArrowLeft")
    points.first.press("ArrowDown")
    expect(focus.first).to_have_value("")
    box = frames.nth(1).bounding_box()
    assert box
    frames.nth(1).click(position={"x": box["width"] * 0.2, "y": box["height"] * 0.9})
    expect(focus.nth(1)).to_have_value("2-9")
    points.nth(1).hover()
    box = frames.nth(1).bounding_box()  # the page may have scrolled
    assert box
    page.mouse.down()
    page.mouse.move(box["x"] - 50, box["y"] + box["height"] * 0.3, steps=5)
    page.mouse.up()
    expect(focus.nth(1)).to_have_value("0-3")
    for number in (1, 2):
        page.get_by_label(f"Description of picture {number}").fill("all one colour")
    send(page)
    second = page.locator(".gallery-picture").nth(1)
    expect(second.locator("img")).to_have_css("object-position", "0% 30%")


@pytest.mark.long
def test_dropped_and_pasted_pictures_are_added(open_page: OpenPage, photos: list[Path]) -> None:
    page = sign_up(open_page(), "ann")
    text = page.get_by_label(TEXT["en"])
    for count, event in enumerate(("DragEvent", "ClipboardEvent"), 1):
        text.evaluate(
            """(field, [kind, type, bytes]) => {
                const transfer = new DataTransfer()
                const file = new File([new Uint8Array(bytes)], "x.png", { type: "image/png" })
                transfer.items.add(file)
                const options = { bubbles: true, cancelable: true }
                const event = new window[kind](type, {
                    ...options, dataTransfer: transfer, clipboardData: transfer,
                })
                if (field.dispatchEvent(event)) throw new Error("not taken")
            }""",
            [event, "drop" if event == "DragEvent" else "paste", list(photo((90, 60)))],
        )
        expect(page.locator(".picture-slot canvas")).to_have_count(count)
        page.get_by_label(f"Description of picture {count}").fill("all white")
    send(page)
    expect(page.locator(".gallery-picture")).to_have_count(2)


@pytest.mark.parametrize("scripts", [True, long(False)])
def test_a_badge_shows_the_description_of_a_picture_to_those_who_see_it(
    open_page: OpenPage, photos: list[Path], scripts: bool
) -> None:
    ann, page = open_page(), open_page(scripts, 390)
    sign_up(ann, "ann")
    choose(ann, *photos[:2])
    ann.get_by_label("Description of picture 2").fill("")
    send(ann)
    send(ann)  # without that description
    expect(ann.locator(".gallery-picture")).to_have_count(2)
    page.goto("/@ann")
    badge, words = page.locator(".picture-alt > summary"), page.locator(".picture-words")
    expect(badge).to_have_text("ALT")  # the second picture has none
    expect(words).to_be_hidden()
    picture = page.get_by_role("link", name="All red")  # read once, with the picture
    expect(picture).to_have_count(1)
    picture.focus()
    page.keyboard.press("Tab")
    expect(badge).to_be_focused()
    page.keyboard.press("Enter")
    expect(words).to_have_text("All red")
    expect(words).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(words).to_be_hidden()
