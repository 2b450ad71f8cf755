"""Editing statuses: permissions, limits, races, the history, and what streams are sent."""

from dataclasses import replace
from functools import partial
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.concurrently import concurrently, together
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.pages import check_error, serving
from tests.support.settings import with_settings
from tests.support.statuses.edits import post_status, status_texts, version_bodies, version_texts
from tests.support.statuses.forms import composer_text, field_value, warnings
from tests.support.world import Web, World, post
from webapp.accounts import registration
from webapp.config import Config, Rate
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.store import Db, Site
from webapp.core.store.ids import EPOCH_MS
from webapp.core.text.parser import parse
from webapp.statuses import keys as status_keys, store as statuses
from webapp.statuses.edits import editing, keys as edit_keys
from webapp.streaming import keys as stream_keys
from webapp.streaming.log.entries import parse_entries
from webapp.streaming.log.messages import Message
from webapp.streaming.translation.translate import translate


def edit(
    site: Site, uid: int, status_id: int, text: str, cw: str = "", version: int | None = None
) -> bool:
    """Edit a status, based on its current version or on the given one."""
    base = statuses.get(site.db, status_id).version if version is None else version
    return editing.edit(site, uid, status_id, parse(text), cw, str(base))


def post_aged(db: Db, uid: int, minutes: float) -> int:
    """Store a status of this age and return its id."""
    now = int(db.run(("TIME",))[0]) * 1000
    status_id = (int(now - minutes * 60_000 - EPOCH_MS) << 12) + uid % 64
    db.trip(
        ("HSET", status_keys.status(status_id), "author", uid, "text", "old", "entities", "[]"),
        ("ZADD", status_keys.profile_statuses(uid), status_id, status_id),
    )
    return status_id


def test_an_edit_changes_all_text_fields_and_the_history_keeps_old_versions(world: World) -> None:
    (ann,) = world.people("ann")
    status_id = post(world, ann, "the wren sings in the early morning", cw="birds")
    assert world.status(status_id).edited is None
    assert edit(world, ann, status_id, "#wren 在清晨的树上唱歌")
    status = world.status(status_id)
    assert (status.text, status.cw, status.lang) == ("#wren 在清晨的树上唱歌", "", "zh")
    assert [entity.kind for entity in status.entities] == ["hashtag"]
    assert status.edited and status.edited >= status.created
    assert edit(world, ann, status_id, "third", "loud")
    history = editing.history(world.db, status_id)
    assert version_texts(world.db, status_id) == [
        ("third", "loud"),
        ("#wren 在清晨的树上唱歌", ""),
        ("the wren sings in the early morning", "birds"),
    ]
    assert [entity.kind for entity in history.versions[1].entities] == ["hashtag"]
    times = [version.created_at for version in history.versions]
    assert times == sorted(times, reverse=True)
    assert times[-1] == status.created
    assert times[1] == status.edited
    world.apply_events()


def test_an_unchanged_text_creates_no_version(world: World) -> None:
    (ann,) = world.people("ann")
    status_id = post(world, ann, "first", cw="loud")
    for version in (0, 17):
        assert not edit(world, ann, status_id, " first\n", "loud", version=version)
    assert world.status(status_id).edited is None
    assert version_texts(world.db, status_id) == [("first", "loud")]
    assert edit(world, ann, status_id, "first", "louder")
    assert edit(world, ann, status_id, "second", "louder", None)
    # The same form sent twice is based on an outdated version.
    assert not edit(world, ann, status_id, "second", "louder", version=0)


