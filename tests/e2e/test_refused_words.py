"""Refused words with the keyboard, in Chinese: an admin adds one, and a writer learns of it.

A post that is held for review waits on when its writer comes back to the form.
"""

import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, set_language, start_session
from tests.e2e.keyboard import tab_to, type_into
from webapp.accounts import lifecycle
from webapp.accounts.store import uid_by_login
from webapp.core.web.context import site_of


@pytest.mark.long
def test_an_admin_refuses_a_word_and_a_writer_gets_the_post_back(
    open_page: OpenPage, served: Flask
) -> None:
    page, site = open_page(), site_of(served)
    start_session(page, "ann")
    lifecycle.grant(site.db, site.db.read(uid_by_login("ann")) or 0, "admin")
    set_language(page, "zh")
    page.goto("/moderation/terms")
    type_into(page, "词、短语或域名", "代开发票")
    type_into(page, "备注", "假发票")
    tab_to(page, "添加")
    page.keyboard.press("Enter")
    expect(page.get_by_role("listitem").get_by_text("代开发票").first).to_be_visible()
    page.goto("/statuses/new")
    type_into(page, "有什么新鲜事？", "专业代开发票")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("你的内容含有本站不允许的词：代开发票")).to_be_visible()
    page.goto("/moderation/terms")
    tab_to(page, "移除 代开发票")
    page.keyboard.press("Enter")
    expect(page.get_by_text("还没有禁用任何内容。")).to_be_visible()


def test_a_writer_who_comes_back_writes_another_post_than_the_held_one(
    open_page: OpenPage, served: Flask
) -> None:
    page, site = open_page(), site_of(served)
    start_session(page, "ann")
    lifecycle.grant(site.db, site.db.read(uid_by_login("ann")) or 0, "admin")
    page.goto("/moderation/terms")
    page.get_by_label("Word, phrase or domain").fill("casino")
    page.get_by_label("Hold posts with it until a moderator has reviewed them").check()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("listitem").get_by_text("casino").first).to_be_visible()
    page.goto("/home")
    text = page.get_by_role("textbox", name="What’s happening?")
    for written, heading in (("my casino", "Drafts"), ("a walk", "Home")):
        text.fill(written)
        text.press("Control+Enter")
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
        if heading == "Drafts":
            page.go_back()
    expect(page.locator(".status-body").first).to_have_text("a walk")
    page.goto("/drafts")
    expect(page.get_by_role("link", name="my casino")).to_be_visible()
