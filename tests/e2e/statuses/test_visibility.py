"""Test posts for followers in a browser: with and without scripts, on a phone and a desktop."""

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, set_language, start_session

# The field, the choice for followers, the label of such a post, and the choices for a reply.
WORDS = {
    "en": (
        "Who can see it",
        "My followers",
        "Followers only",
        ["My followers", "Only people I mention"],
    ),
    "zh": ("谁可以看到", "我的粉丝", "仅粉丝可见", ["我的粉丝", "仅我提到的人"]),
}


def choose(page: Page, label: str, choice: str) -> None:
    """Choose a visibility. The field must be large enough for a finger."""
    page.locator(".composer-audience > summary").click()
    field = page.get_by_label(label)
    box = field.bounding_box()
    assert box and page.viewport_size
    assert box["height"] >= 44
    assert box["x"] + box["width"] <= page.viewport_size["width"]
    field.select_option(label=choice)


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "scripts", "width"),
    [long("en", True, 1280), ("zh", False, 390)],
    ids=sorted(WORDS),
)
def test_a_post_for_followers_is_visible_to_followers_only(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    field, choice, label, choices = WORDS[language]
    ann = open_page(scripts, width)
    ben, cid = open_page(scripts, width), open_page(scripts, width)
    for page, name in ((ann, "ann"), (ben, "ben"), (cid, "cid")):
        start_session(page, name)
    ben.goto("/@ann")
    ben.locator('form[action="/@ann/follow"] button').first.click()
    for page in (ann, ben):
        set_language(page, language)
    ann.goto("/home")
    expect(ann.get_by_label(field)).to_have_value("public")
    ann.locator(".composer-input").fill("a quiet song")
    choose(ann, field, choice)
    ann.locator(".composer-send button").click()
    expect(ann.locator(".status-audience")).to_have_text(label)
    ben.goto("/home")
    expect(ben.locator(".status-audience")).to_have_text(label)
    ben.locator(".status-time").first.click()
    expect(ben.get_by_label(field).locator("option")).to_have_text(choices)
    address = ben.url.partition("#")[0]
    ben.locator(".composer-input").fill("@ann so it is")
    ben.locator(".composer-send button").click()
    expect(ben.locator(".status-large .status-audience")).to_have_text(label)
    for path in (address, "/@ann", "/public"):
        cid.goto(path)
        expect(cid.locator(".status")).to_have_count(0)
