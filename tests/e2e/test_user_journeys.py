"""What members do, with a real browser, with scripts and without."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import PASSWORD
from tests.e2e.conftest import OpenPage, fill, join, write

Visit = Callable[[], Page]


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def visit(request: pytest.FixtureRequest, open_page: OpenPage) -> Visit:
    """Opens a visitor's page."""
    return lambda: open_page(java_script_enabled=request.param)


def test_a_visitor_signs_up_and_posts_and_sees_it_at_home_and_at_its_own_address(
    visit: Visit,
) -> None:
    page = visit()
    page.goto("/")
    page.get_by_role("link", name="Create an account").click()
    fill(page, Login="ann", Name="Ann", Password=PASSWORD)
    page.get_by_role("button", name="Create my account").click()
    expect(page.get_by_text("It is quiet here")).to_be_visible()
    write(page, "Hello, 世界 #first")
    page.locator(".status-time").click()
    expect(page).to_have_url(re.compile(r"/@ann/\d+$"))
    expect(page.locator(".status-large .status-body")).to_have_text("Hello, 世界 #first")
    expect(page).to_have_title(re.compile("Ann: “\u2068Hello"))


def test_a_taken_name_comes_back_with_the_form_as_typed(visit: Visit) -> None:
    join(visit(), "ann")
    page = visit()
    page.goto("/signup")
    fill(page, Login="ANN", Name="Another", Password=PASSWORD)
    page.get_by_role("button", name="Create my account").click()
    expect(page.get_by_text("That name is taken.")).to_be_visible()
    login = page.get_by_label("Login", exact=True)
    expect(login).to_have_value("ANN")
    expect(login).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Another")
    expect(page.get_by_label("Password")).to_have_value("")
    fill(page, Login="another", Password=PASSWORD)
    page.get_by_role("button", name="Create my account").click()
    expect(page).to_have_url(re.compile("/home$"))


def test_a_wrong_then_a_right_password_leads_where_one_wanted_to_go(visit: Visit) -> None:
    join(visit(), "ann")
    page = visit()
    page.goto("/statuses/new")
    expect(page).to_have_url(re.compile(r"/login\?next="))
    for password, said in (("wrong password", True), (PASSWORD, False)):
        fill(page, Login="ann", Password=password)
        page.get_by_role("main").get_by_role("button", name="Log in").click()
        expect(page.get_by_text("Wrong login or password.")).to_have_count(int(said))
    expect(page).to_have_url(re.compile("/statuses/new$"))


def test_a_member_follows_reads_and_unfollows_another(visit: Visit) -> None:
    ann, ben = visit(), visit()
    join(ann, "ann")
    write(ann, "a song")
    join(ben, "ben")
    expect(ben.locator(".status")).to_have_count(0)
    ben.goto("/@ann")
    ben.get_by_role("button", name="Follow @ann", exact=True).click()
    expect(ben.get_by_role("button", name="Unfollow @ann")).to_be_visible()
    ben.goto("/home")
    expect(ben.locator(".status-body")).to_have_text(["a song"])
    ann.goto("/@ben")
    expect(ann.get_by_text("Follows you")).to_be_visible()
    ben.goto("/@ben/following")
    ben.get_by_role("button", name="Unfollow @ann").click()
    expect(ben.get_by_text("You do not follow anybody yet")).to_be_visible()
    ben.goto("/home")
    expect(ben.locator(".status")).to_have_count(0)


def test_one_deletes_ones_own_post_after_being_asked_and_nobody_elses(visit: Visit) -> None:
    ann, ben = visit(), visit()
    join(ann, "ann")
    write(ann, "stays")
    write(ann, "goes")
    join(ben, "ben")
    ben.goto("/@ann")
    expect(ben.locator(".status")).to_have_count(2)
    expect(ben.locator(".status-delete")).to_have_count(0)
    first = ann.locator(".status").first
    expect(first.get_by_role("button", name="Delete post")).to_be_hidden()
    first.locator("summary").click()
    first.get_by_role("button", name="Delete post").click()
    expect(ann.locator(".notices")).to_have_text("Post deleted.")
    expect(ann.locator(".status-body")).to_have_text(["stays"])


def test_a_text_too_long_comes_back_and_can_be_shortened(visit: Visit) -> None:
    page = visit()
    join(page, "ann")
    field = page.get_by_label("What’s happening?")
    field.fill("\nx" + "界" * 140)
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click(
        force=True
    )  # it is said to be disabled
    expect(page.get_by_text("too long")).to_be_visible()
    expect(field).to_have_value("\nx" + "界" * 140)
    field.fill("界" * 140)
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-body")).to_have_text(["界" * 140])


def test_signing_out_ends_it_and_the_way_back_shows_nothing_private(visit: Visit) -> None:
    page = visit()
    join(page, "ann")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You’re signed out.")).to_be_visible()
    page.goto("/home")
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome back")
