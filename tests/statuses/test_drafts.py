"""Drafts and scheduled posts: storage, publishing exactly once, limits, and pages."""

import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from itertools import count
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.concurrently import at_once
from tests.support.crashing_db import dies
from tests.support.pages import check_error, join, page_text, post_status, serving, status_ids
from tests.support.settings import with_settings
from tests.support.statuses.forms import composer_text, field_value
from tests.support.world import Web, World
from webapp.config import Config, Rate
from webapp.core.errors import Conflict, Forbidden, NotFound, Unavailable
from webapp.core.store import Command, Db, Site, partition_of
from webapp.core.text.parser import MAX_CODE_POINTS, parse
from webapp.notifications import store as notifications
from webapp.notifications.kinds import kinds_in_tab
from webapp.site_settings import Ban, BanList
from webapp.statuses import Place, keys as status_keys, store as statuses
from webapp.statuses.drafts import keys as draft_keys, publishing, store as drafts

FORM = "form-key-1"
SOON, LONG_AGO = timedelta(seconds=0.001), timedelta(days=1)


def posted_texts(db: Db, uid: int) -> list[str]:
    """Return the texts of a member's statuses, oldest first."""
    ids = db.run(("ZRANGE", status_keys.profile_statuses(uid), 0, -1))
    return [db.run(("HGET", status_keys.status(int(status_id)), "text")) for status_id in ids]


def save_due(site: Site, uid: int, form: str = FORM, **fields: str) -> None:
    """Save a draft that is due."""
    drafts.save(site, uid, form, {"text": "hello"} | fields, datetime.now(UTC) - LONG_AGO)


def stored_keys(db: Db, uid: int) -> tuple[list[str], list[str], list[str]]:
    """Return the form keys of scheduled posts, of drafts, and of the partition's due entries."""
    scheduled, saved = drafts.list_all(db, uid)
    jobs = db.run(("ZRANGE", draft_keys.scheduled_posts(partition_of(uid)), 0, -1))
    return [draft.form_key for draft in scheduled], [draft.form_key for draft in saved], jobs


NOTHING: tuple[list[str], list[str], list[str]] = ([], [], [])


def test_a_draft_stores_its_fields_until_its_form_saves_again(world: World) -> None:
    (ann,) = world.people("ann")
    fields = {
        "text": "x" * (MAX_CODE_POINTS - 2) + "\n鳥",
        "lat": "abc",
        "long": "",
        "place": "Hedge",
        "unknown": "x",
    }
    drafts.save(world, ann, FORM, fields)
    found = drafts.get(world.db, ann, FORM).fields
    assert found == {"text": fields["text"], "lat": "abc", "place": "Hedge"}
    drafts.save(world, ann, "form-key-2", {"text": "second"})
    drafts.save(world, ann, FORM, {"text": "again"})
    assert stored_keys(world.db, ann) == ([], [FORM, "form-key-2"], [])
    assert drafts.get(world.db, ann, FORM).fields == {"text": "again"}
    drafts.delete(world.db, ann, FORM)
    with pytest.raises(NotFound):
        drafts.delete(world.db, ann, FORM)
    with pytest.raises(NotFound):
        drafts.get(world.db, ann, FORM)


def test_posting_a_form_deletes_its_draft(world: World) -> None:
    (ann,) = world.people("ann")
    for due in (None, datetime.now(UTC) + LONG_AGO):
        drafts.save(world, ann, FORM, {"text": "hello"}, due)
        first = statuses.post(world, ann, parse("hello"), FORM, replaces_draft=bool(due))
        assert stored_keys(world.db, ann) == NOTHING
    assert statuses.post(world, ann, parse("hello"), FORM) == first
    assert posted_texts(world.db, ann) == ["hello"]


