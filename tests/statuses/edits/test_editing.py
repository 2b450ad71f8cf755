"""Editing a status: who may, for how long and how often, what races do, and that its history tells everything."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html import unescape
from typing import Any

import orjson
import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.following.test_blocks import Dying, Killed
from tests.statuses.test_content_warnings import warned
from tests.statuses.test_views import kept, value
from tests.support import worker
from tests.system.test_pages import check_error, serving
from webapp.accounts import lifecycle, registration
from webapp.config import Config, Rate
from webapp.core.store.client import Db
from webapp.core.store.ids import EPOCH_MS
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, NotFound, Refused
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing
from webapp.streaming import keys as stream_keys
from webapp.streaming.log.entries import parse_entries
from webapp.streaming.log.messages import Message
from webapp.streaming.log.translation import translate

People = Callable[..., list[int]]
Settle = Callable[[], None]
Member = Callable[[str], FlaskClient]


def write(db: Db, config: Config, uid: int, text: str = "first", cw: str = "") -> int:
    return statuses.post(db, config, uid, parse(text), f"form-{text}-{cw}", cw=cw)


def edit(
    db: Db,
    config: Config,
    uid: int,
    status_id: int,
    text: str,
    cw: str = "",
    version: int | None = None,
) -> bool:
    """Edits a status as it is now, or as it was at a version."""
    base = statuses.get(db, status_id).version if version is None else version
    return editing.edit(db, config, uid, status_id, parse(text), cw, str(base))


def told(db: Db, status_id: int, viewer: int | None = None) -> list[tuple[str, str]]:
    """All that a status ever said, as a viewer is shown it, the newest first."""
    return [
        (version.text, version.cw) for version in editing.history(db, status_id, viewer).versions
    ]


def age(db: Db, uid: int, minutes: float) -> int:
    """A status of that age."""
    now = int(db.run(("TIME",))[0]) * 1000
    status_id = (int(now - minutes * 60_000 - EPOCH_MS) << 12) + uid % 64
    db.trip(
        ("HSET", status_keys.status(status_id), "author", uid, "text", "old", "entities", "[]"),
        ("ZADD", status_keys.profile_statuses(uid), status_id, status_id),
    )
    return status_id


def test_an_edit_changes_text_entities_language_and_warning_and_keeps_what_was(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    (ann,) = people("ann")
    one = write(db, config, ann, "the wren sings in the early morning", "birds")
    assert statuses.get(db, one).edited is None
    assert edit(db, config, ann, one, "#wren 在清晨的树上唱歌")
    now = statuses.get(db, one)
    assert (now.text, now.cw, now.lang) == ("#wren 在清晨的树上唱歌", "", "zh")
    assert [entity.kind for entity in now.entities] == ["hashtag"]
    assert now.edited and now.edited >= now.created
    assert edit(db, config, ann, one, "third", "loud")
    history = editing.history(db, one)
    assert told(db, one) == [
        ("third", "loud"),
        ("#wren 在清晨的树上唱歌", ""),
        ("the wren sings in the early morning", "birds"),
    ]
    assert [entity.kind for entity in history.versions[1].entities] == ["hashtag"]
    times = [version.created_at for version in history.versions]
    assert (
        times == sorted(times, reverse=True) and times[-1] == now.created and times[1] == now.edited
    )
    settle()


def test_what_changes_nothing_is_no_edit_whichever_version_it_was_written_on(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    one = write(db, config, ann, "first", "loud")
    for version in (0, 17):
        assert not edit(db, config, ann, one, " first\n", "loud", version=version)
    assert statuses.get(db, one).edited is None and told(db, one) == [("first", "loud")]
    assert edit(db, config, ann, one, "first", "louder") and edit(
        db, config, ann, one, "second", "louder", None
    )
    assert not edit(db, config, ann, one, "second", "louder", version=0)  # as when it is sent twice


def test_only_the_author_edits_and_only_for_an_hour_and_not_too_often(
    db: Db, config: Config, people: People
) -> None:
    config = replace(config, edits_max=3)
    uids = people(*(f"bird{number}" for number in range(65)))
    ann, ben, beside = uids[0], uids[1], uids[64]
    assert ann % 64 == beside % 64
    one = write(db, config, ann)
    for stranger in (ben, beside):
        with pytest.raises(Forbidden, match="not_yours"):
            edit(db, config, stranger, one, "mine")
    with pytest.raises(NotFound):
        editing.edit(db, config, ann, one + 64, parse("x"), "", "0")
    with pytest.raises(NotFound):
        editing.edit(db, config, ann, one + 1, parse("x"), "", "0")
    for minutes in (60.1, 10_000):
        with pytest.raises(Conflict, match="edit_late"):
            edit(db, config, ann, age(db, ann, minutes), "new")
    assert edit(db, config, ann, age(db, ann, 59), "new")
    for number in range(3):
        assert edit(db, config, ann, one, f"edit {number}")
    with pytest.raises(Conflict, match="edits_full"):
        edit(db, config, ann, one, "once more")
    assert told(db, one) == [("edit 2", ""), ("edit 1", ""), ("edit 0", ""), ("first", "")]


def test_who_is_suspended_edits_nothing(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    (ann,) = people("ann")
    one = write(db, config, ann)
    lifecycle.suspend(db, config, ann)
    settle()
    with pytest.raises(Forbidden, match="suspended"):
        editing.edit(db, config, ann, one, parse("x"), "", "0")
    with pytest.raises(Forbidden, match="suspended"):
        editing.history(db, one)


def test_of_twenty_edits_at_once_of_one_version_one_wins(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    (ann,) = people("ann")
    one = write(db, config, ann)

    def race(number: int) -> str:
        try:
            return str(edit(db, config, ann, one, f"edit {number}", version=0))
        except Conflict as refusal:
            return refusal.code

    with ThreadPoolExecutor(20) as pool:
        results = list(pool.map(race, range(20)))
    assert sorted(results) == ["True"] + ["edited_meanwhile"] * 19
    assert told(db, one) == [(f"edit {results.index('True')}", ""), ("first", "")]
    settle()


def test_an_edit_and_a_deletion_at_once_leave_nothing(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    (ann,) = people("ann")
    for number in range(10):
        one = write(db, config, ann, f"text {number}")
        edit(db, config, ann, one, "before")

        def revise(text: str, one: int = one) -> None:
            try:
                edit(db, config, ann, one, text)
            except Refused as refusal:
                assert refusal.code in ("no_status", "edited_meanwhile")

        with ThreadPoolExecutor(8) as pool:
            edits = [pool.submit(revise, f"edit {turn}") for turn in range(7)]
            pool.submit(statuses.delete, db, config, ann, one).result()
            [done.result() for done in edits]
        settle()
        assert not db.run(("EXISTS", status_keys.status(one))) and not db.run(
            ("EXISTS", status_keys.status_versions(one))
        )


def test_the_end_of_an_account_takes_the_versions_along(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    (ann,) = people("ann")
    one = write(db, config, ann)
    edit(db, config, ann, one, "second")
    lifecycle.delete_account(db, config, ann, None)
    with pytest.raises(NotFound):
        editing.history(db, one)
    settle()
    assert not db.run(("EXISTS", status_keys.status_versions(one)))


def test_streams_are_told_of_an_edit_once_even_when_a_worker_dies(
    settings: Config, server: str
) -> None:
    app = serving(settings)
    with app as site:
        db: Db = site.extensions["linnet.db"]
        ann = people_of(db, settings, "ann")
        one = write(db, settings, ann, "first", "loud")
        worker.drain(db, settings)
        edit(db, settings, ann, one, "second @ann")
        for calls in range(1, 12):
            try:
                worker.drain(Dying(db, calls), settings)  # type: ignore[arg-type]
                break
            except Killed:
                continue
        worker.drain(db, settings)
        entries = parse_entries(db.run(("XRANGE", stream_keys.event_log(), "-", "+")))
        assert [entry.event["type"] for entry in entries].count("revised") == 1
        (edited,) = [part for part in translate(db, entries, "") if part.kind == "edit"]
        assert isinstance(edited, Message) and edited.status_id == one and edited.author == ann
        body: Any = orjson.loads(edited.body)["edit"]
        assert (body["status"]["id"], body["status"]["text"], body["status"]["spoiler_text"]) == (
            one,
            "second @ann",
            "",
        )
        assert [name["screen_name"] for name in body["status"]["entities"]["user_mentions"]] == [
            "ann"
        ]
        assert body["timestamp_ms"] == str(statuses.get(db, one).version)
        assert not edited.deliverable_to({ann: float("inf")}) and edited.deliverable_to(
            {ann + 1: float("inf")}
        )


def people_of(db: Db, config: Config, login: str) -> int:

    return registration.sign_up(db, config, login, login.title(), PASSWORD).uid


def posted(ann: FlaskClient, text: str = "first", **given: str) -> str:
    """The address of a status that was just posted."""
    assert ann.post("/statuses", data={"text": text, **given}).status_code == 303
    return re.findall(r'class="status-time" href="([^"]+)"', ann.get("/home").text)[0]


def said(page: str) -> list[str]:
    """What the statuses of a page say."""
    return [
        unescape(re.sub(r"<[^>]+>", "", one))
        for one in re.findall(r'class="status-body"[^>]*>(.*?)</p>', page, re.S)
    ]


def test_a_member_edits_a_post_and_everybody_sees_it_everywhere_with_what_it_said_before(
    member: Member, client: FlaskClient
) -> None:
    ann, ben = member("ann"), member("ben")
    ben.post("/@ann/follow")
    path = posted(ann, cw="birds")
    number = path.rpartition("/")[2]
    everywhere = [
        "/public",
        "/@ann",
        path,
        f"{path}/history",
        f"/statuses?ids={number}",
        "/public.atom",
        "/@ann/feed.atom",
    ]
    for page in everywhere:  # so that all of them are kept
        assert "first" in client.get(page).text or page.endswith(".atom")
    assert f'href="{path}/edit"' in ann.get(path).text and "status-edited" not in ann.get(path).text
    form = ann.get(f"{path}/edit")
    assert (kept(form), value(form, "cw"), value(form, "version")) == ("first", "birds", "0")
    answer = ann.post(f"{path}/edit", data={"text": "second", "cw": " loud ", "version": "0"})
    assert (answer.status_code, answer.location) == (303, path)
    assert "Post saved." in ann.get(path).text
    for page in everywhere[:3] + everywhere[4:5]:
        text = client.get(page).text
        assert said(text) == ["second"] and warned(text) == [("loud", True)], page
        assert f'<a href="{path}/history">' in text
    for page in everywhere[5:]:
        assert "loud" in client.get(page).text and "birds" not in client.get(page).text
    assert said(ben.get("/home").text) == ["second"]
    history = client.get(f"{path}/history").text
    assert said(history) == ["second", "first"] and warned(history) == [
        ("loud", True),
        ("birds", True),
    ]
    assert (
        ann.post(f"{path}/edit", data={"text": "second", "cw": "loud", "version": "0"}).location
        == path
    )
    assert said(client.get(f"{path}/history").text) == ["second", "first"]


def test_an_edit_of_an_older_version_comes_back_beside_what_was_saved_meanwhile(
    member: Member,
) -> None:
    ann = member("ann")
    path = posted(ann)
    for text in ("second", "third"):
        answer = ann.post(f"{path}/edit", data={"text": text, "version": "0"})
    assert answer.status_code == 409 and "You changed this post in the meantime." in answer.text
    assert kept(answer) == "third" and said(answer.text) == ["second"]
    assert said(ann.get(path).text) == ["second"]
    again = {"text": kept(answer), "version": value(answer, "version")}
    assert ann.post(f"{path}/edit", data=again).status_code == 303
    assert said(ann.get(f"{path}/history").text) == ["third", "second", "first"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"text": ""}, "Write something first."),
        ({"text": "x" * 281}, "That’s 1 character too long."),
        ({"text": "a\0b"}, "can’t be posted"),
        ({"text": "fine", "cw": "x" * 101}, "the limit is 100"),
        ({}, "Write something first."),
    ],
)
def test_what_may_not_be_posted_may_not_be_edited_in(
    given: dict[str, str], words: str, member: Member
) -> None:
    ann = member("ann")
    path = posted(ann)
    answer = ann.post(f"{path}/edit", data={"version": "0", **given})
    assert answer.status_code == 422 and words in answer.text
    assert kept(answer) == given.get("text", "")
    assert said(ann.get(path).text) == ["first"]


@pytest.mark.parametrize("version", ["", "x", "-1", "9" * 400, "1.5", "\0"])
def test_a_version_that_is_none_edits_nothing_that_was_edited(version: str, member: Member) -> None:
    ann = member("ann")
    path = posted(ann)
    ann.post(f"{path}/edit", data={"text": "second", "version": "0"})
    assert ann.post(f"{path}/edit", data={"text": "third", "version": version}).status_code == 409
    assert said(ann.get(path).text) == ["second"]


def test_nobody_edits_what_is_not_theirs_or_not_there(
    app: Flask, member: Member, client: FlaskClient
) -> None:
    ann, ben = member("ann"), member("ben")
    path = posted(ann)
    assert client.get(f"{path}/edit").location.startswith("/login")
    for answer in (
        ben.get(f"{path}/edit"),
        ben.post(f"{path}/edit", data={"text": "mine", "version": "0"}),
    ):
        check_error(answer, 403)
    for other in (path.replace("ann", "ben"), path + "4096", "/@ann/x", "/@ann/0"):
        check_error(ann.get(f"{other}/edit"), 404)
        check_error(ann.post(f"{other}/edit", data={"text": "mine", "version": "0"}), 404)
        check_error(client.get(f"{other}/history"), 404)
    assert said(client.get(path).text) == ["first"] and "/edit" not in ben.get(path).text
    assert client.get(f"{path.replace('ann', 'ANN')}/history").location == f"{path}/history"
    ann.post(f"/statuses/{path.rpartition('/')[2]}/delete")
    check_error(client.get(f"{path}/history"), 404)
    check_error(ann.get(f"{path}/edit"), 404)


def test_who_is_blocked_reads_no_history(member: Member) -> None:
    ann, ben = member("ann"), member("ben")
    path = posted(ann)
    assert said(ben.get(f"{path}/history").text) == ["first"]
    ann.post("/@ben/block")
    check_error(ben.get(f"{path}/history"), 403)


def test_an_edit_brings_the_hashtags_up_to_date(member: Member, client: FlaskClient) -> None:
    ann = member("ann")
    path = posted(ann, "a #wren #robin")
    for tag in ("wren", "robin", "dunnock"):
        client.get(f"/tags/{tag}")  # so that it is kept
    ann.post(f"{path}/edit", data={"text": "a #robin #dunnock", "version": "0"})
    for tag, here in (
        ("wren", []),
        ("robin", ["a #robin #dunnock"]),
        ("dunnock", ["a #robin #dunnock"]),
    ):
        assert said(client.get(f"/tags/{tag}").text) == here


def test_an_old_post_offers_no_edit(app: Flask, member: Member) -> None:
    ann = member("ann")
    path = f"/@ann/{age(app.extensions['linnet.db'], 1, 61)}"
    assert "Delete post" in ann.get(path).text and f"{path}/edit" not in ann.get(path).text
    check_error(ann.get(f"{path}/edit"), 409)
    answer = ann.post(f"{path}/edit", data={"text": "new", "version": "0"})
    assert (
        answer.status_code == 409
        and "The time to edit this post is over." in answer.text
        and kept(answer) == "new"
    )


def test_edits_are_limited_and_what_was_written_stays(settings: Config) -> None:
    with serving(replace(settings, limit_post=Rate(2, 3600))) as app:
        ann = app.test_client()
        ann.post("/signup", data={"login": "ann", "name": "Ann", "password": PASSWORD})
        path = posted(ann)
        for text in ("second", "third", "fourth"):
            answer = ann.post(
                f"{path}/edit",
                data={"text": text, "version": value(ann.get(f"{path}/edit"), "version")},
            )
        assert answer.status_code == 429 and kept(answer) == "fourth"
        assert said(ann.get(path).text) == ["third"]


def test_a_history_takes_three_trips_and_a_form_two(app: Flask, member: Member) -> None:
    ann, db = member("ann"), app.extensions["linnet.db"]
    path = posted(ann)
    for text in ("second", "third"):
        ann.post(
            f"{path}/edit",
            data={"text": text, "version": value(ann.get(f"{path}/edit"), "version")},
        )
    for page, most in (("history", 4), ("edit", 3)):  # one of them asks who is asking
        before = db.trips
        ann.get(f"{path}/{page}")
        assert db.trips - before == most


def test_who_is_named_in_an_edit_is_told_once(member: Member) -> None:
    ann, ben = member("ann"), member("ben")
    path = posted(ann)
    for version, text in enumerate(("hello @ben", "hello again @ben")):
        form = ann.get(f"{path}/edit")
        assert (
            ann.post(
                f"{path}/edit", data={"text": text, "version": value(form, "version")}
            ).status_code
            == 303
        ), version
    page = ben.get("/notifications").text
    assert page.count("hello again @ben") == 1 and page.count("hello @ben") == 0
