"""Drafts, and posts that wait for their time: nothing is posted twice, lost, or both posted and a draft."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from itertools import count
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.following.test_blocks import Dying, Killed
from tests.statuses.test_views import kept, value
from tests.support import worker
from tests.system.test_pages import check_error, join, serving, words, write
from webapp.accounts import lifecycle
from webapp.config import Config, Rate
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, NotFound, Unavailable
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.attachments.places import Place
from webapp.statuses.drafts import keys as draft_keys
from webapp.statuses.drafts import store as drafts

People = Callable[..., list[int]]
Settle = Callable[[], None]
Member = Callable[[str], FlaskClient]
FORM = "form-key-1"
SOON, LONG_AGO = timedelta(seconds=0.001), timedelta(days=1)


def texts(db: Db, uid: int) -> list[str]:
    """What a member has posted, oldest first."""
    ids = db.run(("ZRANGE", status_keys.profile_statuses(uid), 0, -1))
    return [db.run(("HGET", status_keys.status(int(status_id)), "text")) for status_id in ids]


def overdue(db: Db, config: Config, uid: int, form: str = FORM, **fields: str) -> None:
    """Keeps a draft whose time has come."""
    drafts.save(db, config, uid, form, {"text": "hello"} | fields, datetime.now(UTC) - LONG_AGO)


def run(db: Db, config: Config) -> None:
    drafts.publish_due(db, config, range(PARTITIONS))


def left(db: Db, uid: int) -> tuple[list[str], list[str], list[str]]:
    """The keys of a member's posts that wait, and of the drafts; and what the partition's jobs name."""
    waiting, own = drafts.list_all(db, uid)
    jobs = db.run(("ZRANGE", draft_keys.scheduled_posts(partition_of(uid)), 0, -1))
    return [one.form_key for one in waiting], [one.form_key for one in own], jobs


NOTHING: tuple[list[str], list[str], list[str]] = ([], [], [])


def test_a_draft_is_kept_as_it_was_left_and_replaced_by_the_next_one_of_its_form(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    fields = {
        "text": "x" * 500 + "\n鳥",
        "lat": "abc",
        "long": "",
        "place": "Hedge",
        "unknown": "x",
    }
    drafts.save(db, config, ann, FORM, fields)
    assert drafts.get(db, ann, FORM).fields == {
        "text": fields["text"],
        "lat": "abc",
        "place": "Hedge",
    }
    drafts.save(db, config, ann, "form-key-2", {"text": "second"})
    drafts.save(db, config, ann, FORM, {"text": "again"})
    assert left(db, ann) == ([], [FORM, "form-key-2"], [])
    assert drafts.get(db, ann, FORM).fields == {"text": "again"}
    drafts.delete(db, ann, FORM)
    with pytest.raises(NotFound):
        drafts.delete(db, ann, FORM)
    with pytest.raises(NotFound):
        drafts.get(db, ann, FORM)


def test_posting_takes_the_draft_of_the_form_along(db: Db, config: Config, people: People) -> None:
    (ann,) = people("ann")
    for due in (None, datetime.now(UTC) + LONG_AGO):
        drafts.save(db, config, ann, FORM, {"text": "hello"}, due)
        first = statuses.post(db, config, ann, parse("hello"), FORM)
        assert left(db, ann) == NOTHING
    assert statuses.post(db, config, ann, parse("hello"), FORM) == first
    assert texts(db, ann) == ["hello"]


def test_what_is_due_is_posted_once_and_what_is_not_waits(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    overdue(
        db, config, ann, lat=" 31,2304", long="−121.4737", place=" Hedge\n\u202e "
    )  # all of which its form takes
    drafts.save(
        db, config, ann, "form-key-2", {"text": "later"}, datetime.now(UTC) + timedelta(hours=1)
    )
    drafts.save(db, config, ben, FORM, {"text": "never"})
    for _ in "12":
        run(db, config)
        settle()
    assert (texts(db, ann), texts(db, ben)) == (["hello"], [])
    status = statuses.get(db, int(db.run(("ZRANGE", status_keys.profile_statuses(ann), 0, -1))[0]))
    assert status.place == Place(31.2304, -121.4737, "Hedge")
    assert left(db, ann) == (["form-key-2"], [], [f"{ann}:form-key-2"])
    assert left(db, ben) == ([], [FORM], [])


def test_a_post_that_is_saved_anew_without_a_time_waits_no_more(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    overdue(db, config, ann)
    drafts.save(db, config, ann, FORM, {"text": "rather not"})
    run(db, config)
    assert texts(db, ann) == [] and left(db, ann) == ([], [FORM], [])


def test_the_one_that_was_read_is_posted_or_none(
    db: Db, config: Config, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ann,) = people("ann")
    overdue(db, config, ann)
    original = drafts.post

    def edited_meanwhile(*given: object, **said: object) -> int:
        monkeypatch.setattr(drafts, "post", original)
        overdue(db, config, ann, text="better words")
        return original(*given, **said)  # type: ignore[arg-type]

    monkeypatch.setattr(drafts, "post", edited_meanwhile)
    run(db, config)
    assert texts(db, ann) == [] and left(db, ann)[0] == [FORM]
    run(db, config)
    assert texts(db, ann) == ["better words"] and left(db, ann) == NOTHING


def test_two_workers_at_once_post_each_once(db: Db, config: Config, people: People) -> None:
    (ann,) = people("ann")
    for number in range(12):
        overdue(db, config, ann, f"form-key-{number}", text=f"text {number}")
    barrier = threading.Barrier(4)

    def work(_: int) -> None:
        barrier.wait()
        run(db, config)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert sorted(texts(db, ann)) == sorted(f"text {number}" for number in range(12))
    assert left(db, ann) == NOTHING


def test_a_worker_that_dies_between_any_two_trips_posts_once_in_the_end(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    for trips in range(1, 9):
        overdue(db, config, ann, f"form-key-{trips}", text=f"text {trips}")
        try:
            run(Dying(db, trips), config)
            died = False
        except Killed:
            died = True
        run(db, config)
        assert texts(db, ann) == [f"text {number}" for number in range(1, trips + 1)]
        assert left(db, ann) == NOTHING
    assert not died, "the last one had trips enough"


def test_what_cannot_be_posted_becomes_a_draft_that_says_why(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    (ann,) = people("ann")
    overdue(db, config, ann, text="x" * 281)
    overdue(db, config, ann, "form-key-2", lat="far", long="away")
    run(db, config)
    assert texts(db, ann) == [] and left(db, ann) == ([], ["form-key-2", FORM], [])
    assert "has a problem" in drafts.get(db, ann, FORM).error_message
    overdue(db, config, ann, "form-key-3")
    lifecycle.suspend(db, config, ann)
    run(db, config)
    assert (
        texts(db, ann) == []
        and "suspended" in drafts.get(db, ann, "form-key-3").error_message.lower()
    )
    with pytest.raises(Forbidden):
        drafts.save(db, config, ann, "form-key-4", {"text": "x"})


def test_too_many_posts_at_once_wait_for_their_turn(db: Db, config: Config, people: People) -> None:
    (ann,) = people("ann")
    config = replace(config, limit_post=Rate(2, 3600))
    for number in range(3):
        overdue(db, config, ann, f"form-key-{number}", text=f"text {number}")
    run(db, config)
    run(db, config)
    assert len(texts(db, ann)) == 2
    _, at = db.run(("ZRANGE", draft_keys.scheduled_posts(partition_of(ann)), 0, -1, "WITHSCORES"))
    assert float(at) / 1000 > time.time(), "it is not asked for again before"


def test_drafts_are_bounded(db: Db, config: Config, people: People) -> None:
    (ann,) = people("ann")
    config = replace(config, drafts_max=2)
    for form in ("form-key-1", "form-key-2"):
        drafts.save(db, config, ann, form, {"text": form})
    with pytest.raises(Conflict):
        drafts.save(db, config, ann, "form-key-3", {"text": "x"})
    drafts.save(db, config, ann, "form-key-1", {"text": "changed"})
    assert left(db, ann) == ([], ["form-key-1", "form-key-2"], [])


def test_drafts_go_with_the_account(db: Db, config: Config, people: People, settle: Settle) -> None:
    (ann,) = people("ann")
    overdue(db, config, ann)
    drafts.save(db, config, ann, "form-key-2", {"text": "x"})
    lifecycle.delete_account(db, config, ann, None)
    run(db, config)
    settle()
    assert left(db, ann) == NOTHING
    assert not db.run(
        (
            "EXISTS",
            draft_keys.draft(ann, FORM),
            draft_keys.draft(ann, "form-key-2"),
            draft_keys.drafts(ann),
        )
    )


def test_the_worker_posts_what_is_due(settings: Config) -> None:
    settings = replace(settings, inline_projections=False)
    with serving(settings) as app:
        client, db = join(app, "ann"), app.extensions["linnet.db"]
        overdue(db, settings, 1)
        loop = worker.group_loop(db, settings, "fanout", "tests")
        loop.acquire()
        loop._run_jobs()
        loop.release()
        assert texts(db, 1) == ["hello"] and "hello" in words(client.get("/@ann"))


def draft_form_keys(client: FlaskClient) -> list[str]:
    return re.findall(r'href="/drafts/([\w-]+)"', client.get("/drafts").text)


def scheduled_keys(client: FlaskClient) -> list[str]:
    return re.findall(r'href="/drafts/([\w-]+)"', client.get("/scheduled").text)


def test_a_draft_is_saved_found_changed_posted_and_deleted_through_pages(member: Member) -> None:
    ann, ben = member("ann"), member("ben")
    form = {"text": "Wrens sing. 鷦鷯", "place": "Hedge", "key": "abcdefgh-1"}
    answer = ann.post("/drafts", data=form, follow_redirects=True)
    assert "Draft saved." in words(answer) and "Wrens sing. 鷦鷯" in words(answer)
    assert draft_form_keys(ann) == ["abcdefgh-1"] and draft_form_keys(ben) == []
    page = ann.get("/drafts/abcdefgh-1")
    assert (
        kept(page) == form["text"]
        and value(page, "place") == "Hedge"
        and value(page, "key") == form["key"]
    )
    assert page.headers["Cache-Control"] == "no-store"
    check_error(ben.get("/drafts/abcdefgh-1"), 404, "This draft no longer exists.")
    check_error(ben.post("/drafts/abcdefgh-1/delete"), 404)
    assert ann.post("/statuses", data=form | {"place": ""}).status_code == 303
    assert draft_form_keys(ann) == [] and form["text"] in words(ann.get("/@ann"))
    ann.post("/drafts", data=form | {"key": "abcdefgh-2"})
    assert "Draft deleted." in words(ann.post("/drafts/abcdefgh-2/delete", follow_redirects=True))
    assert "There are no drafts" in words(ann.get("/drafts"))


@pytest.mark.parametrize(
    ("offset", "shift"), [("", 0), ("-480", -480), ("210", 210), ("99999999", 14 * 60)]
)
def test_a_time_is_meant_in_the_zone_that_the_browser_says(
    app: Flask, member: Member, offset: str, shift: int
) -> None:
    ann = member("ann")
    # A day ahead, so that it is still to come whatever the zone.
    at = (datetime.now(UTC) + timedelta(days=2)).replace(second=0, microsecond=0)
    form = {"text": "later", "key": "abcdefgh-1", "at": f"{at:%Y-%m-%dT%H:%M}", "offset": offset}
    answer = ann.post("/drafts/schedule", data=form, follow_redirects=True)
    assert "Your post is scheduled." in words(answer) and answer.request.path == "/scheduled"
    due = at + timedelta(minutes=shift)
    found = re.search(r'<time datetime="([^"]+)"', answer.text)
    assert found and datetime.fromisoformat(found[1]) == due
    page = ann.get("/drafts/abcdefgh-1")
    assert value(page, "at") == f"{due:%Y-%m-%dT%H:%M}" and not value(page, "offset")
    by_hand = {**form, "key": "abcdefgh-2", "at": f"{at:%Y-%m-%d %H:%M}"}  # as the refusal says it
    assert ann.post("/drafts/schedule", data=by_hand).status_code == 303
    assert value(ann.get("/drafts/abcdefgh-2"), "at") == f"{due:%Y-%m-%dT%H:%M}"
    ann.post("/drafts/abcdefgh-2/delete")
    assert scheduled_keys(ann) == ["abcdefgh-1"] and draft_form_keys(ann) == []
    ann.post("/drafts", data=form)
    assert scheduled_keys(ann) == [] and draft_form_keys(ann) == ["abcdefgh-1"], (
        "saved as a draft it has no time"
    )


def test_drafts_and_scheduled_posts_have_pages_of_their_own_that_lead_to_each_other(
    app: Flask, member: Member
) -> None:
    ann, db = member("ann"), app.extensions["linnet.db"]
    at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    for number in range(3):
        ann.post(
            "/drafts/schedule",
            data={"text": f"waits {number}", "key": f"abcdefgh-{number}", "at": at},
        )
    ann.post("/drafts", data={"text": "is kept", "key": "abcdefgh-9"})
    for path, own, other in (("/drafts", "is kept", "waits"), ("/scheduled", "waits", "is kept")):
        before = db.trips
        page = ann.get(path)
        assert db.trips - before == 3 and page.headers["Cache-Control"] == "no-store"
        assert own in words(page) and other not in words(page)
        assert (
            "Drafts 1 Scheduled 3" in words(page)
            and f'href="{path}" aria-current="page"' in page.text
        )
    assert 'class="icon-button" href="/scheduled"' in ann.get("/drafts/abcdefgh-0").text
    assert 'class="icon-button" href="/drafts"' in ann.get("/drafts/abcdefgh-9").text
    for path, key in (("/scheduled", "abcdefgh-0"), ("/drafts", "abcdefgh-9")):
        form = ann.get(f"/drafts/{key}").text.partition(f'action="/drafts/{key}/delete"')[2]
        assert f'name="next" value="{path}"' in form.partition("</form>")[0]
        assert ann.post(f"/drafts/{key}/delete", data={"next": path}).location == path
    assert "There are no drafts" in words(ann.get("/drafts")) and "Scheduled 2" in words(
        ann.get("/drafts")
    )
    ben = member("ben")
    assert "Nothing is scheduled" in words(ben.get("/scheduled")) and scheduled_keys(ben) == []
    assert app.test_client().get("/scheduled").status_code == 303


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        ("", "Choose a day and a time"),
        ("tomorrow", "Choose a day and a time"),
        ("2026-13-40T99:99", "Choose a day and a time"),
        ("0001-01-01T00:00", "Choose a day and a time"),
        ("2020-01-01T00:00", "in the future"),
        ("9999-12-31T23:59", "in the future"),
    ],
)
def test_a_time_that_cannot_be_is_refused_in_words_and_the_form_comes_back(
    member: Member, at: str, sentence: str
) -> None:
    ann = member("ann")
    form = {"text": "what I wrote", "place": "", "key": "abcdefgh-1", "at": at, "offset": "-480"}
    answer = ann.post("/drafts/schedule", data=form)
    assert answer.status_code == 422 and sentence in words(answer)
    assert kept(answer) == "what I wrote" and value(answer, "at") == (at or None)
    assert re.search(r'<input[^>]* autofocus[^>]* name="at"', answer.text), (
        "what is wrong gets the focus"
    )
    assert answer.text.count("autofocus") == 1
    assert value(answer, "offset") == "-480", "it is still in the zone it was written in"
    assert draft_form_keys(ann) == []


def test_what_could_not_be_posted_cannot_be_scheduled_and_what_says_nothing_is_no_draft(
    member: Member,
) -> None:
    ann = member("ann")
    at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    answer = ann.post("/drafts/schedule", data={"text": "x" * 281, "at": at})
    assert answer.status_code == 422 and "too long" in words(answer) and kept(answer) == "x" * 281
    answer = ann.post("/drafts", data={"text": " \n "})
    assert answer.status_code == 422 and "Write something first." in words(answer)
    assert ann.post("/drafts", data={"text": "x" * 281}).status_code == 303, (
        "a draft may be too long as yet"
    )
    assert draft_form_keys(ann)


def test_saving_again_and_again_waits_a_moment_and_too_many_drafts_are_refused_with_the_text(
    settings: Config,
) -> None:
    with serving(replace(settings, limit_draft=Rate(3, 3600), drafts_max=2)) as app:
        ann = join(app, "ann")
        for number in range(2):
            assert (
                ann.post("/drafts", data={"text": "x", "key": f"abcdefgh-{number}"}).status_code
                == 303
            )
        answer = ann.post("/drafts", data={"text": "one more", "key": "abcdefgh-9"})
        assert answer.status_code == 409 and "limit for drafts" in words(answer)
        assert kept(answer) == "one more"
        answer = ann.post("/drafts", data={"text": "one more", "key": "abcdefgh-9"})
        assert answer.status_code == 429 and kept(answer) == "one more"


@pytest.mark.parametrize("path", ["/statuses", "/drafts", "/drafts/schedule"])
def test_what_is_written_comes_back_wherever_the_store_stops_answering(
    member: Member, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    ann = member("ann")
    quoted = write(ann, "Wrens sing.")
    at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    form = {"text": "what I wrote", "at": at, "quote": quoted, "key": "abcdefgh-1"}
    replies, most = Db.trip_with_errors, 1  # trips that are answered: who is asking
    while True:
        trips = count()

        def answer(
            self: Db, commands: Sequence[Any], trips: Iterator[int] = trips, most: int = most
        ) -> list[Any]:
            if next(trips) >= most:
                raise Unavailable("store_down")
            return replies(self, commands)

        with monkeypatch.context() as patch:
            patch.setattr(Db, "trip_with_errors", answer)
            page = ann.post(path, data=form)
        if page.status_code == 303:
            break
        assert page.status_code == 503 and kept(page) == "what I wrote", most
        most += 1
    assert most > 2


@pytest.mark.parametrize(
    "path", ["/drafts/x", "/drafts/%00", "/drafts/" + "x" * 65, "/drafts/abcdefgh-9"]
)
def test_what_is_no_draft_is_a_clear_no(member: Member, path: str) -> None:
    ann = member("ann")
    check_error(ann.get(path), 404)
    check_error(ann.post(f"{path}/delete"), 404)


def test_a_draft_shows_its_words_as_words(member: Member) -> None:
    ann = member("ann")
    ann.post("/drafts", data={"text": "<b>bold</b> & “quoted”", "key": "abcdefgh-1"})
    page = ann.get("/drafts").text
    assert "<b>bold</b>" not in page and "<b>bold</b> & “quoted”" in unescape(page)
