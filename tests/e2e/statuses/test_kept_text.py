"""What somebody wrote is neither lost nor sent when it should not be, in a browser."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.conftest import PASSWORD, long
from tests.e2e.conftest import (
    SERVED,
    OpenPage,
    add_member,
    add_post,
    fill,
    open_part,
    sign_in,
    sign_up,
    start_session,
    write_kept,
)
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.core.errors import Unavailable
from webapp.core.store import Db

TEXT = "dawn chorus at five"
WIDTHS = (390, long(1280))


def end_session(page: Page) -> None:
    """End the session of a page on another device."""
    [cookie] = [one["value"] for one in page.context.cookies() if one["name"] == COOKIE_NAME]
    [app] = SERVED
    other = app.test_client()
    other.set_cookie(COOKIE_NAME, cookie)
    app.config["WTF_CSRF_ENABLED"] = False
    assert other.post("/logout").status_code == 303
    app.config["WTF_CSRF_ENABLED"] = True


def composer(page: Page, name: str = "What’s happening?") -> Any:
    """Return the field of a page's composer."""
    return page.get_by_role("textbox", name=name)


def send(page: Page, name: str = "Post") -> None:
    """Press the one button of the composer."""
    page.locator(".composer-send").get_by_role("button", name=name, exact=True).click()


def test_what_is_written_before_the_scripts_run_is_saved_as_a_draft(open_page: OpenPage) -> None:
    page, held = open_page(), list[Route]()
    sign_up(page, "ann")
    page.route("**/statuses/composer.*.js", lambda route: held.append(route))
    with page.expect_request("**/statuses/composer.*.js"):
        page.goto("/home", wait_until="commit")
    composer(page).fill(TEXT)
    held[0].continue_()
    expect(page.get_by_text("Saved as draft")).to_be_visible()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("keys", [True, False])
def test_a_post_with_a_time_is_scheduled_whatever_sends_it(
    open_page: OpenPage, width: int, keys: bool
) -> None:
    page = sign_up(open_page(width=width), "ann")
    composer(page).fill(TEXT)
    open_part(page, "Post later")
    when = page.get_by_label("When", exact=True)
    expect(page.locator(".composer-later[data-ready]")).to_be_attached()
    buttons = page.locator(".composer button").filter(visible=True)
    schedule = buttons.filter(has_text="Schedule")
    expect(schedule).to_have_count(0)
    when.fill(f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}T06:30")
    expect(schedule).to_have_count(1)
    assert page.locator("[data-audience]").evaluate("e => e.scrollWidth <= e.clientWidth")
    expect(buttons.filter(has_text="Post")).to_have_count(0)
    when.fill("")
    expect(page.locator(".composer-send button")).to_have_text("Post")
    when.fill(f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}T06:30")
    if keys:
        composer(page).press("Control+Enter")
    else:
        schedule.click()
    expect(page.get_by_role("status").filter(has_text="Post scheduled.")).to_be_visible()
    expect(page.get_by_role("link", name=TEXT)).to_be_visible()
    page.get_by_role("link", name=TEXT).click()
    expect(page.locator(".composer-send button")).to_have_text("Schedule")
    composer(page).press("Control+Enter")
    expect(page.get_by_role("heading", name="Scheduled posts")).to_be_visible()
    page.goto("/home")
    expect(page.locator(".status")).to_have_count(0)
    expect(composer(page)).to_have_value("")


@pytest.mark.long
def test_kept_text_belongs_to_its_place(open_page: OpenPage) -> None:
    ben = add_member("ben")
    add_post(ben, "Wrens sing")
    page = sign_up(open_page(), "ann")
    write_kept(composer(page), TEXT)
    page.locator(".composer-audience summary").click()
    page.get_by_label("Who can see it").select_option("followers")
    page.goto("/@ben")
    quote = page.locator(".status").first.evaluate("post => post.id.slice(7)")
    page.goto(f"/@ben/{quote}")
    reply = composer(page, "Write a reply")
    expect(reply).to_have_value("")
    write_kept(reply, "a reply to Ben")
    page.goto(f"/statuses/new?quote={quote}")
    thoughts = composer(page, "Add your thoughts")
    expect(thoughts).to_have_value("")
    write_kept(thoughts, "a quote of Ben")
    page.goto("/statuses/new")
    expect(composer(page)).to_have_value(TEXT)
    expect(page.locator("[data-audience]")).to_have_text("My followers")
    page.goto(f"/statuses/new?quote={quote}")
    expect(thoughts).to_have_value("a quote of Ben")
    page.goto(f"/@ben/{quote}")
    expect(reply).to_have_value("a reply to Ben")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scripts", [True, long(False)])
