"""Pages fit 320 px, and a long name from right to left is cut at its end there."""

import pytest
from playwright.sync_api import expect

from tests.e2e import measurements
from tests.e2e.conftest import OpenPage, add_member, set_language, sign_up, start_session

PATHS = """/home /explore /public /search /notifications /chats /chats/requests /chats/new
    /bookmarks /lists /drafts /statuses/new /@ann /@ann/followers /@ben /@ben/menu /settings
    /settings/profile /settings/privacy /settings/notifications /settings/appearance
    /settings/sessions /shortcuts /welcome/topics""".split()
RTL_NAME = "محمد عبد الرحمن بن عبد العزيز الأندلسي"
INDENT = """name => {
    const text = document.createRange()
    text.selectNodeContents(name)
    return text.getBoundingClientRect().left - name.getBoundingClientRect().left
}"""
# Returns whether names are cut, run from right to left, and lie within their line.
NAMES_BEGIN = """names => names.length && names.every(name => {
    const { left, right } = name.getBoundingClientRect()
    const line = name.parentElement.getBoundingClientRect()
    return name.scrollWidth > name.clientWidth && getComputedStyle(name).direction === "rtl"
        && left >= line.left && right <= line.right
})"""


@pytest.mark.long
def test_no_page_scrolls_sideways_at_320_pixels(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 320, "height": 700})
    add_member("ben")
    wide = []
    for path in ("/", "/login", "/signup", "/@ben"):
        page.goto(path)
        wide += [(path, "visitor")] * measurements.overflows(page)
    sign_up(page, "ann", "/@ben")
    page.get_by_role("button", name="Follow @ben").click()
    for language in ("en", "zh"):
        set_language(page, language)
        for path in PATHS:
            page.goto(path)
            if measurements.overflows(page):
                wide.append((path, page.evaluate(measurements.WIDER_ELEMENTS)))
    assert wide == []


def test_who_follows_one_is_said_whole_at_320_pixels(open_page: OpenPage) -> None:
    ann = open_page(viewport={"width": 320, "height": 700}, has_touch=True, is_mobile=True)
    ben = open_page()
    start_session(ann, "ann")
    start_session(ben, "ben")
    for page, login in ((ben, "ann"), (ann, "ben")):
        page.goto(f"/@{login}")
        page.get_by_role("button", name=f"Follow @{login}").click()
        expect(page.get_by_role("button", name=f"Unfollow @{login}")).to_be_visible()
    ann.goto("/@ann/followers")
    assert ann.get_by_text("Follows you").evaluate("one => one.scrollWidth <= one.clientWidth")
    assert not measurements.overflows(ann)


def test_long_names_and_words_fit_320_pixels(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 320, "height": 700})
    sign_up(page, "ann", "/settings/profile", post="hello")
    page.locator("[name=name]").fill(RTL_NAME)
    page.get_by_role("main").get_by_role("button", name="Save").click()
    for path in ("/@ann", "/home"):
        page.goto(path)
        assert page.locator(".status .byline-name").evaluate_all(NAMES_BEGIN), path
    page.goto("/lists")
    page.get_by_label("List name").fill("Amphibian rescuers")
    page.get_by_role("button", name="Create list").click()
    page.goto("/@ann/lists/1")
    expect(page.get_by_role("button", name="Pin to Home")).to_be_in_viewport(ratio=1)
    assert page.get_by_role("heading", level=1).evaluate("name => name.clientHeight") < 60
    page.goto("/groups/new")
    page.get_by_label("Name", exact=True).fill("W" * 50)
    page.get_by_label("Address").fill("nests")
    page.get_by_label("What it’s about").fill("W" * 300)
    page.get_by_role("button", name="Create group").click()
    page.get_by_label("What’s happening?").fill("to the group")
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-body")).to_have_text("to the group")
    for path in ("/groups/nests", "/groups/nests/about", "/@ann"):
        page.goto(path)
        assert not measurements.overflows(page), path
    assert page.get_by_text("W" * 50).is_visible(), "the post names its group"
    page.goto("/groups/nests")
    page.locator(".group-joined > summary").click()
    expect(page.locator(".group-joined .menu-body")).to_be_in_viewport(ratio=1)


def test_a_name_from_right_to_left_begins_beside_the_picture_of_its_group(
    open_page: OpenPage,
) -> None:
    page = start_session(open_page(width=1280), "ann")
    page.goto("/groups/new")
    page.get_by_label("Name", exact=True).fill("نوارس")
    page.get_by_label("Address").fill("gulls")
    page.get_by_role("button", name="Create group").click()
    name = page.get_by_role("heading", level=1)
    expect(name).to_have_text("نوارس")
    assert name.evaluate(INDENT) < 2
