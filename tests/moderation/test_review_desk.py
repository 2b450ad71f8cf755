"""The moderators' page of posts that are held for review: what it shows, and who decides."""

import re
from datetime import UTC, datetime

import pytest
from flask.testing import FlaskClient

from tests.support.held_posts import FORM, answer, held_report, reports_of, run_worker
from tests.support.moderators import as_moderator
from tests.support.pages import page_text, post_status, status_ids
from tests.support.settings import with_settings
from tests.support.statuses.picture_pages import addresses, bare, opens, pictures_on, post
from tests.support.statuses.pictures import photo
from tests.support.world import Web, World
from webapp.core.store import Site
from webapp.core.web.context import site_of
from webapp.moderation import desk
from webapp.reports import listing
from webapp.reports.listing import Report
from webapp.site_settings import REVIEW, WORD, Ban, BanList
from webapp.statuses.drafts import publishing, store as drafts

BUTTON = re.compile(r'name="act"\s+value="(\w+)"')
ON_DRAFTS, ON_POSTS = ["publish", "withhold", "take"], ["dismiss", "warn", "cover", "remove"]


def strict_site(world: World) -> World:
    return with_settings(world, bans=BanList((Ban(WORD, "casino", REVIEW),)))


def held(site: Site, uid: int) -> Report:
    """Hold a post, and return its report."""
    drafts.save(site, uid, "form-key-1", {"text": "A casino"}, datetime.now(UTC))
    run_worker(site)
    [report] = listing.list_newest(site.db)
    return report


def test_a_moderator_sees_the_pictures_and_nobody_else(web: Web, boss: FlaskClient) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    post(ann, (photo(), "a hat"), (photo(), "a card"), text="my casino", key=FORM["key"])
    shown = pictures_on(boss.get("/moderation"))
    assert [alt for *_, alt in shown] == ["a hat", "a card"]
    found = addresses(boss, "/moderation")
    assert found and all(opens(boss, *found))
    for other in (ann, ben, web.app.test_client()):
        assert not any(opens(other, *found, *map(bare, found)))
    assert ben.get("/moderation").status_code == 403
    assert addresses(boss, "/moderation/@ann") == found


def test_pictures_of_a_thread_are_below_their_posts(web: Web, boss: FlaskClient) -> None:
    ann = web.member("ann")
    fields = {"text": "first", "more1": "my casino", "more2": "last", "key": FORM["key"]}
    post(ann, (photo(), "a hat"), **fields)
    page = boss.get("/moderation").text
    assert page.index("first") < page.index('alt="a hat"') < page.index("my casino</blockquote>")


def test_pictures_of_a_draft_that_has_changed_are_no_longer_shown(
    web: Web, boss: FlaskClient
) -> None:
    ann = web.member("ann")
    post(ann, (photo(), "a hat"), text="my casino", key=FORM["key"])
    assert addresses(boss, "/moderation")
    post(ann, (photo(), "a secret"), path="/drafts", text="later", **{"draft": FORM["key"]})
    ann.post("/drafts", data={"text": "later", "key": FORM["key"], "draft": FORM["key"]})
    page = boss.get("/moderation")
    assert "my casino" in page.text and not addresses(boss, "/moderation")
    assert "a secret" not in page.text


@pytest.mark.parametrize(("field", "words"), [("reply", "Replying to"), ("quote", "Quoting")])
def test_a_moderator_sees_which_post_is_answered_or_quoted(
    web: Web, boss: FlaskClient, field: str, words: str
) -> None:
    ben, ann = web.member("ben"), web.member("ann")
    song = post_status(ben, "a song")
    ann.post("/statuses", data={"text": "my casino", field: song, "key": FORM["key"]})
    for _ in range(2):
        page = boss.get("/moderation")
        assert f"{words} @ben" in page_text(page) and f'href="/@ben/{song}"' in page.text
        answer(boss, reports_of(web)[0], "take")
    ben.post(f"/statuses/{song}/delete")
    page = boss.get("/moderation")
    assert f"{words} a post that was deleted" in page_text(page)
    assert f"/@ben/{song}" not in page.text


