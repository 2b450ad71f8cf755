"""Test reply policies in a browser: with and without scripts, in both widths and languages."""

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, open_part, set_language, start_session

WORDS = {
    "en": {
        "audience": "Audience",
        "policy": "Who can reply",
        "followed": "People I follow",
        "hint": "People @ann follows can reply",
        "field": "Write a reply",
        "send": "Reply",
        "refused": (
            "Only people the author follows or mentions in the first post can reply to this thread."
        ),
        "reply": "Reply to this post by Ann",
        "text": "What’s happening?",
        "post": "Post",
        "unfollow": "Unfollow @cid",
    },
    "zh": {
        "audience": "可见范围",
        "policy": "谁可以回复",
        "followed": "我关注的人",
        "hint": "@ann 关注的人可以回复",
        "field": "写回复",
        "send": "回复",
        "refused": "只有作者关注的人和首条动态中提到的人可以回复此对话。",
        "reply": "回复 Ann 的这条动态",
        "text": "有什么新鲜事？",
        "post": "发布",
        "unfollow": "取消关注 @cid",
    },
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "scripts", "width"), [("en", True, 390), long("zh", False, 1280)]
)
def test_members_whom_the_author_follows_may_reply_and_others_see_why_not(
    open_page: OpenPage, expected_errors: list[str], language: str, scripts: bool, width: int
) -> None:
    expected_errors.append("403")
    words = WORDS[language]
    ann, bea, cid = (open_page(scripts, width) for _ in range(3))
    for page, login in ((bea, "bea"), (cid, "cid"), (ann, "ann")):
        start_session(page, login)
    for login in ("bea", "cid"):
        ann.goto(f"/@{login}")
        ann.get_by_role("button", name=f"Follow @{login}", exact=True).click()
        expect(ann.get_by_role("button", name=f"Unfollow @{login}")).to_be_visible()
    for page in (ann, bea, cid):
        set_language(page, language)
    ann.goto("/home")
    open_part(ann, words["audience"])
    policy = ann.get_by_label(words["policy"])
    box = policy.bounding_box()
    assert box and box["height"] >= 44 and box["x"] + box["width"] <= width
    policy.select_option(label=words["followed"])
    ann.get_by_role("textbox", name=words["text"]).fill("a song")
    ann.get_by_role("main").get_by_role("button", name=words["post"], exact=True).click()
    expect(ann.get_by_text(words["hint"])).to_be_visible()
    ann.locator(".status-time").click()
    # The policy of the thread's first post applies to replies.
    expect(ann.get_by_label(words["policy"])).to_have_count(0)
    for page in (bea, cid):
        page.goto(ann.url)
        expect(page.get_by_text(words["hint"])).to_be_visible()
        page.get_by_label(words["field"]).fill("so it is")
    bea.get_by_role("button", name=words["send"], exact=True).click()
    expect(bea.locator(".status-body")).to_have_text(["a song", "so it is"])
    thread = ann.url
    ann.goto("/@cid")
    ann.get_by_role("button", name=words["unfollow"]).click()
    expect(ann.get_by_role("button", name=words["unfollow"])).to_have_count(0)
    cid.get_by_role("button", name=words["send"], exact=True).click()
    expect(cid.get_by_text(words["refused"])).to_be_visible()
    expect(cid.get_by_label(words["field"])).to_have_value("so it is")
    cid.goto(thread)
    expect(cid.get_by_label(words["field"])).to_have_count(0)
    cid.get_by_role("link", name=words["reply"]).first.click()
    expect(cid.locator(":focus")).to_have_text(words["refused"])
    expect(cid.locator(".status-body")).to_have_text(["a song", "so it is"])
