"""Open pages offer new posts and show them on a click."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.conftest import long
from tests.e2e.conftest import delete_post
from tests.e2e.live import SET_HIDDEN, accessibility_problems
from tests.e2e.streaming.conftest import Visit, expect_offer, until_listening
from tests.support.processes import until
from tests.support.streaming.client import Scene
from webapp.community.groups import store as groups
from webapp.community.groups.models import Voting
from webapp.community.groups.posts import pin_post
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.interactions import boosts
from webapp.statuses.visibility.groups import GroupKind

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("live site")]


def test_home_offers_a_new_post_and_shows_it_on_a_click(scene: Scene, visit: Visit) -> None:
    page = visit("/home")
    expect(page.locator(".live-button")).to_be_hidden()
    position = page.locator(".status").first.bounding_box()
    [posted] = scene.post("a new song")
    expect_offer(page, "1 new post")
    expect(page).to_have_title("(1) Home · Linnet")
    assert page.locator(".status").first.bounding_box() == position, "nothing moves by itself"
    page.locator(".live-button").click()
    expect(page.locator(".status-body")).to_have_text(["a new song", "an old song"])
    expect(page.locator(f"#status-{posted}")).to_be_focused()
    expect(page.locator(".live-button")).to_be_hidden()
    expect(page).to_have_title("Home · Linnet")
    [first, second] = scene.post("one"), scene.post("two")
    expect_offer(page, "2 new posts")
    page.locator(".live-button").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".status-body")).to_have_text(["two", "one", "a new song", "an old song"])
    assert first < second


@pytest.mark.parametrize("path", ["/home", "/public"])
@pytest.mark.parametrize("has_script", [True, long(False)], ids=["loaded", "on its way"])
def test_without_a_connection_new_posts_wait_on_the_page(
    scene: Scene, visit: Visit, expected_errors: list[str], path: str, has_script: bool
) -> None:
    expected_errors.append("dynamically imported module")  # others may come just then
    page = visit(path)
    held: list[Route] = []
    if not has_script:
        page.route("**/pending-posts*", lambda route: held.append(route))
    scene.post("a new song")
    expect_offer(page, "1 new post")
    page.context.set_offline(True)
    page.locator(".live-button").click()
    expect(page.locator(".toast")).to_contain_text("Check your connection")
    expect_offer(page, "1 new post")
    page.context.set_offline(False)
    for route in held:
        route.continue_()
    page.locator(".live-button").click()
    expect(page.locator(".status-body").first).to_have_text("a new song")


def test_home_offers_a_boost_once_and_shows_who_boosted(scene: Scene, visit: Visit) -> None:
    site = scene.site
    eve = scene.join("eve")
    scene.follow(scene.ben, "eve")
    page = visit("/home")
    cid = scene.join("cid")
    shown = int(page.locator(".status").first.get_attribute("id").rpartition("-")[2])
    new = statuses.post(site, cid, parse("of one unknown"), "form-of-cid")
    for status_id in (shown, new):
        boosts.boost(site, eve, status_id)
    scene.apply_events()
    expect_offer(page, "1 new post")
    page.locator(".live-button").click()
    expect(page.locator(".boosted")).to_have_text(re.compile(r"^Eve boosted · \w+$"))
    expect(page.locator(".boosted + .status .status-body")).to_have_text("of one unknown")
    described = page.locator(".boosted + .status")
    expect(described).to_have_accessible_description(re.compile(r"^Eve boosted"))
    other = statuses.post(site, cid, parse("of one unknown again"), "form-of-cid-2")
    scene.do(boosts.boost, eve, other)
    expect_offer(page, "1 new post")
    scene.do(boosts.unboost, eve, other)
    expect(page.locator(".live-button")).to_be_hidden()


@pytest.mark.long
def test_more_than_a_page_of_new_posts_reloads_the_page(scene: Scene, visit: Visit) -> None:
    page = visit("/home")
    scene.post(count=7)
    expect_offer(page, "7 new posts")
    page.locator(".live-button").click()
    expect(page.locator(".status-body")).to_have_text(
        [f"status {number}" for number in range(8, 2, -1)]
    )
    expect(page).to_have_title("Home · Linnet")


def test_a_followers_only_post_appears_for_followers_alone_and_goes_when_deleted(
    scene: Scene, visit: Visit
) -> None:
    site = scene.site
    cid, eve = scene.join("cid"), scene.join("eve")
    scene.follow(eve, "cid")
    page, stranger = visit("/home"), visit("/home", uid=eve)
    text = f"among us, @{scene.login('eve')}"
    number = statuses.post(
        site, scene.ann, parse(text), "form-private", visibility=Visibility.FOLLOWERS
    )
    scene.post("of another", author=cid)
    expect_offer(page, "1 new post")
    page.locator(".live-button").click()
    expect(page.locator(f"#status-{number} .status-body")).to_have_text(text)
    expect_offer(stranger, "1 new post")  # by cid
    stranger.locator(".live-button").click()
    expect(stranger.locator(".status-body")).to_have_text(["of another"])
    scene.do(editing.edit, scene.ann, number, parse("among us all"), "", "0")
    expect(page.locator(f"#status-{number} .status-body")).to_have_text("among us all")
    scene.delete(number)
    expect(page.locator(f"#status-{number}")).to_have_text("This post was deleted.")


@pytest.mark.long
def test_a_first_post_replaces_the_empty_state(scene: Scene, visit: Visit) -> None:
    page = visit(f"/@{scene.login('ben')}")
    expect(page.locator(".empty")).to_be_visible()
    scene.post("hello", author=scene.ben)
    expect_offer(page, "1 new post")
    page.locator(".live-button").click()
    expect(page.locator(".status-body")).to_have_text(["hello"])
    expect(page.locator(".empty")).to_have_count(0)
    delete_post(page)
    expect(page).to_have_url(f"http://127.0.0.1:{scene.site.config.port}/@{scene.login('ben')}")


def test_a_hidden_tab_does_not_listen_and_misses_nothing(scene: Scene, visit: Visit) -> None:
    page = visit("/home")
    scene.post("seen")
    expect_offer(page, "1 new post")
    page.evaluate(SET_HIDDEN, True)
    assert page.evaluate("listening") == 0
    scene.post(count=2)
    page.evaluate(SET_HIDDEN, False)
    until_listening(page, 2)
    expect_offer(page, "3 new posts")


def test_the_offer_is_accessible_in_both_colour_schemes(scene: Scene, visit: Visit) -> None:
    for width in (360, 1280):
        page = visit("/home", viewport={"width": width, "height": 800}, reduced_motion="reduce")
        [_, second] = scene.post(count=2)
        expect_offer(page, "2 new posts")
        page.locator(".live-button").click()
        expect(page.locator(f"#status-{second}")).to_be_in_viewport()
        scene.delete(second)
        scene.post()
        expect_offer(page, "1 new post")
        assert accessibility_problems(page) == []
        needed, given = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert needed <= given


@pytest.mark.long
def test_nothing_is_offered_without_scripts(scene: Scene, visit: Visit) -> None:
    page = visit("/home", listens=False, java_script_enabled=False)
    scene.post("unheard")
    assert page.locator(".status-body").all_inner_texts() == ["an old song"]
    expect(page.locator(".live")).to_have_text("")
    expect(page.locator(".live-button")).to_be_hidden()
    assert page.locator(".live").evaluate("element => element.getBoundingClientRect().height") == 0


@pytest.mark.long
def test_an_older_page_listens_for_unread_counts_only(scene: Scene, visit: Visit) -> None:
    _, second, *_ = scene.post(count=7)
    page = visit(f"/home?max_id={second}")
    expect(page.locator(".status")).to_have_count(2)
    until_listening(page)
    assert page.evaluate("paths") == ["/stream/chats"]


@pytest.mark.long
def test_the_offer_is_in_the_language_of_the_page(scene: Scene, visit: Visit) -> None:
    page = visit("/public", member=False, locale="zh-CN")
    scene.post("新")
    until(lambda: page.locator(".live-button").is_visible())
    assert "1" in page.locator(".live-button").inner_text()


def test_an_open_group_offers_what_is_posted_to_it(scene: Scene, visit: Visit) -> None:
    site, ann = scene.site, scene.ann
    gid = groups.create(site, ann, "birders", "Birders", "", GroupKind.OPEN, Voting.UP)
    groups.join(site, scene.ben, gid)
    scene.apply_events()
    first = scene.do(statuses.post, ann, parse("the first"), "form-first", groups=[gid])
    pin_post(site, ann, gid, first, is_pinned=True)
    page, visitor = visit("/groups/birders"), visit("/groups/birders", member=False)
    scene.post("to no group")
    second = scene.do(statuses.post, ann, parse("the second"), "form-second", groups=[gid])
    for reader in (page, visitor):
        reader.get_by_role("button", name="1 new post").click()
        expect(reader.locator(".status-body")).to_have_text(["the first", "the second"])
        expect(reader.locator(".status").nth(1)).to_be_focused()
    up = page.locator(f"#up-votes-{gid}-{second}")
    up.press("Enter")
    expect(up).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("In Birders").last).to_be_hidden()
    scene.delete(second)
    expect(page.get_by_text("This post was deleted.")).to_be_visible()
    expect(up).to_be_hidden()


def test_what_a_member_posts_to_a_group_gets_votes_once_it_is_there(
    scene: Scene, visit: Visit
) -> None:
    gid = groups.create(scene.site, scene.ann, "walks", "Walks", "", GroupKind.OPEN, Voting.UP)
    scene.apply_events()
    page = visit("/groups/walks", uid=scene.ann)
    before = page.request.get("/groups/walks").text()
    page.route("**/groups/walks", lambda route: route.fulfill(body=before), times=1)
    page.get_by_label("What’s happening?").fill("a song")
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-body")).to_have_text(["a song"])
    scene.do(statuses.post, scene.ann, parse("another"), "form-another", groups=[gid])
    expect(page.locator(".group-post > .group-bar b")).to_have_text(["1"])
    expect(page.locator(".status-body")).to_have_text(["a song"])
    expect_offer(page, "1 new post")


@pytest.mark.long
def test_a_hashtag_page_offers_posts_with_the_hashtag(scene: Scene, visit: Visit) -> None:
    scene.post("the first #麻雀")
    page = visit("/tags/麻雀", member=False)
    scene.post("nothing of it")
    scene.post("the second #麻雀")
    page.get_by_role("button", name="1 new post").click()
    expect(page.locator(".status-body")).to_have_text(["the second #麻雀", "the first #麻雀"])
    status = page.locator(".status").first
    expect(status).to_be_focused()
    number = int(str(status.get_attribute("id")).removeprefix("status-"))
    scene.do(editing.edit, scene.ann, number, parse("the third #麻雀"), "", "0")
    expect(page.locator(".status-body").first).to_have_text("the third #麻雀")
    expect(status).to_be_focused()
    page.locator(".status-body a").first.click()
    expect(page).to_have_title(re.compile("#麻雀"))
