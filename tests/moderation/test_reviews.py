"""Posts with a word that moderators see before they are published."""

from datetime import UTC, datetime

import pytest
from flask.testing import FlaskClient

from tests.support.client_api import connected
from tests.support.concurrently import at_once
from tests.support.full_site import picture_file
from tests.support.held_posts import FORM, TERM, answer, held_report, reports_of, run_worker
from tests.support.moderators import as_moderator
from tests.support.pages import page_text, post_status, status_ids
from tests.support.settings import with_settings
from tests.support.statuses.forms import field_value
from tests.support.world import Web, World
from webapp.core.web.context import site_of
from webapp.moderation import desk, history, log
from webapp.reports import listing
from webapp.site_settings import HIDE, REPORT, REVIEW, WORD, Ban, BanList
from webapp.statuses import keys as status_keys
from webapp.statuses.drafts import store as drafts

SAYS_WAITING = "A moderator reviews this before it’s published."


def test_a_post_waits_until_a_moderator_publishes_it(web: Web, boss: FlaskClient) -> None:
    ann = web.member("ann")
    pictures = {"pictures": picture_file(), "alt": "a hat"}
    sent = ann.post("/statuses", data={**FORM, "cw": "gambling", **pictures})
    assert sent.location == "/drafts"
    assert SAYS_WAITING in page_text(ann.get("/drafts"))
    assert not status_ids(ann.get("/@ann"))
    assert "couldn’t be posted" not in page_text(ann.get("/notifications"))
    [report] = reports_of(web)
    assert report.reason == "casino"
    first, second = report.texts
    assert "[warning: gambling]" in first and "first #reeds" in first and "[1 pictures]" in first
    assert "a hat" in first
    assert second == "my casino"
    assert "Don’t publish" not in page_text(boss.get("/moderation?state=mine"))
    assert "A post by @ann was held for review" in page_text(boss.get("/moderation"))
    assert "1 report is done." in answer(boss, report, "publish")
    run_worker(site_of(web.app))
    assert len(status_ids(boss.get("/public"))) == 2
    assert "No drafts yet" in page_text(ann.get("/drafts")) and not reports_of(web)
    logged = page_text(boss.get("/moderation/log"))
    assert "@boss published a post held for review, by @ann" in logged
    assert ann.post("/statuses", data=FORM | {"text": "next"}).location == "/drafts"


def test_a_post_that_is_not_published_stays_a_draft_and_can_be_appealed_for(
    web: Web, boss: FlaskClient
) -> None:
    ann = web.member("ann")
    report = held_report(web, ann)
    assert "Write a reason." in answer(boss, report, "withhold")
    answer(boss, report, "withhold", "No gambling here.")
    assert "decided not to publish this" in page_text(ann.get("/drafts"))
    page = page_text(ann.get("/standing"))
    assert "A post of yours was not published." in page and "No gambling here." in page
    run_worker(site_of(web.app))
    assert not status_ids(ann.get("/@ann"))
    ann.post("/standing/1/appeal", data={"text": "It is a bird."})
    assert boss.post("/moderation/@ann/1").status_code == 303
    run_worker(site_of(web.app))
    assert len(status_ids(boss.get("/public"))) == 2


def test_a_draft_that_has_changed_is_not_published(web: Web, boss: FlaskClient) -> None:
    ann = web.member("ann")
    report = held_report(web, ann)
    changed = FORM | {"text": "something else", "draft": FORM["key"]}
    ann.post("/drafts", data=changed, follow_redirects=True)
    assert SAYS_WAITING not in page_text(ann.get("/drafts"))
    says = answer(boss, report, "publish")
    assert "its author has changed it since" in says and "report is done" not in says
    run_worker(site_of(web.app))
    assert not status_ids(ann.get("/@ann")) and not reports_of(web)
    assert "something else" in page_text(ann.get("/drafts"))


def test_a_draft_that_is_posted_again_has_one_report(web: Web, boss: FlaskClient) -> None:
    ann = web.member("ann")
    held_report(web, ann)
    first = held_report(web, ann)
    ann.post("/statuses", data=FORM | {"text": "my other casino", "key": "o" * 12})
    ann.post("/statuses", data=FORM | {"text": "unseen", "draft": FORM["key"]})
    assert [one.texts[0] for one in reports_of(web)] == ["unseen", "my other casino"]
    assert "its author has changed it since" in answer(boss, first, "publish")
    run_worker(site_of(web.app))
    assert not status_ids(ann.get("/@ann"))


