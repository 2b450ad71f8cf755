"""Animated pictures in a browser: they play in view, and stop at a press, a key or a preference."""

import secrets
from collections.abc import Callable
from io import BytesIO

import pytest
from flask import Flask
from playwright.sync_api import Locator, Page, expect
from werkzeug.datastructures import FileStorage

from tests.conftest import long
from tests.e2e import measurements
from tests.e2e.conftest import OpenPage, add_member, add_post, set_language, sign_up, start_session
from tests.support import worker
from tests.support.animations import animation
from tests.support.statuses.pictures import photo
from webapp.core.forms.fields import UploadedPicture
from webapp.core.text.parser import parse
from webapp.core.web.context import site_of
from webapp.statuses import store
from webapp.statuses.attachments import staging

PostPictures = Callable[..., None]
# What the reader sees in the place of a picture: its still, or what moves.
SHOWN = """link => [...link.querySelectorAll("img")]
    .filter(image => image.checkVisibility({ visibilityProperty: true }))
    .map(image => image.src.match(/-(\\w+)\\.webp/)[1])"""
# The pictures whose two badges lie on each other.
OVERLAPS = """() => [...document.querySelectorAll(".gallery-item:has(.gif-badge)")].filter(item => {
  const [gif, alt] = [".gif-badge", ".picture-alt > summary"].map(
    badge => item.querySelector(badge).getBoundingClientRect())
  return gif.bottom > alt.top && gif.left < alt.right
}).length"""
NAMES = {"en": "Play GIF: A light", "zh": "播放动图：A light"}


@pytest.fixture
def post_pictures(served: Flask) -> PostPictures:
    """`post_pictures(uid, a=file)` posts files, each with its name as the description."""
    site = site_of(served)

    def post(uid: int, **contents: bytes) -> None:
        uploads = [
            UploadedPicture(FileStorage(BytesIO(content)), name.replace("_", " "))
            for name, content in contents.items()
        ]
        pictures = staging.stage(site, uid, uploads)
        text = parse("look", site.config.status_max)
        store.post(site, uid, text, secrets.token_urlsafe(12), pictures=pictures)
        worker.drain(site)

    return post


def shown(link: Locator) -> str:
    """Return which file of a picture the reader sees."""
    [file] = link.evaluate(SHOWN)
    return str(file)


def expect_shown(link: Locator, file: str) -> None:
    """Wait until the reader sees this file of a picture."""
    still = link.locator("img").first
    if file == "animated":
        expect(link.locator(".animation")).to_be_visible()
    else:
        expect(link.locator(".animation:visible")).to_have_count(0)
    expect(still).to_have_css("visibility", "hidden" if file == "animated" else "visible")
    assert shown(link) == file


