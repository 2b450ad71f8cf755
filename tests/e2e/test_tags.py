"""Test hashtags in a browser: with and without scripts, narrow and wide, in both languages."""

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, add_member, add_post, start_session

WORDS = {
    "en": ("Follow #birds", "Following. Unfollow #birds", "Followed hashtags"),
    "zh-CN": ("关注 #birds", "已关注，取消关注 #birds", "关注的标签"),
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("scripts", "width", "locale"),
    [(True, 390, "zh-CN"), long(False, 1280, "en")],
    ids=["with scripts", "without scripts"],
)
def test_a_member_follows_a_tag_from_a_post_and_unfollows_it(
    open_page: OpenPage, scripts: bool, width: int, locale: str
) -> None:
    add_post(add_member("ann"), "so many #Birds")
    ben = start_session(open_page(scripts, width), "ben")
    ben.set_extra_http_headers({"Accept-Language": locale})
    follow, unfollow, tab = WORDS[locale]
    ben.goto("/public")
    ben.get_by_role("link", name="#Birds", exact=True).click()
    expect(ben.locator("h1")).to_have_text("#birds")
    ben.get_by_role("button", name=follow, exact=True).press("Enter")
    expect(ben.get_by_role("button", name=unfollow)).to_be_visible()
    ben.goto("/home")
    expect(ben.locator(".status-body")).to_have_text(["so many #Birds"])
    ben.goto("/settings")
    ben.get_by_role("main").get_by_role("link", name=tab, exact=True).click()
    expect(ben.locator(".entry")).to_have_count(1)
    ben.get_by_role("button", name=unfollow).click()
    expect(ben.locator(".entry")).to_have_count(0)
    ben.goto("/home")  # it shows what is popular to members who follow nothing
    expect(ben.locator(".popular .status-body")).to_have_text(["so many #Birds"])
