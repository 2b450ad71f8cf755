"""Open pages show likes, votes, edits, deletions and account changes in place."""

import pytest
from playwright.sync_api import expect

from tests.e2e.streaming.conftest import Visit, expect_offer, until_listening
from tests.support.processes import until
from tests.support.streaming.client import Scene
from webapp.accounts import lifecycle
from webapp.core.store import PARTITIONS, partition_of
from webapp.core.text.parser import parse
from webapp.statuses import Poll, Visibility, store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.live_counts import changes as live_counts, keys as count_keys
from webapp.statuses.polls import voting

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("live site")]


def test_a_like_raises_the_unread_count_of_open_pages(scene: Scene, visit: Visit) -> None:
    visit("/notifications", uid=scene.ann)  # so that Ben's follow is read
    pages = {path: visit(path, uid=scene.ann) for path in ("/home", "/settings/profile", "/chats")}
    titles = {path: page.title() for path, page in pages.items()}
    ben = visit("/public")
    like = ben.locator(".action-like").first
    for pressed, count in (("true", "1"), ("false", "0"), ("true", "1")):
        like.click()
        expect(like).to_have_attribute("aria-pressed", pressed)
        for path, page in pages.items():
            badge = page.locator("[data-badge=notifications] > span:first-child")
            expect(badge).to_have_text(count)
            navigation = page.get_by_role("navigation", name="Main")
            link = navigation.get_by_role("link", name="Notifications")
            is_unread = count == "1"
            name = "Notifications 1 unread" if is_unread else "Notifications"
            expect(link).to_have_accessible_name(name)
            if path != "/home":  # its title shows the number of new posts
                expect(page).to_have_title(f"(1) {titles[path]}" if is_unread else titles[path])
    reader = pages["/chats"]
    reader.get_by_role("link", name="Notifications").click()
    expect(reader.locator(".notification-head > span:first-child").first).to_have_text(
        "New: Ben liked your post"
    )
    for page in pages.values():
        expect(page.locator("[data-badge=notifications]")).to_be_hidden()


def test_counts_change_on_open_pages_and_what_the_reader_did_stays(
    scene: Scene, visit: Visit
) -> None:
    site = scene.site
    [status_id] = scene.post("a new song")
    cid, dan, eve = scene.join("cid"), scene.join("dan"), scene.join("eve")
    home = visit("/home")
    own_page = visit(f"/@{scene.login('ann')}/{status_id}")
    visitors_page = visit(f"/@{scene.login('ann')}/{status_id}", member=False)
    post = home.locator(f"#status-{status_id}")
    post.locator(".action-like").click()
    expect(post.locator(".action-like")).to_have_text(" 1")
    for uid in (cid, dan):
        likes.like(site, uid, status_id)
    boosts.boost(site, cid, status_id)
    scene.do(statuses.post, dan, parse("indeed"), "form-indeed", reply=status_id)

    def tell() -> bool:  # as the worker does each second
        scene.do(live_counts.emit_due, range(PARTITIONS))
        return not site.db.run(("EXISTS", count_keys.changed_counts(partition_of(status_id))))

    until(tell)
    for page in (home, own_page):
        post = page.locator(f"#status-{status_id}")
        expect(post.locator(".action-reply")).to_have_text(" 1")
    post = home.locator(f"#status-{status_id}")
    expect(post.locator(".action-like")).to_have_text(" 3")
    expect(post.locator(".action-boost")).to_have_text(" 1")
    post = own_page.locator(f"#status-{status_id}")  # it has each number once
    expect(post.locator(".action-like")).to_have_text("")
    expect(post.locator(".interaction-like")).to_have_text("3 likes")
    expect(post.locator(".interaction-boost")).to_have_text("1 boost")
    liked = home.locator(f"#status-{status_id} .action-like")
    expect(liked).to_have_attribute("aria-pressed", "true")
    expect(liked).to_have_accessible_name("Like this post by Ann 3")
    numbers = visitors_page.locator(f"#status-{status_id} .interaction-like")
    expect(numbers).to_have_text("3 likes")
    scene.do(likes.like, eve, status_id)
    until(tell)
    expect(numbers).to_have_text("4 likes")


