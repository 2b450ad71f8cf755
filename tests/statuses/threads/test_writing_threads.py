"""Writing several posts and posting them together, as a chain of replies."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support import worker
from tests.support.concurrently import at_once
from tests.support.pages import join, page_text, serving
from tests.support.statuses.forms import composer_text, field_value
from tests.support.statuses.picture_pages import pictures_on, post
from tests.support.statuses.pictures import files, photo
from tests.support.world import Web
from webapp.config import Config, Rate
from webapp.core.errors import Unavailable
from webapp.core.store import Db, Site, partition_of
from webapp.statuses import keys as status_keys, store
from webapp.statuses.compose.thread_parts import FIELD_NAMES
from webapp.statuses.drafts import keys as draft_keys

KEY = "abcdefgh-1"
THREAD = {"text": "one", "more1": "two", "more2": "three", "key": KEY}
SHOWN = {**THREAD, "draft": KEY}  # by the page of its draft
JSON = {"Accept": "application/json"}


def chain(app: Flask, uid: int = 1) -> list[tuple[str, str]]:
    """Return the text of each of a member's statuses and of the one it answers, oldest first."""
    db: Db = app.extensions["linnet.db"]
    ids = db.run(("ZRANGE", status_keys.profile_statuses(uid), 0, -1))
    statuses = {int(one): store.get(db, int(one), uid) for one in ids}
    return [
        (one.text, statuses[one.in_reply_to.id].text if one.in_reply_to else "")
        for one in statuses.values()
    ]


def tomorrow() -> str:
    """Return a time as the form takes it."""
    return f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"


def parts(answer: TestResponse) -> list[str]:
    """Return the texts of the further posts of a form."""
    found = re.findall(
        r'<textarea[^>]* name="more\d"[^>]*>(?:\r\n)?(.*?)</textarea>', answer.text, re.S
    )
    return [unescape(text) for text in found]


def test_a_thread_is_posted_as_a_chain_of_replies_once(ann: FlaskClient, web: Web) -> None:
    for _ in range(2):
        assert ann.post("/statuses", data={**THREAD, "cw": "numbers"}).status_code == 303
        assert chain(web.app) == [("one", ""), ("two", "one"), ("three", "two")]
    assert page_text(ann.get("/@ann")).count("numbers") >= 3


def test_empty_posts_are_left_out(web: Web) -> None:
    form = {"text": "one", "more1": " \n", "more2": "two", "more9": "three", "key": KEY}
    assert web.member("ann").post("/statuses", data=form).status_code == 303
    assert chain(web.app) == [("one", ""), ("two", "one"), ("three", "two")]


def test_a_thread_has_ten_posts_at_most(web: Web) -> None:
    form = {name: name for name in (*FIELD_NAMES, "more10", "more0")}
    web.member("ann").post("/statuses", data={"text": "first", **form, "key": KEY})
    assert [text for text, _ in chain(web.app)] == ["first", *FIELD_NAMES]


@pytest.mark.parametrize("wrong", ["more1", "more2", "text"])
def test_nothing_is_posted_if_any_post_is_invalid(ann: FlaskClient, web: Web, wrong: str) -> None:
    form = {**THREAD, wrong: "x" * 283}
    refused = ann.post("/statuses", data=form)
    assert refused.status_code == 422 and chain(web.app) == []
    assert [composer_text(refused), *parts(refused)] == [form[name] for name in THREAD][:3]
    assert "That’s 3 characters too long." in page_text(refused)
    if wrong != "text":
        assert f'<div class="field-error" id="{wrong}-error">' in refused.text
    response = ann.post("/statuses", data=form, headers=JSON)
    assert response.status_code == 422 and response.json
    assert bool(response.json["errors"]) == (wrong == "text")
    assert list(response.json["fields"]) == ([] if wrong == "text" else [wrong])
    with_gap = {"text": "one", "more3": "x" * 283, "key": KEY}
    response = ann.post("/statuses", data=with_gap, headers=JSON)
    assert response.json and list(response.json["fields"]) == ["more3"]
    assert ann.post("/statuses", data=THREAD).status_code == 303
    assert len(chain(web.app)) == 3