def test_an_appeal_for_a_draft_that_is_gone_can_be_granted(web: Web, boss: FlaskClient) -> None:
    ann = web.member("ann")
    answer(boss, held_report(web, ann), "withhold", "No gambling here.")
    ann.post("/standing/1/appeal", data={"text": "It is a bird."})
    ann.post(f"/drafts/{FORM['key']}/delete")
    assert boss.post("/moderation/@ann/1").status_code == 303
    run_worker(site_of(web.app))
    assert not status_ids(ann.get("/@ann"))


def test_only_what_waits_can_be_published(web: Web, boss: FlaskClient) -> None:
    held = held_report(web, web.member("ann"))
    web.member("ben").post("/@ann/report", data={"reason": "Rude.", "category": "other"})
    of_ann = next(one for one in reports_of(web) if one != held)
    assert "This isn’t waiting for review" in answer(boss, of_ann, "publish")


def test_a_post_waits_on_while_its_author_only_types(web: Web, boss: FlaskClient) -> None:
    ann = web.member("ann")
    report = held_report(web, ann)
    assert "data-autosave" not in ann.get(f"/drafts/{FORM['key']}").text
    for text in ("my poker", ""):
        typed = ann.post("/drafts/automatic", data={"text": text, "key": FORM["key"]})
        assert typed.json == {"saved": False}
    answer(boss, report, "publish")
    run_worker(site_of(web.app))
    assert len(status_ids(boss.get("/public"))) == 2


def test_a_post_that_waits_is_published_or_not(web: Web, boss: FlaskClient) -> None:
    report = held_report(web, web.member("ann"))
    for act in ("dismiss", "warn", "remove"):
        assert "isn’t published yet" in answer(boss, report, act, "Why.")
    assert reports_of(web) == [report]


def test_a_moderator_publishes_what_an_equal_wrote(web: Web, boss: FlaskClient) -> None:
    report, chief = held_report(web, boss), web.member("chief", "admin")
    assert "1 report is done." in answer(chief, report, "publish")
    run_worker(site_of(web.app))
    assert len(status_ids(boss.get("/public"))) == 2


def test_an_app_hears_that_its_post_waits(web: Web, boss: FlaskClient) -> None:
    ann = connected(web.app, web.member("ann"))
    route, sent = "POST /api/v1/statuses", {"status": "my casino", "spoiler_text": "gambling"}
    for _ in range(2):
        refused = ann.call(route, json=sent, headers={"Idempotency-Key": "one"})
        assert refused.status_code == 422 and SAYS_WAITING in refused.json["error"]
        run_worker(site_of(web.app))
    report = reports_of(web)[0]
    assert report.texts == ["[warning: gambling] my casino"]
    answer(boss, report, "publish")
    run_worker(site_of(web.app))
    [made] = ann.get("v1/timelines/public")
    assert made["spoiler_text"] == "gambling"


def test_of_many_decisions_at_once_one_holds(world: World) -> None:
    ann, *mods = world.people("ann", "mod", "nod")
    moderators = [as_moderator(world, mod) for mod in mods]
    strict = with_settings(world, bans=BanList((Ban(WORD, "casino", REVIEW),)))
    drafts.save(strict, ann, "form-key-1", {"text": "A casino"}, datetime.now(UTC))
    run_worker(strict)
    [report] = listing.list_newest(world.db)

    def decide(attempt: int) -> int:
        act = ("publish", "withhold")[attempt % 2]
        by = moderators[attempt // 2 % 2]
        return desk.answer_reports(world, by, act, "Why.", [report.id]).answered

    at_once(10, decide, range(30))
    run_worker(strict)
    [entry] = world.db.read(history.acts_on(ann))
    published = world.db.run(("ZCARD", status_keys.profile_statuses(ann)))
    assert published == (entry.kind == "publish")
    assert log.page(world.db, None, 50).items[-1].kind == entry.kind
    assert not listing.list_newest(world.db)


@pytest.mark.parametrize("action", [REVIEW, HIDE, REPORT])
def test_an_edit_brings_no_word_that_a_new_post_may_not_have(
    web: Web, boss: FlaskClient, action: str
) -> None:
    ann = web.member("ann")
    path = f"/@ann/{post_status(ann, 'my inn')}/edit"
    boss.post("/moderation/terms", data=TERM | {"value": "inn", "action": action})
    boss.post("/moderation/terms", data=TERM | {"action": action})
    assert ann.post(path, data={"text": "our inn", "version": "0.0"}).status_code == 303
    edited = ann.post(
        path, data={"text": "my casino", "version": field_value(ann.get(path), "version")}
    )
    assert edited.status_code == (303 if action == REPORT else 422)
    if action != REPORT:
        assert "“casino” can’t be added to a post." in page_text(edited)
        assert "my casino" in edited.text
