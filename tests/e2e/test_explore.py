"""Explore in a browser: its tabs, hiding a trend, with and without scripts, narrow and wide."""

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, sign_up
from tests.e2e.keyboard import activate
from webapp.core.store import Db
from webapp.timelines.trends import store
from webapp.timelines.trends.ranking import Ranking, Trend

NAMES = ("dawnchorus", "观鸟", "a" * 60)


@pytest.fixture(autouse=True)
def trends(db: Db) -> None:
    """Let hashtags and a link trend."""
    history = (0, 1, 1, 3, 2, 5, 8, 7)
    tags = tuple(Trend(f"#{name}", 12, "en", history) for name in NAMES)
    url = "https://birds.press/" + "very-long-name-of-an-article-" * 4
    store.save(db, 1, Ranking(tags, (Trend(url, 7, "en", history),)))


def fits(page: Page) -> bool:
    """Return True if nothing is wider than the window."""
    found: bool = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    ("scripts", "width"), [(True, 390), long(False, 1280)], ids=["with scripts", "without scripts"]
)
def test_a_member_walks_the_tabs_and_hides_a_trend(
    open_page: OpenPage, scripts: bool, width: int
) -> None:
    page = sign_up(open_page(scripts, width), "wren")
    page.get_by_role("link", name="Explore", exact=True).first.click()
    for tab in ("Hashtags", "Links", "Groups", "Newest", "Popular", "Hashtags"):
        page.get_by_role("navigation", name="Explore").get_by_role("link", name=tab).click()
        current = page.locator(".tabs [aria-current=page]")
        expect(current).to_have_text(tab)
        assert fits(page), tab
    rows = page.locator(".trend")
    expect(rows).to_have_count(3)
    expect(rows.first.get_by_role("img")).to_have_attribute(
        "aria-label", "People every three hours of the past day: 0, 1, 1, 3, 2, 5, 8, 7"
    )
    page.get_by_role("button", name="Hide #dawnchorus").press("Enter")
    expect(page.get_by_text("Hidden. You won’t see it")).to_be_visible()
    expect(rows).to_have_count(2)
    page.get_by_role("link", name="Hidden trends").click()
    page.get_by_role("button", name="Show #dawnchorus again").press("Enter")
    expect(page.get_by_text("No hidden trends")).to_be_visible()


def test_the_keyboard_reaches_explore_and_its_trends(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren", "/public")
    page.keyboard.press("g")
    page.keyboard.press("e")
    page.wait_for_url("**/explore")
    activate(page, "Hashtags")
    expect(page.locator(".tabs [aria-current=page]")).to_have_text("Hashtags")
    activate(page, "#dawnchorus 12 people in the past day")
    expect(page.get_by_role("heading", level=1)).to_have_text("#dawnchorus")


def test_wide_screens_show_trends_beside_the_home(open_page: OpenPage) -> None:
    page = sign_up(open_page(viewport={"width": 1400, "height": 900}), "wren")
    card = page.get_by_role("region", name="Trending today")
    expect(card.get_by_role("link")).to_have_count(4)
    card.get_by_role("link", name="#观鸟").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("#观鸟")