def test_edits_are_limited_to_the_author_an_hour_and_a_number(world: World) -> None:
    world = with_settings(world, edits_max=3)
    uids = world.crowd(65)
    ann, ben, same_partition = uids[0], uids[1], uids[64]
    assert ann % 64 == same_partition % 64
    status_id = post(world, ann, "first")
    for stranger in (ben, same_partition):
        world.refuses(Forbidden, edit, stranger, status_id, "mine", match="not_yours")
    world.refuses(NotFound, editing.edit, ann, status_id + 64, parse("x"), "", "0")
    world.refuses(NotFound, editing.edit, ann, status_id + 1, parse("x"), "", "0")
    for minutes in (60.1, 10_000):
        world.refuses(
            Conflict, edit, ann, post_aged(world.db, ann, minutes), "new", match="edit_late"
        )
    assert edit(world, ann, post_aged(world.db, ann, 59), "new")
    for number in range(3):
        assert edit(world, ann, status_id, f"edit {number}")
    world.refuses(Conflict, edit, ann, status_id, "once more", match="edits_full")
    expected = [("edit 2", ""), ("edit 1", ""), ("edit 0", ""), ("first", "")]
    assert version_texts(world.db, status_id) == expected


def test_a_suspended_author_cannot_edit(world: World) -> None:
    (ann,) = world.people("ann")
    status_id = post(world, ann, "first")
    world.do(World.suspend, ann)
    world.refuses(Forbidden, editing.edit, ann, status_id, parse("x"), "", "0", match="suspended")
    with pytest.raises(Forbidden, match="suspended"):
        editing.history(world.db, status_id)


def test_one_of_twenty_concurrent_edits_wins(world: World) -> None:
    (ann,) = world.people("ann")
    status_id = post(world, ann, "first")
    results = concurrently(lambda n: edit(world, ann, status_id, f"edit {n}", version=0), 20)
    assert results.count("edited_meanwhile") == 19
    newest = f"edit {results.index(True)}"
    assert version_texts(world.db, status_id) == [(newest, ""), ("first", "")]
    world.apply_events()


def test_concurrent_edits_and_deletion_leave_no_keys(world: World) -> None:
    (ann,) = world.people("ann")
    for number in range(10):
        status_id = post(world, ann, f"text {number}")
        edit(world, ann, status_id, "before")
        edits = [partial(edit, world, ann, status_id, f"edit {turn}") for turn in range(7)]
        *results, _ = together([*edits, partial(world.delete, ann, status_id)])
        assert {*results} <= {True, "no_status", "edited_meanwhile"}
        world.apply_events()
        assert not world.db.run(("EXISTS", status_keys.status(status_id)))
        assert not world.db.run(("EXISTS", edit_keys.status_versions(status_id)))


def test_streams_send_an_edit_once_although_a_worker_dies(settings: Config, server: str) -> None:
    settings = replace(settings, attempts_max=20)  # more often than the worker dies
    app = serving(settings)
    with app as site:
        db: Db = site.extensions["linnet.db"]
        ann = sign_up(Site(db, settings), "ann")
        status_id = post(Site(db, settings), ann, "first", cw="loud")
        worker.drain(Site(db, settings))
        edit(Site(db, settings), ann, status_id, "second @ann")
        for calls in range(1, 12):
            try:
                worker.drain(Site(CrashingDb(db, calls), settings))  # type: ignore[arg-type]
                break
            except Crashed:
                continue
        worker.drain(Site(db, settings))
        entries = parse_entries(db.run(("XRANGE", stream_keys.event_log(), "-", "+")))
        assert [entry.event["type"] for entry in entries].count("edited") == 1
        (edited,) = [part for part in translate(db, entries, "") if part.kind == "edit"]
        assert isinstance(edited, Message)
        assert edited.status_id == status_id
        assert edited.author == ann
        body: Any = orjson.loads(edited.body)["edit"]
        found = (body["status"]["id"], body["status"]["text"], body["status"]["spoiler_text"])
        assert found == (status_id, "second @ann", "")
        found = [name["screen_name"] for name in body["status"]["entities"]["user_mentions"]]
        assert found == ["ann"]
        assert body["timestamp_ms"] == str(statuses.get(db, status_id).version)
        assert not edited.deliverable_to({ann: float("inf")})
        assert edited.deliverable_to({ann + 1: float("inf")})


def sign_up(site: Site, login: str) -> int:
    return registration.sign_up(site, login, login.title(), PASSWORD).uid


