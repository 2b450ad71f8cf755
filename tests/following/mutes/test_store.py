"""Mutes: for a time or until unmuted, with notifications or without; they are private."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.timelines import home_timeline
from tests.system.test_pages import check_error, shown, words, write
from tests.timelines.test_store import home, post, walk
from webapp.accounts import lifecycle
from webapp.accounts.store import get_many_by_login
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.following.mutes import store as mutes
from webapp.following.mutes.mute import FOREVER
from webapp.streaming import keys as stream_keys
from webapp.timelines import store as timelines

People = Callable[..., list[int]]
Settle = Callable[[], None]
Join = Callable[[str], FlaskClient]
HOUR = 3_600


def listed(db: Db, uid: int) -> list[tuple[str, bool, bool]]:
    """Return (login, whether it ends by itself, whether notifications are hidden) of mutes."""
    return [
        (one.member.login, one.mute.remaining is not None, one.mute.hide_notifications)
        for one in mutes.page(db, uid).items
    ]


def end(db: Db, uid: int, *others: int) -> None:
    """Let these mutes of a member have ended a moment ago."""
    for other in others:
        for name in (following_keys.mutes(uid), following_keys.muted_notifications(uid)):
            db.run(("ZADD", name, "XX", int(time.time()) - 1, other))


def test_a_mute_hides_somebody_from_home_and_public_at_once_and_gives_them_back(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for login in ("ben", "cid"):
        following.follow(db, config, ann, login)
    settle()
    by_ben, by_cid = post(db, config, ben, "one")[0], post(db, config, cid, "two")[0]
    settle()
    assert mutes.mute(db, config, ann, "Ben", HOUR).uid == ben
    assert home(db, config, ann) == [by_cid]  # nothing is applied yet
    assert [one.id for one in timelines.public(db, config, None, ann).items] == [by_cid]
    assert [one.id for one in timelines.public(db, config, None, cid).items] == [by_cid, by_ben]
    mutes.unmute(db, config, ann, "ben")
    assert home(db, config, ann) == [by_cid, by_ben]
    mutes.mute(db, config, ann, "ben", HOUR)
    end(db, ann, ben)
    assert home(db, config, ann) == [by_cid, by_ben]
    assert [one.id for one in timelines.public(db, config, None, ann).items] == [by_cid, by_ben]


@pytest.mark.parametrize("push_max", [1_000, 0.5], ids=["pushed", "merged"])
def test_pages_are_never_short_for_what_is_muted(
    db: Db, config: Config, people: People, settle: Settle, push_max: float
) -> None:
    config = replace(config, page_size=3, push_max_followers=int(push_max), merged_seconds=0)
    ann, ben, cid = people("ann", "ben", "cid")
    for login in ("ben", "cid"):
        following.follow(db, config, ann, login)
    settle()
    wanted = list[int]()
    for number in range(7):
        wanted += post(db, config, cid, f"cid {number}")
        post(db, config, ben, *(f"ben {number} {other}" for other in range(9)))
        settle()
    mutes.mute(db, config, ann, "ben")
    for page in (
        lambda before: home_timeline(db, config, ann, before),
        lambda before: timelines.public(db, config, before, ann),
    ):
        assert len(page(None).items) == 3
        assert walk(page, 3) == wanted[::-1]


def test_many_who_are_muted_cost_a_public_page_one_trip_more_and_nobody_else_any(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    config = replace(config, page_size=5, status_seconds=0)
    ann, cid, *birds = people("ann", "cid", *(f"bird{number}" for number in range(8)))
    wanted = post(db, config, cid, *(f"cid {number}" for number in range(8)))[-6:]
    for number in range(3):
        for bird in birds:
            post(db, config, bird, f"bird {number}")
    settle()

    def trips(viewer: int) -> int:
        before = db.trips
        page = timelines.public(db, config, None, viewer)
        assert len(page.items) == 5 and page.next
        return db.trips - before

    assert trips(ann) == trips(cid) == 2
    for number in range(8):
        mutes.mute(db, config, ann, f"bird{number}")
    assert trips(ann) == 3 and trips(cid) == 2
    assert [one.id for one in timelines.public(db, config, None, ann).items] == wanted[::-1][:5]


def test_a_home_takes_no_trip_more_for_a_mute(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ann, "ben")
    settle()
    post(db, config, ben, "one")
    post(db, config, ann, "two")
    settle()
    home(db, config, ann)
    before = db.trips
    home(db, config, ann)
    usual, before = db.trips - before, db.trips
    mutes.mute(db, config, ann, "ben")
    before = db.trips
    home(db, config, ann)
    assert db.trips - before == usual


def test_muting_again_replaces_the_time_and_the_choice(
    db: Db, config: Config, people: People
) -> None:
    ann, *_ = people("ann", "ben")
    mutes.mute(db, config, ann, "ben", HOUR, hide_notifications=True)
    assert listed(db, ann) == [("ben", True, True)]
    mutes.mute(db, config, ann, "ben")
    assert listed(db, ann) == [("ben", False, False)]
    assert db.run(("EXISTS", following_keys.muted_notifications(ann))) == 0
    mutes.mute(db, config, ann, "ben", HOUR, hide_notifications=True)
    [one] = mutes.page(db, ann).items
    assert one.mute.remaining and timedelta(0) < one.mute.remaining <= timedelta(hours=1)
    was = db.run(("XLEN", event_keys.outbox(partition_of(ann))))
    mutes.unmute(db, config, ann, "ben")
    mutes.unmute(db, config, ann, "ben")
    assert db.run(("XLEN", event_keys.outbox(partition_of(ann)))) == was + 1  # told once
    assert listed(db, ann) == [] and db.trip(
        *(
            ("EXISTS", k)
            for k in (following_keys.mutes(ann), following_keys.muted_notifications(ann))
        )
    ) == [0, 0]


def test_what_cannot_be_muted_is_refused_in_words_and_leaves_nothing(
    db: Db, config: Config, people: People
) -> None:
    ann, _ben, cid, _dot = people("ann", "ben", "cid", "dot")
    few = replace(config, mutes_max=2)
    with pytest.raises(Invalid):
        mutes.mute(db, few, ann, "ann")
    with pytest.raises(NotFound):
        mutes.mute(db, few, ann, "nobody_here")
    for login in ("ben", "cid"):
        mutes.mute(db, few, ann, login)
    with pytest.raises(Conflict):
        mutes.mute(db, few, ann, "dot")
    mutes.mute(db, few, ann, "ben", HOUR)  # again is no more than before
    end(db, ann, cid)
    mutes.mute(db, few, ann, "dot", hide_notifications=True)  # what is over takes no place
    assert {one for one, _, _ in listed(db, ann)} == {"ben", "dot"}
    assert db.run(("ZCARD", following_keys.mutes(ann))) == 2
    with pytest.raises(Unavailable):
        mutes.mute(db, replace(config, outbox_max=1), ann, "cid")
    with pytest.raises(Unavailable):
        mutes.unmute(db, replace(config, outbox_max=1), ann, "dot")
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden):
        mutes.mute(db, config, ann, "cid")
    assert {one for one, _, _ in listed(db, ann)} == {"ben", "dot"}


def test_the_list_is_paged_the_longest_first_and_leaves_out_what_is_over(
    db: Db, config: Config, people: People
) -> None:
    ann, *birds = people("ann", *(f"bird{n}" for n in range(9)))
    for n in range(8):  # pairs at one moment for one time
        mutes.mute(db, config, ann, f"bird{n}", HOUR if n < 4 else FOREVER)
    mutes.mute(db, config, ann, "bird8", HOUR)
    end(db, ann, birds[8])
    found, cursor = list[str](), None
    for _ in range(3):
        page = mutes.page(db, ann, cursor, 3)
        found += [one.member.login for one in page.items]
        cursor = page.next
    assert found == [f"bird{n}" for n in range(7, -1, -1)] and cursor is None


def test_fifty_mutes_and_unmutes_at_once_leave_both_lists_alike(
    db: Db, config: Config, people: People
) -> None:
    ann, *birds = people("ann", *(f"bird{n}" for n in range(5)))

    def act(number: int) -> None:
        login = f"bird{number % 5}"
        if number % 3:
            mutes.mute(db, config, ann, login, HOUR, hide_notifications=bool(number % 2))
        else:
            mutes.unmute(db, config, ann, login)

    with ThreadPoolExecutor(50) as pool:
        list(pool.map(act, range(50)))
    ends, hushed = (
        dict(_pairs(db.run(("ZRANGE", of(ann), 0, -1, "WITHSCORES"))))
        for of in (following_keys.mutes, following_keys.muted_notifications)
    )
    assert len(set(ends.values())) == len(ends) and set(ends) <= set(birds)
    assert all(ends[uid] == until for uid, until in hushed.items())


def _pairs(flat: list[str]) -> list[tuple[int, float]]:
    return [(int(uid), float(score)) for uid, score in zip(flat[::2], flat[1::2], strict=True)]


def test_deleted_accounts_leave_nothing_of_their_mutes_and_are_on_no_list(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, _ = people("ann", "ben", "cid")
    mutes.mute(db, config, ann, "ben", hide_notifications=True)
    mutes.mute(db, config, ben, "cid", hide_notifications=True)
    lifecycle.delete_account(db, config, ben, None)
    settle()
    assert db.trip(
        *(("EXISTS", of(ben)) for of in (following_keys.mutes, following_keys.muted_notifications))
    ) == [
        0,
        0,
    ]
    assert listed(db, ann) == []
    assert db.trip(
        *(("EXISTS", of(ann)) for of in (following_keys.mutes, following_keys.muted_notifications))
    ) == [
        0,
        0,
    ]  # once they looked


def test_nobody_is_told_of_a_mute(app: Flask, member: Join, client: FlaskClient) -> None:
    ann, ben = member("ann"), member("ben")
    ben.post("/@ann/follow")
    db: Db = app.extensions["linnet.db"]
    uids = {login: one.uid for login, one in get_many_by_login(db, ["ann", "ben"]).items()}
    before = [ben.get(path).text for path in ("/@ann", "/@ann/followers", "/@ben", "/home")]
    ann.post("/@ben/mute", data={"time": "day"})
    for was, path in zip(before, ("/@ann", "/@ann/followers", "/@ben", "/home"), strict=True):
        assert words_of(ben.get(path).text) == words_of(was)
    log = [
        dict(zip(fields[::2], fields[1::2], strict=True))
        for _, fields in db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    ]
    [told] = [entry for entry in log if entry["type"] == "muted"]
    assert told["uid"] == str(uids["ann"]) and str(uids["ben"]) not in (
        told.get("target"),
        told.get("author"),
    )
    assert following_keys.mutes(uids["ben"]) not in db.run(("KEYS", "*"))


def words_of(page: str) -> list[str]:
    """Return a page's text without its tokens."""
    return [
        line
        for line in page.split("\n")
        if "csrf" not in line and "data-page" not in line and "key" not in line
    ]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"time": "hour", "hush": "1"}, "1 hour left · no notifications"),
        ({"time": "day"}, "1 day left"),
        ({"time": "week"}, "1 week left"),
        ({"time": "always", "hush": "1"}, "until you unmute them · no notifications"),
        ({}, "until you unmute them"),
    ],
)
def test_a_member_mutes_on_a_profile_and_unmutes_in_the_settings(
    member: Join, form: dict[str, str], said: str
) -> None:
    ann, ben = member("ann"), member("ben")
    sung = write(ben, "a song")
    ann.post("/@ben/follow")
    assert "Mute @ben" in words(ann.get("/@ben"))
    answer = ann.post("/@BEN/mute", data=form)
    assert answer.status_code == 303 and answer.location == "/@ben"
    page = ann.get("/@ben")
    assert "@ben is muted." in words(page) and f"Muted · {said.split(' · ')[0]}" in words(page)
    assert "Unmute" in page.text and shown(page) == [sung] and "Unfollow" in page.text
    assert shown(ann.get("/home")) == shown(ann.get("/public")) == []
    listed = ann.get("/settings/mutes")
    assert f"@ben · {said}" in words(listed) and listed.headers["Cache-Control"] == "no-store"
    assert ann.post("/@ben/unmute", data={"next": "/settings/mutes"}).location == "/settings/mutes"
    assert "You mute nobody." in words(ann.get("/settings/mutes"))
    assert shown(ann.get("/home")) == [sung]


def test_pages_of_mutes_refuse_what_they_cannot_do(member: Join, client: FlaskClient) -> None:
    ann, _ben = member("ann"), member("ben")
    check_error(ann.post("/@ann/mute"), 422, "You can’t mute yourself.")
    check_error(
        ann.post("/@ben/mute", data={"time": "ever"}), 422, "Choose how long from the list."
    )
    check_error(ann.post("/@nobody_here/mute"), 404)
    check_error(ann.post("/@nobody_here/unmute"), 404)
    check_error(ann.get("/settings/mutes?max_id=x"), 422)
    for answer in (
        client.post("/@ann/mute"),
        client.post("/@ann/unmute"),
        client.get("/settings/mutes"),
    ):
        assert answer.status_code == 303 and answer.location.startswith("/login")
