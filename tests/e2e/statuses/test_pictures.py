"""Pictures in posts with a real browser, with scripts and without, on a phone and on a desk, in both languages."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, join, speak
from tests.statuses.attachments.test_pictures import photo

# What the site says in each language: the part of the composer, a place for a picture, what it shows, posting, and that
# a file is none.
WORDS = {
    "en": (
        "Add pictures",
        "Picture {}",
        "What picture {} shows",
        "Post",
        "We can’t read that picture.",
    ),
    "zh": ("添加图片", "图片 {}", "图片 {} 的内容说明", "发布", "无法读取这个文件"),
}
BUTTONS = {
    "en": ("Next picture", "Previous picture", "Close"),
    "zh": ("下一张图片", "上一张图片", "关闭"),
}
TEXT = {"en": "What’s happening?", "zh": "有什么新鲜事？"}
COLOURS = ("red", "green", "blue", "black")
COLOUR_AT = """canvas => [...canvas.getContext("2d").getImageData(5, 5, 1, 1).data].slice(0, 3)"""


@pytest.fixture
def photos(tmp_path: Path) -> list[Path]:
    """Four pictures of different shapes."""
    found = []
    for name, size in zip(COLOURS, [(900, 600), (300, 900), (64, 48), (1600, 200)], strict=True):
        found.append(tmp_path / f"{name}.png")
        found[-1].write_bytes(photo(size, name))
    return found


def options(scripts: bool, width: int) -> dict[str, Any]:
    return {"java_script_enabled": scripts, "viewport": {"width": width, "height": 800}}


def choose(page: Page, *photos: Path, language: str = "en") -> None:
    """Opens the part of the composer and chooses a picture in each place, with what it shows."""
    part, picture, shows, *_ = WORDS[language]
    page.goto("/home")
    page.get_by_text(part).click()
    for number, file in enumerate(photos, 1):
        page.get_by_label(picture.format(number), exact=True).set_input_files(file)
        page.get_by_label(shows.format(number)).fill(f"All {file.stem}")


def send(page: Page, language: str = "en") -> None:
    page.get_by_role("main").get_by_role("button", name=WORDS[language][3], exact=True).click()


@pytest.mark.parametrize(("language", "scripts", "width"), [("en", True, 390), ("zh", False, 1280)])
def test_a_member_posts_pictures_and_a_visitor_sees_all_of_each(
    open_page: OpenPage, photos: list[Path], language: str, scripts: bool, width: int
) -> None:
    page, visitor = open_page(**options(scripts, width)), open_page(**options(scripts, width))
    join(page, "ann")
    speak(page, language)
    choose(page, *photos, language=language)
    page.get_by_label(TEXT[language]).fill("four of them")
    send(page, language)
    expect(page.locator(".status .shot")).to_have_count(4)
    visitor.goto("/public")
    boxes = []
    for colour in COLOURS:
        link = visitor.get_by_role("link", name=f"All {colour}")
        link.scroll_into_view_if_needed()
        boxes.append(link.bounding_box() or {})
        expect(link.get_by_role("img", name=f"All {colour}")).to_have_js_property("complete", True)
    grid = visitor.locator(".shots").bounding_box() or {}
    assert all(abs(box["width"] * 2 - grid["width"]) < 6 for box in boxes)
    last = visitor.get_by_role("link", name="All black")
    whole = visitor.request.get(last.get_attribute("href") or "")
    assert whole.ok and Image.open(BytesIO(whole.body())).size == (1600, 200)
    if scripts:
        last.click()
        expect(visitor.get_by_role("dialog").get_by_role("img")).to_have_js_property(
            "naturalWidth", 1600
        )


def test_what_is_refused_comes_back_with_the_words_and_is_sent_again(
    open_page: OpenPage, photos: list[Path], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"no picture")
    for language, (_, picture, shows, _, refused) in WORDS.items():
        page, text = open_page(**options(language == "en", 390)), TEXT[language]
        join(page, f"ann_{language}")
        speak(page, language)
        choose(page, bad, photos[0], language=language)
        page.get_by_label(text).fill("two of them")
        send(page, language)
        expect(page.get_by_text(refused)).to_be_visible()
        expect(page.get_by_label(text)).to_have_value("two of them")
        page.get_by_label(picture.format(1), exact=True).set_input_files(photos[1])
        expect(page.get_by_label(shows.format(1))).to_have_value("All bad")
        send(page, language)
        expect(page.get_by_role("img", name="All bad")).to_be_visible()


def test_several_chosen_at_once_get_a_place_each_and_can_be_taken_away(
    open_page: OpenPage, photos: list[Path]
) -> None:
    page = open_page()
    join(page, "ann")
    page.get_by_text("Add pictures").click()
    first = page.get_by_label("Picture 1", exact=True)
    expect(page.locator(".attach-one:visible")).to_have_count(1)
    expect(page.get_by_label("What picture 1 shows")).to_be_hidden()
    first.set_input_files(photos[:2])
    expect(page.locator(".attach-one:visible")).to_have_count(3)
    expect(page.locator(".attach-one canvas")).to_have_count(2)
    page.wait_for_function("document.querySelectorAll('.attach-one canvas')[1].height === 160")
    assert page.locator(".attach-one canvas").nth(0).evaluate(COLOUR_AT) == [255, 0, 0]
    assert page.locator(".attach-one canvas").nth(1).evaluate(COLOUR_AT) == [0, 128, 0]
    page.get_by_label("What picture 1 shows").fill("All red")
    page.get_by_label("What picture 2 shows").fill("All green")
    page.get_by_role("button", name="Take away").first.click()
    expect(first).to_be_focused()
    expect(page.locator(".attach-one canvas")).to_have_count(1)
    first.set_input_files(photos[2:4] + photos[:2])  # one more than there is room for
    expect(page.locator(".attach-one canvas")).to_have_count(4)
    page.get_by_label("What picture 1 shows").fill("All blue")
    send(page)
    names = [img.get_attribute("alt") for img in page.locator(".shot img").all()]
    assert names == [
        "All blue",
        "All green",
        "Picture without a description",
        "Picture without a description",
    ]


def test_a_lightbox_turns_by_arrows_closes_by_escape_and_gives_the_focus_back(
    open_page: OpenPage, photos: list[Path]
) -> None:
    page = open_page()
    join(page, "ann")
    choose(page, *photos[:3])
    send(page)
    link, box = page.get_by_role("link", name="All green"), page.get_by_role("dialog")
    link.focus()
    page.keyboard.press("Enter")
    expect(box.get_by_role("img", name="All green")).to_be_visible()
    expect(box.locator("figcaption")).to_have_text("All green")
    for key, colour in (
        ("ArrowRight", "blue"),
        ("ArrowRight", "red"),
        ("ArrowLeft", "blue"),
        ("ArrowLeft", "green"),
    ):
        page.keyboard.press(key)
        expect(box.get_by_role("img", name=f"All {colour}")).to_have_js_property("complete", True)
        expect(box.locator("figcaption")).to_have_text(f"All {colour}")
    fit = box.get_by_role("img").bounding_box() or {}
    assert (
        fit["x"] >= 0
        and fit["y"] >= 0
        and fit["x"] + fit["width"] <= 1280
        and fit["y"] + fit["height"] <= 720
    )
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    expect(link).to_be_focused()
    for language, (onward, back, close) in BUTTONS.items():
        speak(page, language)
        page.reload()
        link.click()
        box.get_by_role("button", name=onward).click()
        expect(box.locator("figcaption")).to_have_text("All blue")
        box.get_by_role("button", name=back).click()
        expect(box.locator("figcaption")).to_have_text("All green")
        box.get_by_role("button", name=close).click()
        expect(box).to_have_count(0)


def test_no_lightbox_is_loaded_where_nobody_looks(open_page: OpenPage) -> None:
    page = open_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    join(page, "ann")
    assert any("/pictures." in url for url in asked)
    assert not any("/lightbox." in url or "/attach." in url for url in asked)
