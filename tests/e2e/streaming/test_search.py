"""An open page of results offers new posts that match."""

import pytest
from playwright.sync_api import expect

from tests.e2e.streaming.conftest import Visit, expect_offer
from tests.support.streaming.client import Scene

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("live site")]


@pytest.mark.parametrize("member", [True, False], ids=["member", "visitor"])
def test_results_offer_new_posts_that_match(scene: Scene, visit: Visit, member: bool) -> None:
    bird = "heron" if member else "stork"  # all tests share the site
    scene.post(f"two {bird}s on the river")
    page = visit(f"/search?q={bird}+-toy", member=member)
    [_, matching] = scene.post("a red kite"), scene.post(f"a grey {bird}")
    scene.post(f"a toy {bird}")
    expect_offer(page, "1 new post")
    page.locator(".live-button").click()
    texts = [f"a grey {bird}", f"two {bird}s on the river"]
    expect(page.locator(".status-body")).to_have_text(texts)
    expect(page.locator(f"#status-{matching[0]}")).to_be_focused()


@pytest.mark.long
def test_the_first_match_takes_the_place_of_nothing(scene: Scene, visit: Visit) -> None:
    page = visit("/search?q=hoopoe")
    expect(page.get_by_text("No results for “hoopoe”")).to_be_visible()
    scene.post("a hoopoe")
    expect_offer(page, "1 new post")
    page.locator(".live-button").click()
    expect(page.locator(".status-body")).to_have_text(["a hoopoe"])
    expect(page.get_by_text("No results for “hoopoe”")).to_have_count(0)


@pytest.mark.long
def test_older_pages_and_other_tabs_are_not_live(scene: Scene, visit: Visit) -> None:
    for path in ("/search?q=song&tab=top", "/search?q=song&max_id=9", "/search"):
        page = visit(path, listens=False)
        expect(page.locator("[data-live]")).to_have_count(0)
