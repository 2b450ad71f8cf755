"""Test notes, the bell and muted conversations in a browser, with scripts and without."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import open_menu, sign_up, write_post
from tests.e2e.following.conftest import Visit


@pytest.mark.long
def test_a_note_the_bell_and_a_muted_conversation(visit: Visit) -> None:
    wren, finch = visit(), visit()
    sign_up(wren, "wren")
    sign_up(finch, "finch", "/@wren")
    open_menu(finch.locator(".profile")).get_by_text("Add a note about @wren").click()
    finch.get_by_label("Note", exact=True).fill("sings\nat dawn")
    finch.get_by_role("button", name="Save").click()
    note = finch.get_by_role("group", name="Your note · only you can see it")
    expect(note).to_contain_text("sings at dawn")

    bell = finch.get_by_role("button", name="Notify me of new posts by @wren")
    expect(bell).to_have_count(0)
    finch.get_by_role("button", name="Follow @wren", exact=True).click()
    expect(bell).to_have_attribute("aria-pressed", "false")
    bell.click()
    expect(bell).to_have_attribute("aria-pressed", "true")
    write_post(wren, "a song")
    finch.goto("/notifications")
    expect(finch.get_by_text("Wren posted")).to_be_visible()

    finch.get_by_role("link", name="a song").click()
    open_menu(finch.locator(".status").first).get_by_text("Mute conversation").click()
    expect(finch.get_by_text("You muted this conversation")).to_be_visible()
    finch.get_by_role("button", name="Unmute conversation").click()
    expect(finch.get_by_text("You muted this conversation")).to_have_count(0)
