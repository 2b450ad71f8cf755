"""Test bookmark folders in a browser: with and without scripts, in both languages."""

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, open_menu, sign_up

WORDS = {
    "en": ("Add to a folder…", "New folder", "Save", "Edit folder", "Delete folder"),
    "zh-CN": ("添加到文件夹…", "新建文件夹", "保存", "编辑文件夹", "删除文件夹"),
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("scripts", "width", "locale"),
    [(True, 390, "en"), long(False, 1280, "zh-CN")],
    ids=["with scripts", "without scripts"],
)
def test_a_post_is_put_into_a_new_folder_and_the_folder_deleted(
    open_page: OpenPage, scripts: bool, width: int, locale: str
) -> None:
    add, new, save, edit, delete = WORDS[locale]
    page = sign_up(open_page(scripts, width), "ann", post="soup for after a wet walk")
    page.set_extra_http_headers({"Accept-Language": locale})
    page.goto("/@ann")
    open_menu(page.locator(".status")).get_by_role("link", name=add).click()
    page.get_by_label(new).fill("Recipes")
    page.get_by_role("button", name=save).press("Enter")
    expect(page.locator(".action-bookmark")).to_have_attribute("aria-pressed", "true")
    page.goto("/bookmarks")
    page.get_by_role("link", name="Recipes").press("Enter")
    expect(page.locator(".status-body")).to_have_text("soup for after a wet walk")
    page.get_by_role("link", name=edit).click()
    page.get_by_role("button", name=delete).click()
    expect(page.locator(".status-body")).to_have_text("soup for after a wet walk")
    expect(page.get_by_role("link", name="Recipes")).to_have_count(0)