def test_an_edit_appears_on_every_page_and_in_the_history(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    ben.post("/@ann/follow")
    path = post_status(ann, cw="birds")
    number = path.rpartition("/")[2]
    paths = [
        "/public",
        "/@ann",
        path,
        f"{path}/history",
        f"/statuses?ids={number}",
        "/public.atom",
        "/@ann/feed.atom",
    ]
    for page in paths:  # puts them into the page cache
        assert "first" in web.client.get(page).text or page.endswith(".atom")
    assert f'href="{path}/edit"' in ann.get(f"{path}/menu").text
    assert "status-edited" not in ann.get(path).text
    form = ann.get(f"{path}/edit")
    expected = ("first", "birds", "0")
    assert (composer_text(form), field_value(form, "cw"), field_value(form, "version")) == expected
    response = ann.post(f"{path}/edit", data={"text": "second", "cw": " loud ", "version": "0"})
    assert (response.status_code, response.location) == (303, path)
    assert "Post saved." in ann.get(path).text
    for page in paths[:3] + paths[4:5]:
        text = web.client.get(page).text
        assert status_texts(text) == ["second"], page
        assert warnings(text) == [("loud", True)], page
        assert f'<a href="{path}/history">' in text
    for page in paths[5:]:
        assert "loud" in web.client.get(page).text
        assert "birds" not in web.client.get(page).text
    assert status_texts(ben.get("/home").text) == ["second"]
    history = web.client.get(f"{path}/history").text
    assert version_bodies(history) == ["second", "first"]
    assert "<del>" in history and "<ins>" in history
    assert [hides for _, hides in warnings(history)] == [True, True]
    found = ann.post(f"{path}/edit", data={"text": "second", "cw": "loud", "version": "0"}).location
    assert found == path
    assert version_bodies(web.client.get(f"{path}/history").text) == ["second", "first"]


def test_an_edit_of_an_outdated_version_shows_both_texts(ann: FlaskClient) -> None:
    path = post_status(ann)
    for text in ("second", "third"):
        response = ann.post(f"{path}/edit", data={"text": text, "version": "0"})
    assert response.status_code == 409
    assert "You’ve edited this post in the meantime." in response.text
    assert composer_text(response) == "third"
    assert status_texts(response.text) == ["second"]
    assert status_texts(ann.get(path).text) == ["second"]
    again = {"text": composer_text(response), "version": field_value(response, "version")}
    assert ann.post(f"{path}/edit", data=again).status_code == 303
    assert version_bodies(ann.get(f"{path}/history").text) == ["third", "second", "first"]


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"text": ""}, "Write something first."),
        ({"text": "x" * 281}, "That’s 1 character too long."),
        ({"text": "a\0b"}, "can’t be posted"),
        ({"text": "fine", "cw": "x" * 101}, "The limit is 100"),
        ({}, "Write something first."),
    ],
)
def test_an_invalid_edit_comes_back_with_its_text(
    form: dict[str, str], words: str, ann: FlaskClient
) -> None:
    path = post_status(ann)
    response = ann.post(f"{path}/edit", data={"version": "0", **form})
    assert response.status_code == 422 and words in response.text
    assert composer_text(response) == form.get("text", "")
    assert status_texts(ann.get(path).text) == ["first"]


@pytest.mark.parametrize("version", ["", "x", "-1", "9" * 400, "1.5", "\0"])
def test_an_invalid_version_conflicts_with_an_edited_post(version: str, ann: FlaskClient) -> None:
    path = post_status(ann)
    ann.post(f"{path}/edit", data={"text": "second", "version": "0"})
    assert ann.post(f"{path}/edit", data={"text": "third", "version": version}).status_code == 409
    assert status_texts(ann.get(path).text) == ["second"]


