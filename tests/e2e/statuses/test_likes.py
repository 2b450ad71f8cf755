"""Liking and bookmarking with a real browser, with scripts and without, on a phone and on a desk, in both languages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.conftest import OpenPage, join, speak, write

# What the site says in each language: liking and bookmarking a post, the number of likes, the page of bookmarks, and
# that there are none.
WORDS = {
    "en": (
        "Like this post by Ann",
        "Bookmark this post by Ann",
        "1 like",
        "Bookmarks",
        "Nothing is kept here yet",
    ),
    "zh": ("赞 Ann 的这条动态", "为 Ann 的这条动态加书签", "1 个赞", "书签", "这里还没有书签"),
}


def button(page: Page, kind: str) -> Locator:
    """The button of the newest status on the page."""
    return page.locator(f".status .act-{kind}").first


def check(page: Page, kind: str, pressed: bool, name: str) -> None:
    """Fails unless the button says this of itself."""
    expect(button(page, kind)).to_have_attribute("aria-pressed", str(pressed).lower())
    expect(button(page, kind)).to_have_accessible_name(name)


@pytest.mark.parametrize(("language", "scripts", "width"), [("en", True, 390), ("zh", False, 1280)])
def test_a_member_likes_and_bookmarks_and_takes_both_back(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    like, bookmark, number, bookmarks, none = WORDS[language]
    options: dict[str, Any] = {
        "java_script_enabled": scripts,
        "viewport": {"width": width, "height": 800},
    }
    ann, ben, visitor = (open_page(**options) for _ in range(3))
    join(ann, "ann")
    for n in range(4):
        write(ann, f"song {n}")
    join(ben, "ben")
    visitor.goto("/public")
    for page in (ann, ben, visitor):
        speak(page, language)
    ben.goto("/public")
    check(ben, "like", False, like)
    for kind in ("like", "bookmark"):
        box = button(ben, kind).bounding_box()
        assert box and box["width"] >= 44 and box["height"] >= 44
        button(ben, kind).click()
        expect(button(ben, kind)).to_have_attribute("aria-pressed", "true")
        assert (
            "#status-" in ben.url
        ) != scripts  # without a script the page comes back to where one was
    check(ben, "like", True, f"{like} 1")
    button(ben, "like").press("Enter")
    check(ben, "like", False, like)
    button(ben, "like").press("Space")
    check(ben, "like", True, f"{like} 1")
    ben.reload()
    check(ben, "like", True, f"{like} 1")
    visitor.goto("/@ann")
    expect(visitor.locator(".status-acted").first).to_have_text(re.compile(number))
    expect(visitor.locator(".act")).to_have_count(0)
    visitor.locator(".status-time").first.click()
    visitor.get_by_role("link", name=number).click()
    expect(visitor.locator(".person .byline-login")).to_have_text(["@ben"])
    ben.goto("/@ben")
    ben.get_by_role("main" if width == 390 else "navigation").get_by_role(
        "link", name=bookmarks
    ).click()
    expect(ben.locator(".status-body")).to_have_text(["song 3"])
    button(ben, "bookmark").click()
    if scripts:
        expect(button(ben, "bookmark")).to_have_accessible_name(bookmark)
    else:
        expect(ben.locator(".empty h2")).to_have_text(none)
    ann.goto("/home")
    check(ann, "like", False, f"{like} 1")


def test_with_scripts_the_page_stays_and_a_screen_reader_is_told(open_page: OpenPage) -> None:
    page = open_page()
    join(page, "ann")
    write(page, "a song")
    page.evaluate("window.stays = true")
    said = page.locator("body > [role=status]")
    button(page, "like").press("Enter")
    expect(said).to_have_text("1 like")
    expect(button(page, "like")).to_be_focused()
    button(page, "bookmark").click()
    expect(said).to_have_text("Added to your bookmarks.")
    button(page, "like").click()
    expect(said).to_have_text("0 likes")
    assert page.evaluate("window.stays") and "#" not in page.url
    button(page, "like").click()
    page.locator(".status-time").first.click()
    link = page.locator(".status-acted")
    expect(link).to_have_text("1 like")
    button(page, "like").click()
    expect(link).to_have_text("0 likes")
    expect(link.locator("b")).to_have_text("0")  # the number stands out as it did before


def test_what_goes_wrong_is_shown_as_it_is_without_scripts(
    open_page: OpenPage, browser: Browser, site: str
) -> None:
    ann, other = open_page(), browser.new_page(base_url=site)  # whose console tells of the refusal
    join(ann, "ann")
    write(ann, "a song")
    join(other, "ben")
    other.goto("/public")
    ann.locator(".status-delete summary").click()
    ann.get_by_role("button", name="Delete post").click()
    expect(ann.locator(".notices")).to_have_text("Post deleted.")
    button(other, "like").click()
    expect(other.get_by_text("This post doesn’t exist or was deleted.")).to_be_visible()
    other.context.close()
