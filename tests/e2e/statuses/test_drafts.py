"""Test drafts and scheduled posts in a browser in another time zone, in both languages."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import (
    OpenPage,
    add_pictures,
    open_part,
    set_language,
    sign_up,
    start_session,
)
from tests.support.statuses.pictures import photo

WORDS = {
    "en": {
        "text": "What’s happening?",
        "save": "Save draft",
        "saved": "Draft saved.",
        "later": "Post later",
        "when": "When",
        "utc": "Greenwich",
        "schedule": "Schedule",
        "out_of_range": "Choose a time within the next 12 months",
        "no_time": "Choose a day and a time",
        "scheduled_heading": "Scheduled posts",
        "drafts": "Drafts",
        "scheduled": "Scheduled 1",
        "post": "Post",
        "empty": "No drafts yet",
    },
    "zh": {
        "text": "有什么新鲜事？",
        "save": "存为草稿",
        "saved": "草稿已保存。",
        "later": "定时发布",
        "when": "时间",
        "utc": "协调世界时",
        "schedule": "设为定时",
        "out_of_range": "请选择未来一年内的时间",
        "no_time": "请选择日期和时间",
        "scheduled_heading": "定时动态",
        "drafts": "草稿",
        "scheduled": "定时 1",
        "post": "发布",
        "empty": "还没有草稿",
    },
}


@pytest.mark.long
def test_the_field_of_a_time_waits_for_its_script_but_not_long(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    expected_errors.append("schedule")
    ann = sign_up(open_page(), "ann")
    ann.route("**/schedule.*.js", lambda route: route.abort())
    part = ann.locator(".composer-later")
    at_first = "part => { part.open = true; return getComputedStyle(part.children[1]).visibility }"
    assert part.evaluate(at_first) == "hidden"
    expect(part.get_by_label("When")).to_be_visible()
    expect(part.get_by_text("In UTC")).to_be_visible()


@pytest.mark.parametrize(("language", "scripts"), [long("en", True), ("zh", False)])
def test_a_draft_is_saved_scheduled_and_posted_by_hand(
    open_page: OpenPage, language: str, scripts: bool
) -> None:
    words = WORDS[language]
    ann = start_session(open_page(scripts, 390, timezone_id="Asia/Shanghai"), "ann")
    set_language(ann, language)
    ann.goto("/home")
    ann.get_by_role("textbox", name=words["text"]).fill("dawn chorus")
    ann.get_by_role("button", name=words["save"]).click()
    expect(ann.get_by_role("status").filter(has_text=words["saved"])).to_be_visible()
    ann.get_by_role("link", name="dawn chorus").click()
    expect(ann.get_by_role("textbox", name=words["text"])).to_have_value("dawn chorus")
    ann.get_by_text(words["later"]).click()
    soon = f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}T06:30"
    when = ann.get_by_label(words["when"], exact=True)
    schedule = ann.get_by_role("button", name=words["schedule"])
    when.fill("2026-01-01T06:30")
    schedule.click()
    expect(ann.get_by_text(words["out_of_range"])).to_be_visible()
    expect(when).to_have_value("2026-01-01T06:30")
    expect(when).to_be_focused()
    when.fill(soon)
    schedule.click()
    expect(ann.get_by_role("heading", name=words["scheduled_heading"])).to_be_visible()
    ann.get_by_role("link", name=words["drafts"], exact=True).click()
    expect(ann.get_by_text(words["empty"])).to_be_visible()
    ann.get_by_role("link", name=words["scheduled"]).press("Enter")
    moment = ann.locator(".entry time").get_attribute("datetime")
    assert moment
    # Without a script the time is in UTC, as the page says.
    offset = timedelta(hours=8 if scripts else 0)
    assert datetime.fromisoformat(moment) == datetime.fromisoformat(f"{soon}:00+00:00") - offset
    ann.get_by_role("link", name="dawn chorus").click()
    expect(when).to_have_value(soon)
    expect(ann.get_by_text(words["utc"])).to_be_visible(visible=not scripts)
    when.fill("")
    if not scripts:  # the button can say what it does once the page is loaded again
        schedule.click()
        expect(ann.get_by_text(words["no_time"])).to_be_visible()
    ann.locator(".composer-send").get_by_role("button", name=words["post"], exact=True).click()
    expect(ann.locator(".status-body").first).to_have_text("dawn chorus")
    ann.goto("/drafts")
    expect(ann.get_by_text(words["empty"])).to_be_visible()


@pytest.mark.parametrize("scripts", [True, long(False)])
def test_a_draft_shows_its_pictures_to_be_described_removed_and_posted(
    open_page: OpenPage, tmp_path: Path, scripts: bool
) -> None:
    files = [tmp_path / f"{colour}.png" for colour in ("red", "green", "blue")]
    for file in files:
        file.write_bytes(photo((90, 60), file.stem))
    page = sign_up(open_page(scripts, 390), "ann")
    page.get_by_role("textbox", name="What’s happening?").fill("three of them")
    if scripts:
        add_pictures(page, *files)
    else:
        open_part(page, "Add pictures")
        for number, file in enumerate(files, 1):
            page.get_by_label(f"Picture {number}", exact=True).set_input_files(file)
    for number, file in enumerate(files, 1):
        page.get_by_label(f"Description of picture {number}").fill(f"All {file.stem}")
    page.get_by_role("button", name="Save draft").click()
    for colour in ("red", "green", "blue"):
        expect(page.get_by_role("img", name=f"All {colour}")).to_be_visible()
    page.get_by_role("link", name="three of them").click()
    stored = page.locator(".picture-stored")
    expect(stored).to_have_count(3)
    for image in stored.all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("naturalWidth", 90)
    second = page.get_by_role("group", name="Picture 2")
    if scripts:
        expect(page.locator(".attach[data-ready]")).to_be_attached()
        second.get_by_role("button", name="Remove").click()
        expect(stored).to_have_count(2)
    else:
        second.get_by_label("Remove this picture").check()
    page.get_by_label("Description of picture 1").fill("Still red")
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".gallery-picture img")).to_have_count(2)
    names = [img.get_attribute("alt") for img in page.locator(".gallery-picture img").all()]
    assert names == ["Still red", "All blue"]
    page.goto("/drafts")
    expect(page.get_by_text("No drafts yet")).to_be_visible()