def test_due_posts_are_published_once_and_others_wait(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    # The form accepts all of these.
    save_due(world, ann, lat=" 31,2304", long="−121.4737", place=" Hedge\n\u202e ")
    drafts.save(world, ann, "form-key-2", {"text": "later"}, datetime.now(UTC) + timedelta(hours=1))
    drafts.save(world, ben, FORM, {"text": "never"})
    for _ in range(2):
        world.do(worker.publish_due)
    assert (posted_texts(world.db, ann), posted_texts(world.db, ben)) == (["hello"], [])
    status = world.status(
        int(world.db.run(("ZRANGE", status_keys.profile_statuses(ann), 0, -1))[0])
    )
    assert status.place == Place(31.2304, -121.4737, "Hedge")
    assert stored_keys(world.db, ann) == (["form-key-2"], [], [f"{ann}:form-key-2"])
    assert stored_keys(world.db, ben) == ([], [FORM], [])


def test_a_server_that_takes_no_writes_keeps_no_other_posts_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = world.people("ann", "ben")
    for uid in (ann, ben):
        save_due(world, uid)
    run, post_draft = world.db.run, publishing._post_draft

    def refuse(command: Command) -> Any:
        if command[:2] == ("ZADD", draft_keys.scheduled_posts(partition_of(ann))):
            raise Unavailable("read_only")
        return run(command)

    def post_others(site: Site, uid: int, draft: drafts.Draft) -> None:
        if uid == ann:
            raise Unavailable("read_only")
        post_draft(site, uid, draft)

    monkeypatch.setattr(world.db, "run", refuse)
    monkeypatch.setattr(publishing, "_post_draft", post_others)
    worker.publish_due(world)
    monkeypatch.undo()
    assert (posted_texts(world.db, ann), posted_texts(world.db, ben)) == ([], ["hello"])
    assert stored_keys(world.db, ann)[2] == [f"{ann}:{FORM}"], "tried again"


def test_saving_without_a_time_unschedules_a_post(world: World) -> None:
    (ann,) = world.people("ann")
    save_due(world, ann)
    drafts.save(world, ann, FORM, {"text": "rather not"})
    worker.publish_due(world)
    assert posted_texts(world.db, ann) == [] and stored_keys(world.db, ann) == ([], [FORM], [])


def test_a_post_that_is_put_off_while_it_is_due_waits(world: World) -> None:
    (ann,) = world.people("ann")
    drafts.save(world, ann, FORM, {"text": "later"}, datetime.now(UTC) + LONG_AGO)
    publishing.publish(world, ann, FORM)
    assert posted_texts(world.db, ann) == [] and stored_keys(world.db, ann)[0] == [FORM]


def test_a_post_that_is_scheduled_while_its_draft_is_looked_for_stays_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ann,) = world.people("ann")
    save_due(world, ann)
    monkeypatch.setattr(publishing, "parse_draft", lambda *_: None)  # as before it was saved
    worker.publish_due(world)
    assert stored_keys(world.db, ann)[2] == [f"{ann}:{FORM}"]
    world.db.run(("DEL", draft_keys.draft(ann, FORM)))
    worker.publish_due(world)
    assert stored_keys(world.db, ann)[2] == []


