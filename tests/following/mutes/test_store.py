"""Mutes: limited in time or permanent, with or without notifications, and private."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import ApplyEvents, People, SignUp
from tests.support.pages import check_error, page_text, post_status, status_ids
from tests.support.settings import with_settings
from tests.support.timelines import home, home_timeline, post, walk
from webapp.accounts import lifecycle
from webapp.accounts.store import get_many_by_login
from webapp.core.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable
from webapp.core.events import keys as event_keys
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.following.mutes import store as mutes
from webapp.following.mutes.mute import FOREVER
from webapp.streaming import keys as stream_keys
from webapp.timelines import store as timelines

HOUR = 3_600


def listed(db: Db, uid: int) -> list[tuple[str, bool, bool]]:
    """Return each mute as (login, ends by itself, notifications are hidden)."""
    return [
        (entry.member.login, entry.mute.remaining is not None, entry.mute.hide_notifications)
        for entry in mutes.page(db, uid).items
    ]


def end_mutes(db: Db, uid: int, *targets: int) -> None:
    """Let a member's mutes of these others end a moment ago."""
    for target in targets:
        for key in (following_keys.mutes(uid), following_keys.muted_notifications(uid)):
            db.run(("ZADD", key, "XX", int(time.time()) - 1, target))


def has_mutes(db: Db, uid: int) -> bool:
    """Return True if a key of this member's mutes exists."""
    keys = (following_keys.mutes(uid), following_keys.muted_notifications(uid))
    return any(db.trip(*(("EXISTS", key) for key in keys)))


