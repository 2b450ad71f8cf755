"""Test likes and bookmarks in a browser: with and without scripts, on a phone and a desktop."""

import pytest
from playwright.sync_api import Browser, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, delete_post, set_language, sign_up, start_session
from tests.support.like_buttons import button, check

# Both buttons, the number of likes, the page of bookmarks, and its empty state.
WORDS = {
    "en": (
        "Like this post by Ann",
        "Bookmark this post by Ann",
        "1 like",
        "Bookmarks",
        "No bookmarks yet",
    ),
    "zh": ("赞 Ann 的这条动态", "把 Ann 的这条动态加入书签", "1 个赞", "书签", "还没有书签"),
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "scripts", "width"), [long("en", True, 390), ("zh", False, 1280)]
)
def test_likes_and_bookmarks_are_given_and_taken_back(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    like, bookmark, count, bookmarks, empty = WORDS[language]
    ann, ben, visitor = (open_page(scripts, width) for _ in range(3))
    start_session(ann, "ann", *(f"song {number}" for number in range(4)))
    start_session(ben, "ben")
    visitor.goto("/public")
    for page in (ann, ben, visitor):
        set_language(page, language)
    ben.goto("/public")
    check(ben, "like", False, like)
    for kind in ("like", "bookmark"):
        box = button(ben, kind).bounding_box()
        assert box and box["width"] >= 44 and box["height"] >= 44
        button(ben, kind).click()
        expect(button(ben, kind)).to_have_attribute("aria-pressed", "true")
        # Without a script, the page loads again at the status.
        assert ("#status-" in ben.url) != scripts
    check(ben, "like", True, f"{like} 1")
    button(ben, "like").press("Enter")
    check(ben, "like", False, like)
    button(ben, "like").press("Space")
    check(ben, "like", True, f"{like} 1")
    ben.reload()
    check(ben, "like", True, f"{like} 1")
    visitor.goto("/@ann")
    expect(visitor.locator(".action-like").first).to_have_accessible_name(f"{like} 1")
    expect(visitor.locator("button.action")).to_have_count(0)
    visitor.locator(".status-time").first.click()
    visitor.get_by_role("link", name=count).click()
    expect(visitor.locator(".person .byline-login")).to_have_text(["@ben"])
    ben.goto("/@ben")
    region = ben.get_by_role("main" if width == 390 else "navigation")
    region.get_by_role("link", name=bookmarks).click()
    expect(ben.locator(".status-body")).to_have_text(["song 3"])
    button(ben, "bookmark").click()
    if scripts:
        expect(button(ben, "bookmark")).to_have_accessible_name(bookmark)
    else:
        expect(ben.locator(".empty h2")).to_have_text(empty)
    ann.goto("/home")
    check(ann, "like", False, f"{like} 1")


def test_scripts_keep_the_page_and_announce_likes(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "ann", post="a song")
    page.evaluate("window.stays = true")
    announcement = page.locator("body > [role=status]")
    button(page, "like").press("Enter")
    expect(announcement).to_have_text("1 like")
    expect(button(page, "like")).to_be_focused()
    button(page, "bookmark").click()
    expect(announcement).to_have_text("Added to your bookmarks.")
    button(page, "like").click()
    expect(announcement).to_have_text("0 likes")
    assert page.evaluate("window.stays") and "#" not in page.url
    button(page, "like").click()
    expect(announcement).to_have_text("1 like")
    page.locator(".status-time").first.click()
    link = page.locator(".status-interactions")
    expect(link).to_have_text("1 like")
    button(page, "like").click()
    expect(link).to_have_text("0 likes")
    expect(link.locator(".interaction-like")).to_be_hidden()  # as on a page that is loaded again
    expect(link.locator("b")).to_have_text("0")  # the number is still bold


def test_a_failed_like_shows_the_error_page_as_without_scripts(
    open_page: OpenPage, browser: Browser, site: str
) -> None:
    ann = open_page()
    # A page without the check of its console, which reports the refusal.
    other = browser.new_page(base_url=site)
    sign_up(ann, "ann", post="a song")
    sign_up(other, "ben", "/public")
    delete_post(ann)
    expect(ann.locator(".notices")).to_have_text("Post deleted.")
    button(other, "like").click()
    expect(other.get_by_text("This post doesn’t exist or was deleted.")).to_be_visible()
    other.context.close()