def test_editing_a_foreign_or_missing_post_is_refused(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    path = post_status(ann)
    for response in (
        ben.get(f"{path}/edit"),
        ben.post(f"{path}/edit", data={"text": "mine", "version": "0"}),
    ):
        check_error(response, 403)
    for other in (path.replace("ann", "ben"), path + "4096", "/@ann/x", "/@ann/0"):
        check_error(ann.get(f"{other}/edit"), 404)
        check_error(ann.post(f"{other}/edit", data={"text": "mine", "version": "0"}), 404)
        check_error(web.client.get(f"{other}/history"), 404)
    assert status_texts(web.client.get(path).text) == ["first"]
    assert "/edit" not in ben.get(path).text
    assert web.client.get(f"{path.replace('ann', 'ANN')}/history").location == f"{path}/history"
    ann.post(f"/statuses/{path.rpartition('/')[2]}/delete")
    check_error(web.client.get(f"{path}/history"), 404)
    check_error(ann.get(f"{path}/edit"), 404)


def test_a_blocked_member_cannot_read_the_history(ann: FlaskClient, ben: FlaskClient) -> None:
    path = post_status(ann)
    assert status_texts(ben.get(f"{path}/history").text) == ["first"]
    ann.post("/@ben/block")
    check_error(ben.get(f"{path}/history"), 403)


def test_an_edit_updates_hashtag_pages(ann: FlaskClient, web: Web) -> None:
    path = post_status(ann, "a #wren #robin")
    for tag in ("wren", "robin", "dunnock"):
        web.client.get(f"/tags/{tag}")  # puts it into the page cache
    ann.post(f"{path}/edit", data={"text": "a #robin #dunnock", "version": "0"})
    for tag, expected_texts in (
        ("wren", []),
        ("robin", ["a #robin #dunnock"]),
        ("dunnock", ["a #robin #dunnock"]),
    ):
        assert status_texts(web.client.get(f"/tags/{tag}").text) == expected_texts


def test_an_old_post_cannot_be_edited(ann: FlaskClient, web: Web) -> None:
    path = f"/@ann/{post_aged(web.db, 1, 61)}"
    assert "Delete post" in ann.get(f"{path}/menu").text
    assert f"{path}/edit" not in ann.get(f"{path}/menu").text
    check_error(ann.get(f"{path}/edit"), 409)
    response = ann.post(f"{path}/edit", data={"text": "new", "version": "0"})
    assert response.status_code == 409
    assert "It’s too late to edit this post." in response.text
    assert composer_text(response) == "new"


def test_the_rate_limit_of_edits_keeps_the_text(settings: Config) -> None:
    with serving(replace(settings, limit_post=Rate(2, 3600))) as app:
        ann = app.test_client()
        ann.post("/signup", data={"login": "ann", "name": "Ann", "password": PASSWORD})
        path = post_status(ann)
        for text in ("second", "third", "fourth"):
            form = {"text": text, "version": field_value(ann.get(f"{path}/edit"), "version")}
            response = ann.post(f"{path}/edit", data=form)
        assert response.status_code == 429 and composer_text(response) == "fourth"
        assert status_texts(ann.get(path).text) == ["third"]


def test_history_and_edit_form_take_few_trips(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    path = post_status(ann)
    for text in ("second", "third"):
        form = {"text": text, "version": field_value(ann.get(f"{path}/edit"), "version")}
        ann.post(f"{path}/edit", data=form)
    for page, expected_trips in (("history", 4), ("edit", 3)):  # including one trip for the session
        before = db.trips
        ann.get(f"{path}/{page}")
        assert db.trips - before == expected_trips


def test_a_mention_added_by_an_edit_notifies_once(ann: FlaskClient, ben: FlaskClient) -> None:
    path = post_status(ann)
    for version, text in enumerate(("hello @ben", "hello again @ben")):
        form = ann.get(f"{path}/edit")
        assert (
            ann.post(
                f"{path}/edit", data={"text": text, "version": field_value(form, "version")}
            ).status_code
            == 303
        ), version
    page = ben.get("/notifications").text
    assert page.count("hello again @ben") == 1 and page.count("hello @ben") == 0
