"""Test check-ins, drops and the market in a browser, with scripts and without."""

import time

import pytest
from playwright.sync_api import expect

from tests.conftest import long
from tests.e2e.conftest import SERVED, OpenPage, sign_up, start_session
from webapp.accounts.store import uid_by_login
from webapp.core.store import Site
from webapp.rewards.drops import store
from webapp.rewards.drops.store import Drop
from webapp.rewards.items import store as items

WORDS = {
    "en": {"check in": "Check in", "done": "You’ve checked in today.", "take": "Take one for"},
    "zh-CN": {"check in": "签到", "done": "今天已签到。", "take": "用 1 积分领取一件"},
}


def site_of_the_test() -> Site:
    [app] = SERVED
    return Site(app.extensions["linnet.db"], app.extensions["linnet.config"])


def add_drop(opens_in: float) -> int:
    """Add a drop to the site of the test, which opens so many seconds from now."""
    opens = int((time.time() + opens_in) * 1000)
    return store.save(
        site_of_the_test(), Drop(0, "Reed map", "", "thing", 1, 5, 5, opens, opens + 3_600_000)
    )


@pytest.mark.parametrize(
    ("scripts", "locale"), [(True, "en"), long(False, "zh-CN")], ids=["scripts", "no scripts"]
)
def test_a_member_checks_in_and_takes_a_piece(
    open_page: OpenPage, scripts: bool, locale: str
) -> None:
    words = WORDS[locale]
    page = start_session(open_page(scripts), "ann")
    page.set_extra_http_headers({"Accept-Language": locale})
    page.goto("/check-in")
    zone = "Intl.DateTimeFormat().resolvedOptions().timeZone"
    expect(page.locator("[name=zone]")).to_have_value(page.evaluate(zone) if scripts else "")
    page.add_init_script("window.loaded = (window.loaded ?? 0) + 1")
    page.get_by_role("button", name=words["check in"], exact=True).press("Enter")
    expect(page.get_by_text(words["done"])).to_be_visible()
    expect(page.locator("td.is-marked[aria-current=date]")).to_have_count(1)
    if scripts:
        assert page.evaluate("window.loaded") is None, "the page stays"
        expect(page.locator(".check-in")).to_be_focused()
        expect(page.get_by_role("status").filter(has_text="Checked in: 1 point.")).to_be_attached()
    page.goto(f"/drops/{add_drop(0)}")
    page.get_by_role("button", name=words["take"]).press("Enter")
    page.wait_for_url("**/order")
    expect(page.locator(".check-in-done")).to_be_visible()


@pytest.mark.long
def test_a_drop_counts_down_and_opens(open_page: OpenPage) -> None:
    page = start_session(open_page(locale="en"), "ann")
    drop = add_drop(4)
    page.goto(f"/drops/{drop}")
    expect(page.get_by_role("timer")).to_have_text("00:00:02")
    expect(page.get_by_role("button", name="Take one")).to_be_visible()


def test_a_clock_that_is_ahead_does_not_load_a_drop_again_and_again(open_page: OpenPage) -> None:
    page = sign_up(open_page(locale="en"), "ann")
    ahead = int((time.time() + 7_200) * 1000)
    waits = "window.waits = []; window.setTimeout = (_, ms) => waits.push(ms)"
    page.add_init_script(f"Date.now = () => {ahead}; {waits}")
    page.goto(f"/drops/{add_drop(3_600)}")
    page.wait_for_function("waits.length")
    assert page.evaluate("Math.max(...waits)") >= 10_000


def test_the_page_of_a_drop_shows_that_others_take_pieces(open_page: OpenPage) -> None:
    page, other = open_page(locale="en"), open_page(locale="en")
    sign_up(page, "ann")
    sign_up(other, "ben", "/check-in")
    other.get_by_role("button", name="Check in", exact=True).click()
    expect(other.get_by_text("You’ve checked in today.")).to_be_visible()
    drop = add_drop(0)
    page.goto(f"/drops/{drop}")
    other.goto(f"/drops/{drop}")
    expect(page.locator("#pieces-left")).to_contain_text("5 / 5")
    page.get_by_role("button", name="Take one").focus()
    other.get_by_role("button", name="Take one").click()
    expect(page.locator("#pieces-left")).to_contain_text("4 / 5", timeout=20_000)
    expect(page.get_by_role("button", name="Take one")).to_be_focused()


@pytest.mark.long
def test_the_market_shows_what_others_put_there(open_page: OpenPage) -> None:
    page, other = open_page(locale="en"), open_page(locale="en")
    sign_up(page, "ann")
    start_session(other, "ben")
    site = site_of_the_test()
    item = items.give(site, site.db.read(uid_by_login("ben")), "thing", "Reed map")
    page.goto("/market")
    expect(page.get_by_text("Nothing is for sale right now")).to_be_visible()
    other.goto(f"/market/{item}")
    other.get_by_label("Price, or lowest bid").fill("5")
    other.get_by_role("button", name="Put it on the market").press("Enter")
    expect(other.get_by_text("Your item is on the market.")).to_be_visible()
    expect(page.get_by_role("link", name="Reed map")).to_be_visible(timeout=30_000)
    page.get_by_role("link", name="Reed map").press("Enter")
    page.get_by_role("button", name="Add to cart").press("Enter")
    expect(page.get_by_role("button", name="Remove from cart")).to_be_focused()
    page.goto("/cart")
    page.get_by_role("button", name="Remove Reed map").press("Enter")
    expect(page.get_by_text("Your cart is empty")).to_be_visible()