def test_a_post_survives_the_end_of_its_session(
    open_page: OpenPage, expected_errors: list[str], width: int, scripts: bool
) -> None:
    expected_errors += ["403", "EventSource"]
    page = sign_up(open_page(scripts, width), "ann")
    composer(page).fill(TEXT)
    end_session(page)
    send(page)
    expect(page.get_by_text("You’re logged out. Log in to send what you wrote.")).to_be_visible()
    expect(page.get_by_label("Text")).to_have_value(TEXT)
    fill(page, Username="ann", Password=PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    expect(page.get_by_text("Nothing has been sent yet.")).to_be_visible()
    page.get_by_label("Text").fill(f"{TEXT}!")
    page.get_by_role("button", name="Send again").click()
    expect(page.locator(".status-body")).to_have_text([f"{TEXT}!"])
    expect(composer(page)).to_have_value("")


@pytest.mark.long
def test_text_waits_in_the_tab_for_a_later_login(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    expected_errors += ["403", "EventSource"]
    page = sign_up(open_page(), "ann")
    composer(page).fill(TEXT)
    page.get_by_role("button", name="Add another post").click()
    page.get_by_label("Post 2 of the thread").fill("and at six")
    end_session(page)
    send(page)
    expect(page.get_by_text("You’re logged out.")).to_be_visible()
    sign_in(page, "ann")
    expect(composer(page)).to_have_value(TEXT)
    expect(page.get_by_label("Post 2 of the thread")).to_have_value("and at six")


@pytest.mark.parametrize("scripts", [True, long(False)])
def test_a_post_survives_a_store_that_is_down(
    open_page: OpenPage, expected_errors: list[str], monkeypatch: pytest.MonkeyPatch, scripts: bool
) -> None:
    expected_errors.append("503")
    page = sign_up(open_page(scripts), "ann", "/statuses/new")
    composer(page).fill(TEXT)

    def fail(*_: object) -> None:
        raise Unavailable("store_down")

    with monkeypatch.context() as patch:
        patch.setattr(Db, "trip_with_errors", fail)
        send(page)
        expect(page.get_by_text("We can’t reach our data right now.")).to_be_visible()
        expect(page.get_by_label("Text")).to_have_value(TEXT)
    page.get_by_role("button", name="Send again").click()
    expect(page.locator(".status-body")).to_have_text([TEXT])
    page.goto("/statuses/new")
    expect(composer(page)).to_have_value("")


@pytest.mark.long
def test_a_bio_waits_in_the_tab_until_it_is_saved(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "ann", "/settings/profile")
    write_kept(page.get_by_label("Bio"), "Up early")
    page.goto("/home")
    page.goto("/settings/profile")
    expect(page.get_by_label("Bio")).to_have_value("Up early")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Profile saved.")).to_be_visible()
    page.goto("/settings/profile")
    page.get_by_label("Bio").fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Profile saved.")).to_be_visible()
    page.goto("/settings/profile")
    expect(page.get_by_label("Bio")).to_have_value("")


@pytest.mark.long
def test_text_that_was_posted_does_not_come_back(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "ann", post="the first")
    composer(page).fill(TEXT)
    send(page)
    expect(page.locator(".status-body").first).to_have_text(TEXT)
    write_kept(composer(page), "the next one")
    page.reload()
    expect(composer(page)).to_have_value("the next one")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("Draft saved.")).to_be_visible()
    page.goto("/home")
    expect(composer(page)).to_have_value("")


@pytest.mark.long
@pytest.mark.parametrize(("selector", "kept"), [("#text", TEXT), (".composer-send button", "")])
def test_text_that_was_written_before_the_script_came_is_kept_unless_it_was_sent(
    open_page: OpenPage, selector: str, kept: str
) -> None:
    page = start_session(open_page(), "ann")
    held: list[Route] = []
    page.route("**/kept-text*.js", lambda route: held.append(route))
    page.goto("/home")
    with page.expect_request("**/kept-text*.js"):
        composer(page).fill(TEXT)
    page.locator(selector).first.focus()
    with page.expect_response("**/kept-text*.js") as answer:
        held[0].continue_()
    page.evaluate("url => import(url).then(() => 0)", answer.value.url)  # until it has run
    page.unroute("**/kept-text*.js")
    page.goto("/home")
    expect(composer(page)).to_have_value(kept)


def test_what_is_written_is_saved_as_a_draft_goes_on_after_a_reload_and_is_posted_once(
    open_page: OpenPage,
) -> None:
    page = sign_up(open_page(), "ann")
    write_kept(composer(page), TEXT)
    expect(page.get_by_text("Saved as draft")).to_be_visible()
    page.reload()
    expect(composer(page)).to_have_value(TEXT)
    write_kept(composer(page), f"{TEXT}, again")
    expect(page.get_by_text("Saved as draft")).to_be_visible()
    page.goto("/drafts")
    expect(page.locator(".draft-text")).to_have_text([f"{TEXT}, again"])
    page.get_by_role("link", name=TEXT).click()
    write_kept(composer(page), f"{TEXT}, at last")
    expect(page.get_by_text("Saved as draft")).to_be_visible()
    page.goto("/home")
    expect(composer(page)).to_have_value("")
    page.goto("/drafts")
    page.get_by_role("link", name=f"{TEXT}, at last").click()
    expect(composer(page)).to_have_value(f"{TEXT}, at last")
    send(page)
    expect(page.locator(".status-body")).to_have_text([f"{TEXT}, at last"])
    page.goto("/drafts")
    expect(page.get_by_text("No drafts yet")).to_be_visible()