def test_a_mute_hides_a_member_from_home_and_public_until_it_ends(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for login in ("ben", "cid"):
        following.follow(site, ann, login)
    apply_events()
    by_ben, by_cid = post(site, ben, "one")[0], post(site, cid, "two")[0]
    apply_events()
    assert mutes.mute(site, ann, "Ben", HOUR).uid == ben
    assert home(site, ann) == [by_cid], "before events are applied"
    assert [status.id for status in timelines.public(site, None, ann).items] == [by_cid]
    assert [status.id for status in timelines.public(site, None, cid).items] == [
        by_cid,
        by_ben,
    ]
    mutes.unmute(site, ann, "ben")
    assert home(site, ann) == [by_cid, by_ben]
    mutes.mute(site, ann, "ben", HOUR)
    end_mutes(site.db, ann, ben)
    assert home(site, ann) == [by_cid, by_ben]
    assert [status.id for status in timelines.public(site, None, ann).items] == [
        by_cid,
        by_ben,
    ]


@pytest.mark.parametrize("push_max", [1_000, 0.5], ids=["pushed", "merged"])
def test_pages_stay_full_when_statuses_are_muted(
    site: Site, people: People, apply_events: ApplyEvents, push_max: float
) -> None:
    site = with_settings(site, page_size=3, push_max_followers=int(push_max), merged_seconds=0)
    ann, ben, cid = people("ann", "ben", "cid")
    for login in ("ben", "cid"):
        following.follow(site, ann, login)
    apply_events()
    expected = list[int]()
    for number in range(7):
        expected += post(site, cid, f"cid {number}")
        post(site, ben, *(f"ben {number} {n}" for n in range(9)))
        apply_events()
    mutes.mute(site, ann, "ben")
    for page in (
        lambda before: home_timeline(site, ann, before),
        lambda before: timelines.public(site, before, ann),
    ):
        assert len(page(None).items) == 3
        assert walk(page, 3) == expected[::-1]


def test_many_mutes_cost_only_their_owner_one_more_trip(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    site = with_settings(site, page_size=5, status_seconds=0)
    ann, cid, *birds = people("ann", "cid", *(f"bird{number}" for number in range(8)))
    expected = post(site, cid, *(f"cid {number}" for number in range(8)))[-6:]
    for number in range(3):
        for bird in birds:
            post(site, bird, f"bird {number}")
    apply_events()

    def trips(viewer: int) -> int:
        before = site.db.trips
        page = timelines.public(site, None, viewer)
        assert len(page.items) == 5 and page.next
        return site.db.trips - before

    assert trips(ann) == trips(cid) == 2
    for number in range(8):
        mutes.mute(site, ann, f"bird{number}")
    assert trips(ann) == 3 and trips(cid) == 2
    assert [status.id for status in timelines.public(site, None, ann).items] == expected[::-1][:5]


def test_a_mute_costs_a_home_no_trip(site: Site, people: People, apply_events: ApplyEvents) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ann, "ben")
    apply_events()
    post(site, ben, "one")
    post(site, ann, "two")
    apply_events()
    home(site, ann)
    before = site.db.trips
    home(site, ann)
    without_mutes = site.db.trips - before
    mutes.mute(site, ann, "ben")
    before = site.db.trips
    home(site, ann)
    assert site.db.trips - before == without_mutes


def test_muting_again_replaces_duration_and_options(site: Site, people: People) -> None:
    ann, *_ = people("ann", "ben")
    mutes.mute(site, ann, "ben", HOUR, hide_notifications=True)
    assert listed(site.db, ann) == [("ben", True, True)]
    mutes.mute(site, ann, "ben")
    assert listed(site.db, ann) == [("ben", False, False)]
    assert site.db.run(("EXISTS", following_keys.muted_notifications(ann))) == 0
    mutes.mute(site, ann, "ben", HOUR, hide_notifications=True)
    [muted] = mutes.page(site.db, ann).items
    assert muted.mute.remaining and timedelta(0) < muted.mute.remaining <= timedelta(hours=1)
    events = site.db.run(("XLEN", event_keys.outbox(partition_of(ann))))
    mutes.unmute(site, ann, "ben")
    mutes.unmute(site, ann, "ben")
    assert site.db.run(("XLEN", event_keys.outbox(partition_of(ann)))) == events + 1
    assert listed(site.db, ann) == []
    assert not has_mutes(site.db, ann)


def test_invalid_mutes_are_refused_and_change_nothing(site: Site, people: People) -> None:
    ann, _ben, cid, _dot = people("ann", "ben", "cid", "dot")
    limited = with_settings(site, mutes_max=2)
    with pytest.raises(Invalid):
        mutes.mute(limited, ann, "ann")
    with pytest.raises(NotFound):
        mutes.mute(limited, ann, "nobody_here")
    for login in ("ben", "cid"):
        mutes.mute(limited, ann, login)
    with pytest.raises(Conflict):
        mutes.mute(limited, ann, "dot")
    mutes.mute(limited, ann, "ben", HOUR)  # a repeated mute counts once
    end_mutes(site.db, ann, cid)
    mutes.mute(limited, ann, "dot", hide_notifications=True)  # the ended mute does not count
    assert {name for name, _, _ in listed(site.db, ann)} == {"ben", "dot"}
    assert site.db.run(("ZCARD", following_keys.mutes(ann))) == 2
    with pytest.raises(Unavailable):
        mutes.mute(with_settings(site, outbox_max=1), ann, "cid")
    with pytest.raises(Unavailable):
        mutes.unmute(with_settings(site, outbox_max=1), ann, "dot")
    lifecycle.suspend(site, ann)
    with pytest.raises(Forbidden):
        mutes.mute(site, ann, "cid")
    assert {name for name, _, _ in listed(site.db, ann)} == {"ben", "dot"}


def test_mutes_are_paged_longest_first_without_ended_ones(site: Site, people: People) -> None:
    ann, *birds = people("ann", *(f"bird{n}" for n in range(9)))
    for n in range(8):  # many end at the same time
        mutes.mute(site, ann, f"bird{n}", HOUR if n < 4 else FOREVER)
    mutes.mute(site, ann, "bird8", HOUR)
    end_mutes(site.db, ann, birds[8])
    logins, cursor = list[str](), None
    for _ in range(3):
        page = mutes.page(site.db, ann, cursor, 3)
        logins += [entry.member.login for entry in page.items]
        cursor = page.next
    assert logins == [f"bird{n}" for n in range(7, -1, -1)] and cursor is None


def test_concurrent_mutes_and_unmutes_leave_consistent_lists(site: Site, people: People) -> None:
    ann, *birds = people("ann", *(f"bird{n}" for n in range(5)))

    def mute_or_unmute(number: int) -> None:
        login = f"bird{number % 5}"
        if number % 3:
            mutes.mute(site, ann, login, HOUR, hide_notifications=bool(number % 2))
        else:
            mutes.unmute(site, ann, login)

    with ThreadPoolExecutor(50) as pool:
        list(pool.map(mute_or_unmute, range(50)))
    muted = _ends_by_uid(site.db, following_keys.mutes(ann))
    silenced = _ends_by_uid(site.db, following_keys.muted_notifications(ann))
    assert len(set(muted.values())) == len(muted) and set(muted) <= set(birds)
    assert all(muted[uid] == end for uid, end in silenced.items())


def _ends_by_uid(db: Db, key: str) -> dict[int, float]:
    flat = db.run(("ZRANGE", key, 0, -1, "WITHSCORES"))
    return {int(uid): float(end) for uid, end in zip(flat[::2], flat[1::2], strict=True)}


def test_a_deleted_account_leaves_no_mutes_and_is_on_no_list(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, _ = people("ann", "ben", "cid")
    mutes.mute(site, ann, "ben", hide_notifications=True)
    mutes.mute(site, ben, "cid", hide_notifications=True)
    lifecycle.delete_account(site, ben, None)
    apply_events()
    assert not has_mutes(site.db, ben)
    assert listed(site.db, ann) == []
    assert not has_mutes(site.db, ann), "reading the page removes mutes of deleted members"


def test_a_mute_is_invisible_to_the_muted_member(
    app: Flask, member: SignUp, client: FlaskClient
) -> None:
    ann, ben = member("ann"), member("ben")
    ben.post("/@ann/follow")
    db: Db = app.extensions["linnet.db"]
    uids = {login: found.uid for login, found in get_many_by_login(db, ["ann", "ben"]).items()}
    paths = ("/@ann", "/@ann/followers", "/@ben", "/home")
    before = [ben.get(path).text for path in paths]
    ann.post("/@ben/mute", data={"time": "day"})
    for old, path in zip(before, paths, strict=True):
        assert lines_without_tokens(ben.get(path).text) == lines_without_tokens(old)
    log = [
        dict(zip(fields[::2], fields[1::2], strict=True))
        for _, fields in db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    ]
    [event] = [entry for entry in log if entry["type"] == "muted"]
    assert event["uid"] == str(uids["ann"])
    assert str(uids["ben"]) not in (event.get("target"), event.get("author"))
    assert following_keys.mutes(uids["ben"]) not in db.run(("KEYS", "*"))


def lines_without_tokens(page: str) -> list[str]:
    """Return the lines of a page that hold no token."""
    return [
        line
        for line in page.split("\n")
        if "csrf" not in line and "data-page" not in line and "key" not in line
    ]


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"time": "hour", "hide_notifications": "1"}, "1 hour left · notifications hidden"),
        ({"time": "day"}, "1 day left"),
        ({"time": "week"}, "1 week left"),
        (
            {"time": "always", "hide_notifications": "1"},
            "until you unmute them · notifications hidden",
        ),
        ({}, "until you unmute them"),
    ],
)
def test_a_member_mutes_on_a_profile_and_unmutes_in_the_settings(
    member: SignUp, form: dict[str, str], sentence: str
) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = post_status(ben, "a song")
    ann.post("/@ben/follow")
    assert "Mute @ben" in page_text(ann.get("/@ben/menu"))
    answer = ann.post("/@BEN/mute", data=form)
    assert answer.status_code == 303 and answer.location == "/@ben"
    page = ann.get("/@ben")
    assert "@ben is muted." in page_text(page)
    assert f"Muted · {sentence.split(' · ')[0]}" in page_text(page)
    assert "Unmute @ben" in page_text(ann.get("/@ben/menu"))
    assert status_ids(page) == [status_id] and "Unfollow" in page.text
    assert status_ids(ann.get("/home")) == status_ids(ann.get("/public")) == []
    settings_page = ann.get("/settings/mutes")
    assert f"@ben · {sentence}" in page_text(settings_page)
    assert settings_page.headers["Cache-Control"] == "no-store"
    assert ann.post("/@ben/unmute", data={"next": "/settings/mutes"}).location == "/settings/mutes"
    assert "You haven’t muted anyone." in page_text(ann.get("/settings/mutes"))
    assert status_ids(ann.get("/home")) == [status_id]


def test_pages_of_mutes_refuse_invalid_requests(member: SignUp, client: FlaskClient) -> None:
    ann, _ben = member("ann"), member("ben")
    check_error(ann.post("/@ann/mute"), 422, "You can’t mute yourself.")
    check_error(
        ann.post("/@ben/mute", data={"time": "ever"}), 422, "Choose a duration from the list."
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
