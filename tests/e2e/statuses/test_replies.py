"""Test replies in a browser: with and without scripts, narrow and wide, in both languages."""

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import (
    OpenPage,
    delete_post,
    open_menu,
    set_language,
    sign_up,
    start_session,
)
from tests.support.world import Web

WORDS = {
    "en": {
        "reply": "Reply to this post by Ann",
        "field": "Write a reply",
        "send": "Reply",
        "to": "Replying to @ann",
        "replies": "Replies",
        "tab": "Replies",
        "delete": "Delete post",
        "deleted": "Post deleted.",
        "gap": "This post was deleted.",
        "more": "Show more replies",
        "continue": "Show replies",
        "earlier": "Show earlier posts",
    },
    "zh": {
        "reply": "回复 Ann 的这条动态",
        "field": "写回复",
        "send": "回复",
        "to": "回复 @ann",
        "replies": "回复",
        "tab": "回复",
        "delete": "删除动态",
        "deleted": "动态已删除。",
        "gap": "这条动态已被删除。",
        "more": "显示更多回复",
        "continue": "显示回复",
        "earlier": "显示更早的动态",
    },
}


@pytest.mark.parametrize(
    ("language", "scripts", "width"), [("en", True, 390), long("zh", False, 1280)]
)
def test_a_reply_appears_below_the_post(
    open_page: OpenPage, language: str, scripts: bool, width: int
) -> None:
    words = WORDS[language]
    ann, ben, visitor = (open_page(scripts, width) for _ in range(3))
    sign_up(ann, "ann", post="a song")
    start_session(ben, "ben")
    visitor.goto("/public")
    for page in (ann, ben, visitor):
        set_language(page, language)
    ben.goto("/public")
    link = ben.locator(".action-reply").first
    expect(link).to_have_accessible_name(words["reply"])
    box = link.bounding_box()
    assert box and box["width"] >= 44 and box["height"] >= 44
    link.click()
    field = ben.get_by_label(words["field"])
    expect(field).to_have_value("")
    expect(field).to_be_focused()
    if scripts:
        ben.keyboard.type("a second voice")
    else:
        field.fill("a second voice")
    ben.get_by_role("button", name=words["send"], exact=True).click()
    expect(ben.locator(".status-body")).to_have_text(["a song", "a second voice"])
    if scripts:
        expect(ben.locator(".thread > .thread-part > .status")).to_have_count(1)
        expect(ben.locator(".thread .status-reply-to")).to_be_hidden()
        ben.locator(".thread .status-time").click()
    ben.locator(".thread-above .status-time").click()
    expect(ben.locator(".status-body")).to_have_text(["a song", "a second voice"])
    expect(ben.get_by_role("heading", name=words["replies"])).to_be_visible()
    ann.goto("/public")
    expect(ann.locator(".action-reply").first).to_have_accessible_name(f"{words['reply']} 1")
    expect(ann.locator(".status-body")).to_have_text(["a song"])
    visitor.goto("/@ben")
    expect(visitor.locator(".status")).to_have_count(0)
    visitor.get_by_role("link", name=words["tab"], exact=True).click()
    visitor.locator(".status-time").click()
    expect(visitor.locator(".status-body")).to_have_text(["a song", "a second voice"])
    menu = open_menu(ann.locator(".status").first)
    menu.locator("summary.menu-danger").click()
    menu.get_by_role("button", name=words["delete"]).click()
    expect(ann.locator(".notices")).to_have_text(words["deleted"])
    visitor.reload()
    expect(visitor.locator(".thread-gap")).to_have_text(words["gap"])
    expect(visitor.locator(".status-body")).to_have_text(["a second voice"])


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "scripts", "width"), [("en", False, 1280), long("zh", True, 390)]
)
def test_a_wide_and_deep_thread_has_pages(
    open_page: OpenPage, web: Web, language: str, scripts: bool, width: int
) -> None:
    words = WORDS[language]
    page = open_page(scripts, width)
    page.goto(create_thread(web))
    set_language(page, language)
    page.reload()
    body = page.locator(".status-body")
    deep = [f"deep {number}" for number in range(24)]
    wide = [f"wide {number}" for number in range(35)]
    expect(body).to_have_text(["root", *deep[1:11], *wide[:20]])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("link", name=words["more"]).click()
    expect(body).to_have_text(["root", *wide[20:]])
    expect(page.get_by_role("link", name=words["more"])).to_have_count(0)
    page.go_back()
    page.get_by_role("link", name=words["continue"]).click()
    expect(page.locator(".status-large .status-body")).to_have_text("deep 10")
    expect(body).to_have_text(["root", *deep[1:21]])
    page.get_by_role("link", name=words["continue"]).click()
    expect(body).to_have_text(["root", *deep[1:]])
    page.locator(".status-time").last.click()
    expect(body).to_have_text(deep[3:])
    page.get_by_role("link", name=words["earlier"]).click()
    expect(page.locator(".status-large .status-body")).to_have_text("deep 2")


def create_thread(web: Web) -> str:
    """Post a thread of more replies and levels than a page shows. Return its path."""
    [ann] = web.people("ann")
    parent = root = web.post(ann, "root")
    for number in range(1, 24):
        parent = web.post(ann, f"deep {number}", reply=parent)
    for number in range(35):
        web.post(ann, f"wide {number}", reply=root)
    web.apply_events()
    return f"/@ann/{root}"


@pytest.mark.parametrize("scripts", [True, long(False)], ids=["with scripts", "without scripts"])
def test_a_refused_reply_stays_in_the_form(
    open_page: OpenPage, expected_errors: list[str], scripts: bool
) -> None:
    ann, ben = open_page(), open_page(scripts)
    sign_up(ann, "ann", post="a song")
    sign_up(ben, "ben", "/public")
    ben.locator(".action-reply").first.click()
    ben.get_by_label("Write a reply").fill("@ann again")
    delete_post(ann)
    expect(ann.locator(".notices")).to_have_text("Post deleted.")
    expected_errors.append("404")
    ben.get_by_role("button", name="Reply", exact=True).click()
    expect(ben.get_by_text("This post doesn’t exist or was deleted.")).to_be_visible()
    expect(ben.get_by_role("heading", level=1)).to_have_text("Post" if scripts else "Write a reply")
    expect(ben.get_by_label("Write a reply")).to_have_value("@ann again")