def test_the_page_offers_for_each_kind_the_acts_that_make_sense(
    web: Web, boss: FlaskClient
) -> None:
    held_report(web, web.member("ann"))
    assert BUTTON.findall(boss.get("/moderation").text) == ON_DRAFTS
    web.member("ben").post("/@ann/report", data={"reason": "Rude.", "category": "other"})
    buttons = BUTTON.findall(boss.get("/moderation").text)
    assert buttons == [*ON_DRAFTS, *ON_POSTS, "limit", "suspend", "take"]


def test_a_refused_form_comes_back_among_its_own_reports(web: Web, boss: FlaskClient) -> None:
    report = held_report(web, web.member("ann"))
    web.member("ben").post("/@ann/report", data={"reason": "Rude.", "category": "other"})
    sent = boss.post("/moderation", data={"report": [report.id], "act": "withhold"})
    assert sent.status_code == 422 and sent.text.count("Write a reason.") == 1
    ids = re.findall(r' id="([^"]+)"', sent.text)
    assert {"why", "why-drafts", "why-drafts-error"} <= set(ids) and len(ids) == len(set(ids))


@pytest.mark.parametrize("act", ["dismiss", "warn", "cover", "remove", "limit", "suspend"])
def test_other_acts_are_refused_for_a_post_that_waits(world: World, act: str) -> None:
    ann, mod = world.people("ann", "mod")
    report = held(strict_site(world), ann)
    by = as_moderator(world, mod)
    outcome = desk.answer_reports(world, by, act, "Why.", [report.id])
    assert [(one.code, one.status) for one in outcome.refusals] == [("review_first", 409)]
    assert [one.id for one in listing.list_newest(world.db)] == [report.id]


@pytest.mark.parametrize("act", ["publish", "withhold"])
@pytest.mark.parametrize("right", ["moderator", "admin"])
def test_nobody_decides_about_their_own_post(world: World, act: str, right: str) -> None:
    [ann] = world.people("ann")
    report, by = held(strict_site(world), ann), as_moderator(world, ann, right)
    outcome = desk.answer_reports(world, by, act, "Why.", [report.id])
    assert [(one.code, one.status) for one in outcome.refusals] == [("own_draft", 403)]
    assert drafts.get(world.db, ann, "form-key-1").error_code == "in_review"
    assert [one.id for one in listing.list_newest(world.db)] == [report.id]


def test_the_page_says_who_decides_about_ones_own_post(web: Web, boss: FlaskClient) -> None:
    report = held_report(web, boss)
    assert "Another moderator has to decide" in answer(boss, report, "publish")
    run_worker(site_of(web.app))
    assert not status_ids(boss.get("/public")) and reports_of(web)[0].id == report.id


def test_the_report_of_ones_own_deleted_draft_can_be_closed(web: Web, boss: FlaskClient) -> None:
    report = held_report(web, boss)
    boss.post(f"/drafts/{FORM['key']}/delete")
    assert "isn’t waiting for review" in answer(boss, report, "withhold", "Why.")
    assert not reports_of(web)


def test_a_late_worker_does_not_undo_a_decision(world: World) -> None:
    ann, mod = world.people("ann", "mod")
    strict = strict_site(world)
    report, by = held(strict, ann), as_moderator(world, mod)
    draft = drafts.get(world.db, ann, "form-key-1")
    late = {"uid": ann, "form_key": "form-key-1", "saved": draft.saved_ms, "term": "casino"}
    desk.answer_reports(strict, by, "publish", "", [report.id])
    assert strict.run(publishing.FAIL, reason="in_review", **late) == 0
    run_worker(strict)
    assert not listing.list_newest(world.db) and drafts.list_all(world.db, ann) == ([], [])