def test_a_draft_edited_while_publishing_is_not_published_outdated(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ann,) = world.people("ann")
    save_due(world, ann)
    original = publishing.post

    def edited_meanwhile(*args: object, **kwargs: object) -> int:
        monkeypatch.setattr(publishing, "post", original)
        save_due(world, ann, text="better words")
        return original(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(publishing, "post", edited_meanwhile)
    worker.publish_due(world)
    assert posted_texts(world.db, ann) == [] and stored_keys(world.db, ann)[0] == [FORM]
    worker.publish_due(world)
    assert posted_texts(world.db, ann) == ["better words"]
    assert stored_keys(world.db, ann) == NOTHING


def test_concurrent_workers_publish_each_post_once(world: World) -> None:
    (ann,) = world.people("ann")
    for number in range(12):
        save_due(world, ann, f"form-key-{number}", text=f"text {number}")
    barrier = threading.Barrier(4)

    def work(_: int) -> None:
        barrier.wait()
        worker.publish_due(world)

    at_once(4, work, range(4))
    assert sorted(posted_texts(world.db, ann)) == sorted(f"text {number}" for number in range(12))
    assert stored_keys(world.db, ann) == NOTHING


def test_a_retry_after_a_crash_at_any_trip_publishes_once(world: World) -> None:
    (ann,) = world.people("ann")
    for trip in range(1, 9):
        save_due(world, ann, f"form-key-{trip}", text=f"text {trip}")
        crashed = dies(world, trip, worker.publish_due)
        worker.publish_due(world)
        assert posted_texts(world.db, ann) == [f"text {number}" for number in range(1, trip + 1)]
        assert stored_keys(world.db, ann) == NOTHING
    assert not crashed, "publishing takes more trips than the test tries"


def test_a_post_that_fails_becomes_a_draft_with_the_reason(world: World) -> None:
    (ann,) = world.people("ann")
    save_due(world, ann, text="x" * 281)
    save_due(world, ann, "form-key-2", lat="far", long="away")
    worker.publish_due(world)
    assert posted_texts(world.db, ann) == []
    assert stored_keys(world.db, ann) == ([], ["form-key-2", FORM], [])
    assert "has a problem" in drafts.get(world.db, ann, FORM).error_message
    save_due(world, ann, "form-key-3")
    world.suspend(ann)
    worker.publish_due(world)
    assert posted_texts(world.db, ann) == []
    assert "suspended" in drafts.get(world.db, ann, "form-key-3").error_message.lower()
    world.refuses(Forbidden, drafts.save, ann, "form-key-4", {"text": "x"})


def test_a_scheduled_post_with_a_refused_word_is_a_draft_again(world: World) -> None:
    (ann,) = world.people("ann")
    save_due(world, ann, text="A casino")
    worker.publish_due(with_settings(world, bans=BanList((Ban("word", "casino", "refuse"),))))
    assert stored_keys(world.db, ann) == ([], [FORM], [])
    assert "word or link" in drafts.get(world.db, ann, FORM).error_message
    world.apply_events()
    page = notifications.page(world.db, ann, kinds_in_tab("all"), None, 30, False)
    assert [group.kind.name for group in page.items] == ["unposted"]


def test_rate_limited_scheduled_posts_wait(world: World) -> None:
    (ann,) = world.people("ann")
    world = with_settings(world, limit_post=Rate(2, 3600))
    for number in range(3):
        save_due(world, ann, f"form-key-{number}", text=f"text {number}")
    worker.publish_due(world)
    worker.publish_due(world)
    assert len(posted_texts(world.db, ann)) == 2
    _, scheduled_at = world.db.run(
        ("ZRANGE", draft_keys.scheduled_posts(partition_of(ann)), 0, -1, "WITHSCORES")
    )
    assert float(scheduled_at) / 1000 > time.time(), "the next attempt is in the future"


def test_the_number_of_drafts_is_limited(world: World) -> None:
    (ann,) = world.people("ann")
    world = with_settings(world, drafts_max=2)
    for form in ("form-key-1", "form-key-2"):
        drafts.save(world, ann, form, {"text": form})
    world.refuses(Conflict, drafts.save, ann, "form-key-3", {"text": "x"})
    drafts.save(world, ann, "form-key-1", {"text": "changed"})
    assert stored_keys(world.db, ann) == ([], ["form-key-1", "form-key-2"], [])


def test_the_worker_publishes_due_posts(settings: Config) -> None:
    settings = replace(settings, inline_projections=False)
    with serving(settings) as app:
        client, db = join(app, "ann"), app.extensions["linnet.db"]
        save_due(Site(db, settings), 1)
        loop = worker.group_loop(Site(db, settings), "fanout", "tests")
        loop.acquire()
        loop._run_jobs()
        loop.release()
        assert posted_texts(db, 1) == ["hello"]
        assert "hello" in page_text(client.get("/@ann"))


def draft_form_keys(client: FlaskClient) -> list[str]:
    return re.findall(r'href="/drafts/([\w-]+)"', client.get("/drafts").text)


def scheduled_keys(client: FlaskClient) -> list[str]:
    return re.findall(r'href="/drafts/([\w-]+)"', client.get("/scheduled").text)


def test_members_save_open_post_and_delete_drafts_on_pages(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    form = {"text": "Wrens sing. 鷦鷯", "place": "Hedge", "key": "abcdefgh-1"}
    response = ann.post("/drafts", data=form, follow_redirects=True)
    assert "Draft saved." in page_text(response) and "Wrens sing. 鷦鷯" in page_text(response)
    assert draft_form_keys(ann) == ["abcdefgh-1"] and draft_form_keys(ben) == []
    page = ann.get("/drafts/abcdefgh-1")
    assert composer_text(page) == form["text"]
    assert field_value(page, "place") == "Hedge"
    assert field_value(page, "key") == form["key"]
    assert page.headers["Cache-Control"] == "no-store"
    check_error(ben.get("/drafts/abcdefgh-1"), 404, "This draft no longer exists.")
    check_error(ben.post("/drafts/abcdefgh-1/delete"), 404)
    assert ann.post("/statuses", data=form | {"place": ""}).status_code == 303
    assert draft_form_keys(ann) == [] and form["text"] in page_text(ann.get("/@ann"))
    ann.post("/drafts", data=form | {"key": "abcdefgh-2"})
    assert "Draft deleted." in page_text(
        ann.post("/drafts/abcdefgh-2/delete", follow_redirects=True)
    )
    assert "No drafts yet" in page_text(ann.get("/drafts"))


@pytest.mark.parametrize(
    ("offset", "shift"), [("", 0), ("-480", -480), ("210", 210), ("99999999", 14 * 60)]
)
def test_the_scheduled_time_is_in_the_browsers_zone(web: Web, offset: str, shift: int) -> None:
    ann = web.member("ann")
    # Two days ahead is in the future in every zone.
    scheduled_at = (datetime.now(UTC) + timedelta(days=2)).replace(second=0, microsecond=0)
    form = {
        "text": "later",
        "key": "abcdefgh-1",
        "at": f"{scheduled_at:%Y-%m-%dT%H:%M}",
        "offset": offset,
    }
    response = ann.post("/statuses", data=form, follow_redirects=True)
    assert "Post scheduled." in page_text(response)
    assert response.request.path == "/scheduled"
    due = scheduled_at + timedelta(minutes=shift)
    found = re.search(r'<time datetime="([^"]+)"', response.text)
    assert found and datetime.fromisoformat(found[1]) == due
    page = ann.get("/drafts/abcdefgh-1")
    assert field_value(page, "at") == f"{due:%Y-%m-%dT%H:%M}"
    assert not field_value(page, "offset")
    # The format that the error message shows.
    without_T = {**form, "key": "abcdefgh-2", "at": f"{scheduled_at:%Y-%m-%d %H:%M}"}
    assert ann.post("/statuses", data=without_T).status_code == 303
    assert field_value(ann.get("/drafts/abcdefgh-2"), "at") == f"{due:%Y-%m-%dT%H:%M}"
    ann.post("/drafts/abcdefgh-2/delete")
    assert scheduled_keys(ann) == ["abcdefgh-1"] and draft_form_keys(ann) == []
    ann.post("/drafts", data={**form, "draft": "abcdefgh-1"})
    assert scheduled_keys(ann) == [], "a saved draft has no time"
    assert draft_form_keys(ann) == ["abcdefgh-1"], "a saved draft has no time"


def test_drafts_and_scheduled_posts_have_separate_linked_pages(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    scheduled_at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    for number in range(3):
        ann.post(
            "/statuses",
            data={"text": f"waits {number}", "key": f"abcdefgh-{number}", "at": scheduled_at},
        )
    ann.post("/drafts", data={"text": "is kept", "key": "abcdefgh-9"})
    for path, own_text, other_text in (
        ("/drafts", "is kept", "waits"),
        ("/scheduled", "waits", "is kept"),
    ):
        before = db.trips
        page = ann.get(path)
        assert db.trips - before == 3
        assert page.headers["Cache-Control"] == "no-store"
        assert own_text in page_text(page) and other_text not in page_text(page)
        assert "Drafts 1 Scheduled 3" in page_text(page)
        assert f'href="{path}" aria-current="page"' in page.text
    assert 'class="icon-button" href="/scheduled"' in ann.get("/drafts/abcdefgh-0").text
    assert 'class="icon-button" href="/drafts"' in ann.get("/drafts/abcdefgh-9").text
    for path, key in (("/scheduled", "abcdefgh-0"), ("/drafts", "abcdefgh-9")):
        before, _, form = ann.get(f"/drafts/{key}").text.partition(f'action="/drafts/{key}/delete"')
        assert '<details class="grave">' in before[-400:], "it asks first"
        assert f'name="next" value="{path}"' in form.partition("</form>")[0]
        assert ann.post(f"/drafts/{key}/delete", data={"next": path}).location == path
    assert "No drafts yet" in page_text(ann.get("/drafts"))
    assert "Scheduled 2" in page_text(ann.get("/drafts"))
    ben = web.member("ben")
    assert "No scheduled posts" in page_text(ben.get("/scheduled"))
    assert scheduled_keys(ben) == []
    assert web.app.test_client().get("/scheduled").status_code == 303


@pytest.mark.parametrize(
    ("scheduled_at", "sentence"),
    [
        ("", "Choose a day and a time"),
        ("tomorrow", "Choose a day and a time"),
        ("2026-13-40T99:99", "Choose a day and a time"),
        ("0001-01-01T00:00", "Choose a day and a time"),
        ("2020-01-01T00:00", "within the next 12 months"),
        ("9999-12-31T23:59", "within the next 12 months"),
    ],
)
def test_an_invalid_time_comes_back_with_the_form(
    ann: FlaskClient, scheduled_at: str, sentence: str
) -> None:
    form = {
        "text": "what I wrote",
        "place": "",
        "key": "abcdefgh-1",
        "at": scheduled_at,
        "offset": "-480",
        "scheduled": "1",
    }
    response = ann.post("/statuses", data=form)
    assert response.status_code == 422 and sentence in page_text(response)
    assert composer_text(response) == "what I wrote"
    assert field_value(response, "at") == (scheduled_at or None)
    assert re.search(r'<input[^>]* autofocus[^>]* name="at"', response.text), (
        "the invalid field gets the focus"
    )
    assert response.text.count("autofocus") == 1
    assert field_value(response, "offset") == "-480", "the zone is unchanged"
    assert draft_form_keys(ann) == []


def test_invalid_posts_cannot_be_scheduled_and_blank_ones_not_saved(ann: FlaskClient) -> None:
    scheduled_at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    response = ann.post("/statuses", data={"text": "x" * 281, "at": scheduled_at})
    assert response.status_code == 422
    assert "too long" in page_text(response)
    assert composer_text(response) == "x" * 281
    response = ann.post("/drafts", data={"text": " \n "})
    assert response.status_code == 422 and "Write something first." in page_text(response)
    form = {"text": "x" * 281}
    assert ann.post("/drafts", data=form).status_code == 303, "a draft may be too long"
    assert draft_form_keys(ann)


def test_draft_limits_keep_the_text(settings: Config) -> None:
    with serving(replace(settings, limit_draft=Rate(3, 3600), drafts_max=2)) as app:
        ann = join(app, "ann")
        for number in range(2):
            found = ann.post("/drafts", data={"text": "x", "key": f"abcdefgh-{number}"}).status_code
            assert found == 303
        response = ann.post("/drafts", data={"text": "one more", "key": "abcdefgh-9"})
        assert response.status_code == 409 and "limit for drafts" in page_text(response)
        assert composer_text(response) == "one more"
        response = ann.post("/drafts", data={"text": "one more", "key": "abcdefgh-9"})
        assert response.status_code == 429 and composer_text(response) == "one more"


@pytest.mark.parametrize(
    ("path", "is_timed"), [("/statuses", False), ("/drafts", True), ("/statuses", True)]
)
def test_the_text_comes_back_when_the_store_fails_at_any_trip(
    ann: FlaskClient, monkeypatch: pytest.MonkeyPatch, path: str, is_timed: bool
) -> None:
    quoted = post_status(ann, "Wrens sing.")
    scheduled_at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}" if is_timed else ""
    form = {"text": "what I wrote", "at": scheduled_at, "quote": quoted, "key": "abcdefgh-1"}
    send_trip = Db.trip_with_errors
    successful_trips = 1  # the trip for the session succeeds
    while True:
        trips = count()

        def answer(
            self: Db,
            commands: Sequence[Any],
            trips: Iterator[int] = trips,
            successful_trips: int = successful_trips,
        ) -> list[Any]:
            if next(trips) >= successful_trips:
                raise Unavailable("store_down")
            return send_trip(self, commands)

        with monkeypatch.context() as patch:
            patch.setattr(Db, "trip_with_errors", answer)
            page = ann.post(path, data=form)
        if page.status_code == 303:
            break
        assert page.status_code == 503, successful_trips
        assert composer_text(page) == "what I wrote", successful_trips
        successful_trips += 1
    assert successful_trips > 2


@pytest.mark.parametrize(
    "path", ["/drafts/x", "/drafts/%00", "/drafts/" + "x" * 65, "/drafts/abcdefgh-9"]
)
def test_an_unknown_draft_is_not_found(ann: FlaskClient, path: str) -> None:
    check_error(ann.get(path), 404)
    check_error(ann.post(f"{path}/delete"), 404)


def test_markup_in_drafts_is_escaped(ann: FlaskClient) -> None:
    ann.post("/drafts", data={"text": "<b>bold</b> & “quoted”", "key": "abcdefgh-1"})
    page = ann.get("/drafts").text
    assert "<b>bold</b>" not in page and "<b>bold</b> & “quoted”" in unescape(page)


def test_a_form_with_a_time_is_scheduled_and_one_without_is_posted(ann: FlaskClient) -> None:
    scheduled_at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    form = {"text": "dawn chorus", "key": "abcdefgh-1", "at": scheduled_at}
    json = {"Accept": "application/json"}
    for headers in ({}, json):  # sent by a button, and by a script that stays on the page
        response = ann.post("/statuses", data=form, headers=headers)
        assert response.status_code == (201 if headers else 303)
        assert (response.json["url"] if headers else response.location) == "/scheduled"
        page = ann.get("/scheduled")
        assert "Post scheduled." in page_text(page) and scheduled_keys(ann) == ["abcdefgh-1"]
        assert status_ids(ann.get("/home")) == []
    page = ann.get("/drafts/abcdefgh-1").text
    send = page.partition('class="composer-send"')[2].partition("</div>")[0]
    assert 'name="scheduled"' in send and ">Schedule</button>" in send
    refused = ann.post("/statuses", data={**form, "at": "", "scheduled": "1"})
    assert refused.status_code == 422 and "Choose a day and a time" in page_text(refused)
    refused = ann.post("/statuses", data={**form, "at": "2020-01-01T00:00"}, headers=json)
    assert refused.status_code == 422
    assert refused.json and refused.json["errors"] == ["Choose a time within the next 12 months."]
    sent_now = {**form, "at": " ", "draft": "abcdefgh-1"}
    assert ann.post("/statuses", data=sent_now).location == "/home"
    assert len(status_ids(ann.get("/home"))) == 1 and scheduled_keys(ann) == []


def test_a_form_that_is_gone_back_to_leaves_the_post_that_waits(web: Web) -> None:
    ann = web.member("ann")
    later = {"text": "later", "key": FORM, "at": _in_a_month()}
    for _ in range(2):  # sent twice, it waits once
        assert ann.post("/statuses", data=later).location == "/scheduled"
    assert ann.post("/statuses", data={"text": "now", "key": FORM}).status_code == 303
    ann.post("/statuses", data=later | {"text": "later too"})
    ann.post("/drafts", data={"text": "some day", "key": FORM})
    page = page_text(ann.get("/scheduled"))
    assert page.count("Scheduled for") == 2 and "later too" in page
    assert "some day" in page_text(ann.get("/drafts")) and len(status_ids(ann.get("/@ann"))) == 1
    ann.post("/statuses", data={"text": "at last", "key": FORM, "draft": FORM})
    assert page_text(ann.get("/scheduled")).count("Scheduled for") == 1
    assert len(status_ids(ann.get("/@ann"))) == 2


def _in_a_month() -> str:
    return f"{datetime.now(UTC) + timedelta(days=30):%Y-%m-%dT%H:%M}"