def requested(page: Page) -> list[str]:
    """Return a list of the animations that the page asks for from now on."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url))
    return found


def animations_in(urls: list[str]) -> int:
    return sum("-animated.webp" in url for url in urls)


@pytest.mark.parametrize("language", ["en", long("zh")])
def test_an_animation_plays_at_once_and_stops_at_a_press_and_at_a_key(
    open_page: OpenPage, post_pictures: PostPictures, language: str
) -> None:
    page = start_session(open_page(width=390), "ann")
    set_language(page, language)
    post_pictures(add_member("ben"), A_light=animation("GIF", size=(300, 200)))
    page.goto("/@ben")
    button = page.get_by_role("button", name=NAMES[language], exact=True)
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button.locator(".gif-badge")).to_have_text("GIF")
    expect_shown(button, "animated")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    expect_shown(button, "640")
    place = page.evaluate("scrollY")
    for key, file in (("Enter", "animated"), ("Space", "640"), ("Space", "animated")):
        button.press(key)
        expect_shown(button, file)
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.url.endswith("/@ben") and page.evaluate("scrollY") == place


def test_an_animation_is_loaded_in_view_and_plays_there_only(
    open_page: OpenPage, post_pictures: PostPictures
) -> None:
    page = sign_up(open_page(viewport={"width": 390, "height": 500}), "ann")
    ben = add_member("ben")
    post_pictures(ben, A_light=animation(size=(300, 200)))
    for _ in range(4):
        add_post(ben, "A long walk along the river, one line after the other. " * 4)
    urls = requested(page)
    page.goto("/@ben")
    button = page.get_by_role("button", name=NAMES["en"])
    expect(button).to_have_attribute("aria-pressed", "true")
    assert button.evaluate("link => link.getBoundingClientRect().top > innerHeight")
    expect(button.locator(".animation")).to_have_count(0)
    assert animations_in(urls) == 0
    button.scroll_into_view_if_needed()
    expect_shown(button, "animated")
    page.evaluate("scrollTo(0, 0)")
    expect_shown(button, "640")
    button.scroll_into_view_if_needed()
    expect_shown(button, "animated")
    button.press("Enter")
    page.evaluate("scrollTo(0, 0)")
    button.scroll_into_view_if_needed()
    expect_shown(button, "640")  # who has stopped it does not see it start again
    assert animations_in(urls) == 1


@pytest.mark.long
def test_with_reduced_motion_an_animation_waits_for_a_press(
    open_page: OpenPage, post_pictures: PostPictures
) -> None:
    page = start_session(open_page(reduced_motion="reduce"), "ann")
    post_pictures(add_member("ben"), A_light=animation())
    urls = requested(page)
    page.goto("/@ben")
    button = page.get_by_role("button", name=NAMES["en"])
    expect(button).to_have_attribute("aria-pressed", "false")
    expect_shown(button, "640")
    assert animations_in(urls) == 0
    button.press("Enter")
    expect_shown(button, "animated")
    page.emulate_media(reduced_motion="no-preference")
    expect_shown(button, "animated")
    page.emulate_media(reduced_motion="reduce")
    expect_shown(button, "640")


@pytest.mark.long
def test_the_lightbox_shows_an_animation_and_a_stopped_one_as_its_still(
    open_page: OpenPage, post_pictures: PostPictures
) -> None:
    page = start_session(open_page(), "ann")
    post_pictures(add_member("ben"), A_hill=photo((300, 200)), A_light=animation(size=(300, 200)))
    page.goto("/@ben")
    button = page.get_by_role("button", name=NAMES["en"])
    expect_shown(button, "animated")
    for file in ("animated", "640"):
        page.get_by_role("link", name="A hill").click()
        expect(page.get_by_role("dialog").get_by_role("img", name="A hill")).to_be_visible()
        page.keyboard.press("ArrowRight")
        picture = page.get_by_role("dialog").get_by_role("img", name="A light")
        expect(picture).to_have_js_property("complete", True)
        assert f"-{file}.webp" in str(picture.get_attribute("src"))
        page.keyboard.press("Escape")
        button.click()


def test_without_scripts_the_still_links_to_what_moves(
    open_page: OpenPage, post_pictures: PostPictures
) -> None:
    page = open_page(scripts=False)
    post_pictures(add_member("ben"), A_light=animation(size=(300, 200)))
    page.goto("/@ben")
    link = page.get_by_role("link", name="A light GIF")
    assert "-640.webp" in str(link.locator("img").get_attribute("src"))
    link.click()
    page.wait_for_url("**/media/posts/**-animated.webp")


@pytest.mark.long
def test_an_animation_has_the_place_and_size_of_its_still(
    open_page: OpenPage, post_pictures: PostPictures
) -> None:
    page = start_session(open_page(), "ann")
    post_pictures(add_member("ben"), A_light=animation())
    page.goto("/@ben")
    button = page.get_by_role("button", name=NAMES["en"])
    expect_shown(button, "animated")
    still, moving = (button.locator("img").nth(place).bounding_box() for place in (0, 1))
    assert still == moving


def test_pages_with_animations_fit_and_are_accessible(
    open_page: OpenPage, post_pictures: PostPictures
) -> None:
    page = open_page(width=390, reduced_motion="reduce")
    measurements.prepare(page)
    sign_up(page, "ann")
    ben = add_member("ben")
    post_pictures(ben, A_light=animation(size=(300, 200)))
    post_pictures(ben, A=animation(size=(900, 300)), B=photo((300, 900)), C=animation())
    page.goto("/@ben")
    button = page.get_by_role("button", name="Play GIF: A", exact=True)
    button.press("Enter")
    expect_shown(button, "animated")
    assert page.locator(".gif-badge").count() == 3 and page.evaluate(OVERLAPS) == 0
    assert page.evaluate(measurements.TOTAL_SHIFT) < measurements.SHIFT_MAX
    assert measurements.layout_faults(page, "/@ben", 390) == []