def test_a_deleted_post_is_replaced_by_a_note(scene: Scene, visit: Visit) -> None:
    [first, second, third] = scene.post(count=3)
    page = visit("/home")
    [pending] = scene.post("comes and goes")
    expect_offer(page, "1 new post")
    scene.delete(pending)
    expect(page.locator(".live-button")).to_be_hidden()
    page.locator(f"#status-{second} .byline").focus()
    scene.delete(second)
    note = page.locator(f"#status-{second}")
    expect(note).to_have_text("This post was deleted.")
    expect(note).to_be_focused()
    shown = page.locator("main [id^=status-]:is(.status, .live-gone)").evaluate_all(
        "elements => elements.map(element => element.id)"
    )
    assert shown[:3] == [f"status-{status_id}" for status_id in (third, second, first)]


@pytest.mark.long
def test_posts_of_a_newly_protected_author_stay_for_followers_only(
    scene: Scene, visit: Visit
) -> None:
    site = scene.site
    to_ben = f"to you, @{scene.login('ben')}"
    mention = scene.do(
        statuses.post, scene.ann, parse(to_ben), "form-mention", visibility=Visibility.MENTIONED
    )
    path = f"/@{scene.login('ann')}"
    page = visit(path)
    others = [visit(path, uid=scene.join("eve")), visit(path, member=False)]
    expect(page.locator(".status-body")).to_have_text([to_ben, "an old song"])
    editing.edit(site, scene.ann, mention, parse("to nobody"), "", "0")
    scene.do(lifecycle.protect, scene.ann)
    # Ben is not mentioned any longer.
    expect(page.locator(".live-gone")).to_have_text("This account isn’t available.")
    expect(page.locator(".status-body")).to_have_text(["an old song"])
    for other in others:
        expect(other.locator(".live-gone")).to_have_text("This account isn’t available.")
        expect(other.locator(".status")).to_have_count(0)


@pytest.mark.long
def test_an_open_page_of_notifications_offers_new_ones(scene: Scene, visit: Visit) -> None:
    ann, ben = visit("/notifications", uid=scene.ann), visit("/public")
    heads = ann.locator(".notification-head > span:first-child")
    count = heads.count()
    expect(ann.locator(".live-button")).to_be_hidden()
    ben.locator(".action-like").first.click()
    expect(ann.locator(".live-button")).to_have_text("1 new notification")
    ben.locator(".action-boost").first.click()
    expect(ann.locator(".live-button")).to_have_text("2 new notifications")
    ann.evaluate("window.marked = true")
    ann.locator(".live-button").click()
    expect(heads).to_have_count(count + 2)
    expect(heads.first).to_have_text("New: Ben boosted your post")
    expect(ann.locator(".notification-list")).to_be_focused()
    expect(ann.locator(".live-button")).to_be_hidden()
    expect(ann.locator("[data-badge=notifications]")).to_be_hidden()
    assert ann.evaluate("window.marked")
    like = ben.locator(".action-like").first
    for pressed in ("false", "true"):
        like.click()
        expect(like).to_have_attribute("aria-pressed", pressed)
    expect(ann.locator(".live-button")).to_have_text("1 new notification")


def test_voters_see_poll_results_change(scene: Scene, visit: Visit) -> None:
    cid = scene.join("cid")
    scene.follow(cid, "ann")
    ann = visit("/home", uid=scene.ann)
    ann.get_by_role("textbox", name="What’s happening?").fill("which song?")
    ann.get_by_text("Add a poll").click()
    for number, text in (("1", "Trill"), ("2", "Chirp")):
        ann.get_by_label(f"Answer {number}", exact=True).fill(text)
    ann.get_by_label("Duration").select_option("1 hour")
    ann.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(ann.locator(".poll-result b").first).to_have_text("0%")
    expect(ann.locator(".poll-foot").first).to_contain_text("1 hour left")
    ben, other = visit("/home"), visit("/home", uid=cid)
    for page, option in ((ben, "Trill"), (other, "Chirp")):
        page.get_by_role("radio", name=option).check()
        page.get_by_role("button", name="Vote").click()
        expect(page.locator(".poll-own bdi")).to_have_text(option)
    expect(other.locator(".poll-result b")).to_have_text(["50%", "50%"])
    for page in (ann, ben):
        expect(page.locator(".poll-result b")).to_have_text(["50%", "50%"])
        expect(page.locator(".poll-foot").first).to_contain_text("2 voters")
    expect(ben.locator(".poll-own bdi")).to_have_text("Trill")


