"""Sign up, post, follow and delete in a real browser, with scripts and without."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import PASSWORD, long
from tests.e2e.conftest import (
    OpenPage,
    add_member,
    end_first_steps,
    fill,
    fill_composer,
    log_out,
    open_menu,
    sign_up,
    start_session,
)

Visit = Callable[[], Page]


# The other journeys are made without scripts in `make test` too.
long_without_scripts = pytest.mark.parametrize(
    "visit", [True, long(False)], indirect=True, ids=["with scripts", "without scripts"]
)


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def visit(request: pytest.FixtureRequest, open_page: OpenPage) -> Visit:
    """Return a function that opens a visitor's page."""
    return lambda: open_page(scripts=request.param)


def test_a_visitor_signs_up_and_sees_their_post_at_home_and_on_its_page(visit: Visit) -> None:
    page = visit()
    page.goto("/")
    page.get_by_role("link", name="Create an account").click()
    fill(page, Username="ann", Display_name="Ann", Password=PASSWORD)
    page.get_by_role("button", name="Create account").click()
    end_first_steps(page)
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    fill_composer(page, "Hello, 世界 #first")
    page.locator(".status-time").click()
    expect(page).to_have_url(re.compile(r"/@ann/\d+$"))
    expect(page.locator(".status-large .status-body")).to_have_text("Hello, 世界 #first")
    expect(page).to_have_title(re.compile("Ann: “\u2068Hello"))


@pytest.mark.long
@long_without_scripts
def test_a_taken_username_is_refused_and_the_form_kept(visit: Visit) -> None:
    add_member("ann")
    page = visit()
    page.goto("/signup")
    fill(page, Username="ANN", Display_name="Another", Password=PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_text("That username is taken.")).to_be_visible()
    login = page.get_by_label("Username", exact=True)
    expect(login).to_have_value("ANN")
    expect(login).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Display name", exact=True)).to_have_value("Another")
    expect(page.get_by_label("Password", exact=True)).to_have_value("")
    fill(page, Username="another", Password=PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.locator(".welcome-progress")).to_be_visible()


def test_login_leads_to_the_requested_page_after_a_wrong_password(visit: Visit) -> None:
    add_member("ann")
    page = visit()
    page.goto("/statuses/new")
    expect(page).to_have_url(re.compile(r"/login\?next="))
    for password, is_refused in (("wrong password", True), (PASSWORD, False)):
        fill(page, Username="ann", Password=password)
        page.get_by_role("main").get_by_role("button", name="Log in").click()
        expect(page.get_by_text("Wrong username or password.")).to_have_count(int(is_refused))
    expect(page).to_have_url(re.compile("/statuses/new$"))


@pytest.mark.long
@long_without_scripts
def test_a_member_follows_reads_and_unfollows_another(visit: Visit) -> None:
    ann, ben = visit(), visit()
    sign_up(ann, "ann", post="a song")
    sign_up(ben, "ben")
    expect(ben.get_by_text("You don’t follow anyone yet.")).to_be_visible()
    ben.goto("/@ann")
    ben.get_by_role("button", name="Follow @ann", exact=True).click()
    expect(ben.get_by_role("button", name="Unfollow @ann")).to_be_visible()
    ben.goto("/home")
    expect(ben.locator(".status-body")).to_have_text(["a song"])
    ann.goto("/@ben")
    expect(ann.get_by_text("Follows you")).to_be_visible()
    ben.goto("/@ben/following")
    ben.get_by_role("button", name="Unfollow @ann").click()
    expect(ben.get_by_text("You aren’t following anyone yet")).to_be_visible()
    ben.goto("/home")
    expect(ben.get_by_text("You don’t follow anyone yet.")).to_be_visible()


def test_a_member_deletes_only_their_own_post_after_confirming(visit: Visit) -> None:
    ann, ben = visit(), visit()
    start_session(ann, "ann", "stays", "goes").goto("/home")
    sign_up(ben, "ben", "/@ann")
    expect(ben.locator(".status")).to_have_count(2)
    menu = open_menu(ben.locator(".status").first)
    expect(menu.get_by_text("Report post")).to_be_visible()
    expect(menu.get_by_role("button", name="Delete post")).to_have_count(0)
    menu = open_menu(ann.locator(".status").first)
    expect(menu.get_by_role("button", name="Delete post")).to_be_hidden()
    menu.get_by_text("Delete…").click()
    menu.get_by_role("button", name="Delete post").click()
    expect(ann.locator(".notices")).to_have_text("Post deleted.")
    expect(ann.locator(".status-body")).to_have_text(["stays"])


@pytest.mark.long
@long_without_scripts
def test_a_text_that_is_too_long_stays_in_the_form(
    visit: Visit, expected_errors: list[str]
) -> None:
    expected_errors.append("422")
    page = visit()
    sign_up(page, "ann")
    field = page.get_by_label("What’s happening?")
    field.fill("\nx" + "界" * 140)
    button = page.get_by_role("main").get_by_role("button", name="Post", exact=True)
    button.click(force=True)  # it has aria-disabled
    expect(page.get_by_text("too long")).to_be_visible()
    expect(field).to_have_value("\nx" + "界" * 140)
    field.fill("界" * 140)
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-body")).to_have_text(["界" * 140])


@pytest.mark.long
@long_without_scripts
def test_nothing_private_shows_on_the_back_button_after_logging_out(visit: Visit) -> None:
    page = visit()
    sign_up(page, "ann")
    log_out(page)
    page.goto("/home")
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome back")
