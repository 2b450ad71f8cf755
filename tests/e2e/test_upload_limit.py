"""Test in a browser that a picture above the limit is told before it is sent."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from tests.e2e.conftest import (
    OpenPage,
    add_member,
    add_pictures,
    set_language,
    sign_up,
    start_session,
)
from tests.support.statuses.pictures import photo
from webapp.config import Config

LIMIT = 1_048_576  # bytes
SENTENCE = "That file is too big. Pictures can be up to 1 MB."
SENTENCE_ZH = "文件太大，图片不能超过 1 MB。"


@pytest.fixture
def settings(settings: Config) -> Config:
    """Settings with a small limit."""
    return replace(settings, upload_max=LIMIT)


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """Return a file that is one byte too big."""
    path = tmp_path / "big.png"
    path.write_bytes(bytes(LIMIT + 1))
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return a picture below the limit."""
    path = tmp_path / "small.png"
    path.write_bytes(photo((64, 48), "red"))
    return path


def sent_forms(page: Page, path: str) -> list[str]:
    """Return a list that gets the address of each form sent to a path from now on."""
    sent: list[str] = []

    def on_request(request: Request) -> None:
        if request.method == "POST" and request.url.endswith(path):
            sent.append(request.url)

    page.on("request", on_request)
    return sent


def press(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def expect_refused(page: Page, sentence: str) -> None:
    """Expect that the page says what is wrong, once, and takes the focus there."""
    expect(page.get_by_role("alert")).to_have_text(sentence)


def test_a_post_with_too_big_a_picture_is_not_sent(
    open_page: OpenPage, big: Path, small: Path
) -> None:
    page = sign_up(open_page(), "ann")
    sent = sent_forms(page, "/statuses")
    page.get_by_label("What’s happening?").fill("a song")
    add_pictures(page, small, big)
    expect_refused(page, SENTENCE)
    page.get_by_label("Description of picture 1").fill("a square")
    press(page, "Post")
    expect(page.get_by_role("alert")).to_be_focused()
    assert sent == []
    page.get_by_role("button", name="Remove").last.click()
    press(page, "Post")
    expect(page.locator(".status .gallery-picture")).to_have_count(1)
    assert len(sent) == 1


@pytest.mark.long
def test_a_profile_with_too_big_a_picture_is_not_sent(
    open_page: OpenPage, big: Path, small: Path
) -> None:
    page = start_session(open_page(), "ann")
    set_language(page, "zh")
    page.goto("/settings/profile")
    sent = sent_forms(page, "/settings/profile")
    field = page.locator("[name=avatar]")
    field.set_input_files(big)
    expect_refused(page, SENTENCE_ZH)
    press(page, "保存")
    expect(page.get_by_role("alert")).to_be_focused()
    assert sent == []
    field.set_input_files(small)
    expect(page.get_by_role("alert")).to_have_count(0)
    press(page, "保存")
    page.wait_for_url("**/@ann")
    assert len(sent) == 1


@pytest.mark.long
def test_a_message_with_too_big_a_picture_is_not_sent(
    open_page: OpenPage, big: Path, small: Path
) -> None:
    add_member("ben")
    page = sign_up(open_page(), "ann", "/chats/@ben")
    sent = sent_forms(page, "/messages")
    add_pictures(page, big)
    expect_refused(page, SENTENCE)
    press(page, "Send")
    expect(page.get_by_role("alert")).to_be_focused()
    assert sent == []
    page.get_by_role("button", name="Remove").click()
    add_pictures(page, small)
    expect(page.get_by_role("alert")).to_have_count(0)
    press(page, "Send")
    expect(page.get_by_text("Sent", exact=True)).to_be_visible()
    assert len(sent) == 1