def test_a_status_page_offers_replies_and_updates_what_it_shows(scene: Scene, visit: Visit) -> None:
    site = scene.site
    poll = Poll(("Trill", "Chirp"), 60)
    root = statuses.post(site, scene.ann, parse("which song?"), "form-root", poll=poll)
    first = scene.do(statuses.post, scene.ann, parse("mine, I say"), "form-1", reply=root)
    path = f"/@{scene.login('ann')}/{root}"
    ben, visitor = visit(path), visit(path, member=False, locale="zh-CN")
    ben.locator(".status-large").get_by_role("radio", name="Trill").check()
    ben.locator(".status-large").get_by_role("button", name="Vote").click()
    expect(ben.locator(".poll-own bdi")).to_have_text("Trill")
    ben.goto(path)
    until_listening(ben)
    ben.locator(".status-large .action-like").click()
    # The page was rendered without a like.
    expect(ben.locator(".interaction-like")).to_have_text("1 like")
    ben.locator("#text").fill("my dra")
    cid = scene.join("cid")
    voting.vote(site, cid, root, {1})
    editing.edit(site, scene.ann, root, parse("which song is it?"), "", "0")
    scene.do(editing.edit, scene.ann, first, parse("yours, I say"), "", "0")
    expect(ben.locator(".poll-result b")).to_have_text(["50%", "50%"])
    for page in (ben, visitor):
        expect(page.locator(".status-body")).to_have_text(["which song is it?", "yours, I say"])
        # The status is still shown as the page's own.
        expect(page.locator(".status-large .status-date")).to_have_count(1)
        expect(page.locator(".status-large .status-time")).to_have_count(0)
        expect(page.locator(".interaction-like b")).to_have_text("1")
    below = scene.do(statuses.post, cid, parse("no, cid's"), "form-2", reply=first)
    expect_offer(ben, "1 new reply")
    expect_offer(visitor, "1 条新回复")
    last = scene.do(statuses.post, cid, parse("the last"), "form-3", reply=root)
    expect_offer(ben, "2 new replies")
    ben.evaluate("window.stays = true")
    for page in (ben, visitor):
        page.locator(".live-button").click()
        expect(page.locator(".status-body")).to_have_text(
            ["which song is it?", "yours, I say", "no, cid's", "the last"]
        )
        expect(page.locator(f"#status-{below}")).to_be_focused()
        expect(page.locator(".live-button")).to_be_hidden()
    expect(ben.locator(".status-large .action-reply")).to_have_text("2")
    expect(ben.locator("#text")).to_have_value("my dra")
    assert ben.evaluate("window.stays")
    statuses.delete(site, cid, last)
    scene.do(statuses.delete, scene.ann, root)
    for status_id in (root, last):
        expect(ben.locator(f"#status-{status_id}")).to_have_text("This post was deleted.")
        expect(visitor.locator(f"#status-{status_id}")).to_have_text("这条动态已被删除。")


@pytest.mark.long
@pytest.mark.empty_site
def test_posts_of_a_suspended_author_leave_open_pages(scene: Scene, visit: Visit) -> None:
    page = visit("/public", member=False)
    scene.post("soon hidden")
    expect_offer(page, "1 new post")
    scene.do(lifecycle.suspend, scene.ann)
    expect(page.locator(".live-gone")).to_have_text("This account isn’t available.")
    expect(page.locator(".live-button")).to_be_hidden()
    expect(page.locator(".status")).to_have_count(0)