def test_a_thread_is_finished_after_a_failure_at_any_trip(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, send = web.member("ann"), Db.trip_with_errors
    ann.post("/drafts", data=THREAD)
    for limit in range(1, 40):
        trips = iter(range(limit))

        def answer(self: Db, commands: object, trips: object = trips) -> list[object]:
            if next(trips, None) is None:  # type: ignore[call-overload]
                raise Unavailable("store_down")
            return send(self, commands)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(Db, "trip_with_errors", answer)
            response = ann.post("/statuses", data=THREAD)
        if response.status_code == 303:
            break
        assert len(chain(web.app)) in (0, 3)
        assert len(chain(web.app)) == 3 or "three" in page_text(ann.get(f"/drafts/{KEY}"))
    assert response.status_code == 303
    assert chain(web.app) == [("one", ""), ("two", "one"), ("three", "two")]
    assert "No drafts yet" in page_text(ann.get("/drafts"))


def test_a_thread_is_posted_whole_or_refused_by_the_rate_limit(settings: Config) -> None:
    with serving(replace(settings, limit_post=Rate(4, 3600))) as app:
        ann = join(app, "ann")
        ann.post("/statuses", data={"text": "zero", "key": "abcdefgh-0"})
        refused = ann.post("/statuses", data={**THREAD, "more3": "four"})
        assert refused.status_code == 429 and "Retry-After" in refused.headers
        assert [composer_text(refused), *parts(refused)] == ["one", "two", "three", "four"]
        script = ann.post("/statuses", data={**THREAD, "more3": "four"}, headers=JSON)
        assert script.status_code == 429 and script.json and script.json["errors"]
        assert chain(app) == [("zero", "")]
        assert ann.post("/statuses", data=THREAD).status_code == 303
        assert chain(app)[1:] == [("one", ""), ("two", "one"), ("three", "two")]


def test_a_thread_longer_than_the_rate_limit_takes_all_of_it(settings: Config) -> None:
    with serving(replace(settings, limit_post=Rate(2, 3600))) as app:
        ann = join(app, "ann")
        assert ann.post("/statuses", data=THREAD).status_code == 303
        assert len(chain(app)) == 3
        again = {"text": "four", "key": "abcdefgh-2"}
        assert ann.post("/statuses", data=again).status_code == 429


def test_a_thread_for_mentioned_people_is_for_them_as_a_whole(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    form = {**THREAD, "text": "@ben the address", "visibility": "mentioned"}
    assert ann.post("/statuses", data=form).status_code == 303
    page = ann.get("/@ann").text
    ids = sorted(set(re.findall(r'id="status-(\d+)"', page)))
    assert len(ids) == 3
    for status_id in ids:
        assert ben.get(f"/@ann/{status_id}").status_code == 200
        assert web.app.test_client().get(f"/@ann/{status_id}").status_code == 404


def test_a_scheduled_draft_is_gone_once_it_is_posted_as_a_thread(web: Web) -> None:
    ann = web.member("ann")
    ann.post("/statuses", data={"text": "old", "key": KEY, "at": tomorrow()})
    assert "old" in page_text(ann.get("/scheduled"))
    ann.post("/statuses", data=SHOWN)
    assert "No scheduled posts" in page_text(ann.get("/scheduled"))
    assert len(chain(web.app)) == 3


def test_a_thread_that_is_sent_many_times_at_once_is_one(ann: FlaskClient, web: Web) -> None:
    cookie = ann.get_cookie("linnet")
    assert cookie

    def send(_: int) -> int:
        client = web.app.test_client()
        client.set_cookie("linnet", cookie.value)
        return client.post("/statuses", data=THREAD).status_code

    assert set(at_once(8, send, range(20))) == {303}
    assert chain(web.app) == [("one", ""), ("two", "one"), ("three", "two")]


def test_another_field_comes_without_a_script_and_nothing_is_lost(web: Web) -> None:
    ann = web.member("ann")
    fields = {"text": "one", "cw": "numbers", "key": KEY, "another": "1"}
    answer = post(ann, (photo(), "a red sky"), path="/drafts", **fields)
    assert answer.location == f"/drafts/{KEY}?another=1"
    page = ann.get(answer.location)
    assert composer_text(page) == "one" and parts(page) == [""]
    assert 'value="numbers"' in page.text and "a red sky" in page.text
    assert page.text.count("autofocus") == 1
    ann.post("/drafts", data={**fields, "more1": "two"})
    assert parts(ann.get(f"/drafts/{KEY}?another=1")) == ["two", ""]
    assert parts(ann.get(f"/drafts/{KEY}")) == ["two"]
    full = {name: name for name in FIELD_NAMES}
    ann.post("/drafts", data={**fields, **full})
    page = ann.get(f"/drafts/{KEY}?another=1")
    assert parts(page) == list(FIELD_NAMES) and 'name="another"' not in page.text
    assert chain(web.app) == []


def test_the_first_post_has_the_pictures_of_the_draft(ann: FlaskClient, web: Web) -> None:
    post(ann, (photo(), "a red sky"), path="/drafts", **THREAD)
    token = re.search(r'name="stored" value="([^"]+)"', ann.get(f"/drafts/{KEY}").text)
    assert token
    ann.post("/statuses", data={**THREAD, "stored": token[1], "alt": "a red sky"})
    assert [alt for *_, alt in pictures_on(ann.get("/@ann"))] == ["a red sky"]
    assert "No drafts yet" in page_text(ann.get("/drafts"))
    assert len(chain(web.app)) == 3 and files(web.config)


def test_a_thread_is_kept_and_scheduled_and_opened_again(ann: FlaskClient, web: Web) -> None:
    fields = {**THREAD, "cw": "numbers", "place": "Hedge", "visibility": "followers"}
    assert "Draft saved." in page_text(ann.post("/drafts", data=fields, follow_redirects=True))
    assert "Thread · 3 posts" in page_text(ann.get("/drafts"))
    form = fields | {"at": tomorrow()}
    scheduled = ann.post("/statuses", data=form, follow_redirects=True)
    assert "Thread scheduled." in page_text(scheduled)
    assert "Thread · 3 posts" in page_text(scheduled)
    page = ann.get(f"/drafts/{KEY}")
    assert [composer_text(page), *parts(page)] == ["one", "two", "three"]
    assert field_value(page, "cw") == "numbers" and field_value(page, "at") == form["at"]
    assert '<option selected value="followers">' in page.text
    ann.post("/statuses", data=form | {"more2": ""})
    assert "Thread · 2 posts" in page_text(ann.get("/scheduled"))
    ann.post("/drafts", data={"text": "one", "key": KEY})
    assert "Thread ·" not in page_text(ann.get("/drafts")) and chain(web.app) == []


def test_a_wrong_post_of_a_thread_is_not_scheduled(ann: FlaskClient) -> None:
    form = {**THREAD, "more2": "x" * 281, "at": tomorrow()}
    refused = ann.post("/statuses", data=form)
    assert refused.status_code == 422 and "more2-error" in refused.text
    assert parts(refused) == ["two", "x" * 281] and field_value(refused, "at") == form["at"]
    assert "No scheduled posts" in page_text(ann.get("/scheduled"))


def test_an_unfinished_thread_is_not_posted_and_keeps_its_time(web: Web) -> None:
    ann, db, at = web.member("ann"), web.db, tomorrow()
    form = {**THREAD, "more2": "", "at": at}
    ann.post("/statuses", data=form)
    page = ann.get(f"/drafts/{KEY}")
    assert "<h1>Scheduled thread</h1>" in page.text and "This isn’t scheduled." not in page.text
    for _ in range(2):
        page = ann.get(ann.post("/drafts", data={**form, "draft": KEY, "another": "1"}).location)
        assert parts(page) == ["two", ""] and field_value(page, "at") == at
        assert "This isn’t scheduled." in page_text(page)
    assert "No scheduled posts" in page_text(ann.get("/scheduled"))
    db.run(("ZADD", draft_keys.scheduled_posts(partition_of(1)), "XX", 1, f"1:{KEY}"))
    worker.publish_due(Site(db, web.config))
    assert chain(web.app) == []
    ann.post("/statuses", data=THREAD)
    assert chain(web.app) == [("one", ""), ("two", "one"), ("three", "two")]


@pytest.mark.parametrize("button", [{}, {"another": "1"}])
def test_a_time_that_was_changed_is_kept_without_a_script(web: Web, button: dict[str, str]) -> None:
    ann, at = web.member("ann"), tomorrow()
    ann.post("/statuses", data={**THREAD, "at": at})
    changed = {**SHOWN, "at": "2030-05-06T07:08", "offset": "-480", **button}
    ann.post("/drafts", data=changed)
    page = ann.get(f"/drafts/{KEY}")
    assert field_value(page, "at") == "2030-05-05T23:08" and not field_value(page, "offset")
    assert "<h1>Draft</h1>" in page.text and "This isn’t scheduled." in page_text(page)
    refused = ann.post("/drafts", data={**changed, "text": " "})
    assert refused.status_code == 422
    assert field_value(refused, "at") == changed["at"]
    assert field_value(refused, "offset") == "-480"
    ann.post("/drafts", data={**SHOWN, "at": "tomorrow", **button})
    assert field_value(ann.get(f"/drafts/{KEY}"), "at") == "tomorrow"
    ann.post("/statuses", data={**THREAD, "at": at})
    assert field_value(ann.get(f"/drafts/{KEY}"), "at") == at
    assert "This isn’t scheduled." not in page_text(ann.get(f"/drafts/{KEY}"))


def test_a_reply_may_be_a_thread(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    answer = ben.post("/statuses", data={"text": "hello"}, headers=JSON)
    assert answer.json
    ann.post("/statuses", data={**THREAD, "reply": answer.json["ids"], "visibility": "followers"})
    page = page_text(ann.get("/@ann/replies"))
    assert all(text in page for text in ("one", "two", "three"))
    assert "three" not in page_text(web.app.test_client().get("/@ann/replies"))


@pytest.mark.parametrize("is_posted", [True, False])
def test_a_form_that_comes_back_has_its_pictures_and_posts_once(
    ann: FlaskClient, web: Web, monkeypatch: pytest.MonkeyPatch, is_posted: bool
) -> None:
    send = store.post_thread

    def fail(*args: Any, **options: Any) -> int:
        if is_posted:
            send(*args, **options)
        raise Unavailable("store_down")

    with monkeypatch.context() as patch:
        patch.setattr(store, "post_thread", fail)
        refused = post(ann, (photo(), "a red sky"), **THREAD)
    assert refused.status_code == 503 and len(chain(web.app)) == 3 * is_posted
    token = re.search(r'name="stored" value="([^"]+)"', refused.text)
    assert token and "Please choose them again" not in page_text(refused)
    again = {**THREAD, "stored": unescape(token[1]), "alt": "a red sky"}
    assert ann.post("/statuses", data=again).status_code == 303
    assert [alt for *_, alt in pictures_on(ann.get("/@ann"))] == ["a red sky"]
    assert len(chain(web.app)) == 3


def test_a_scheduled_thread_is_named_in_chinese(web: Web) -> None:
    ann, chinese = web.member("ann"), {"Accept-Language": "zh-CN"}
    form = {**THREAD, "at": tomorrow()}
    answer = ann.post("/statuses", data=form, headers=chinese)
    assert "连续动态已设为定时发布。" in ann.get(answer.location, headers=chinese).text
    assert "<h1>定时连续动态</h1>" in ann.get(f"/drafts/{KEY}", headers=chinese).text
