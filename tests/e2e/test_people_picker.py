"""Choosing people in a browser: found while one types, one press to write, several for a group."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, add_member, sign_up


@pytest.fixture
def ann(open_page: OpenPage) -> Page:
    """Ann, who has written to nobody yet, where Ben Ash, Cid and Dot are."""
    for login in ("ben", "cid", "dot"):
        add_member(login)
    return sign_up(open_page(width=390), "ann", "/chats/new-message")


def test_those_who_are_ticked_make_a_group_and_one_press_on_a_person_opens_the_chat(
    ann: Page,
) -> None:
    start = ann.get_by_role("button", name="Continue")
    expect(start).to_be_hidden()
    field = ann.get_by_label("Find people")
    for login in ("ben", "cid"):
        field.fill("")
        field.press_sequentially(login)
        ann.get_by_label(f"Choose @{login}").check()
    field.fill("nobody")
    field.press("Enter")
    expect(ann.locator(".picker-none")).to_be_visible()
    expect(ann.locator(".picker :checked")).to_have_count(2)
    box, nav = start.bounding_box(), ann.locator(".nav-member").bounding_box()
    assert box and nav and box["y"] + box["height"] <= nav["y"], "above the navigation"
    start.click()
    expect(ann.get_by_role("heading", level=1)).to_have_text("New group chat")
    expect(ann.locator(".picker :checked")).to_have_count(2)
    ann.get_by_label("Name of the group chat").fill("Hedge")
    ann.get_by_role("button", name="Create group").click()
    expect(ann.get_by_role("heading", level=1)).to_have_text("Hedge")
    ann.goto("/chats/new-message")
    expect(field).to_be_focused()
    ann.keyboard.type("be")
    expect(ann.locator(".picker .person")).to_have_count(1)
    ann.get_by_role("link", name="Ben @ben").press("Enter")
    expect(ann).to_have_url(re.compile(r"/chats/\d+-\d+$"))
    expect(ann.locator(".chat-input")).to_be_focused()
