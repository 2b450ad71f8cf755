"""Mutes: limited in time or permanent, with or without notifications, and private."""

import time
from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from tests.support.concurrently import at_once
from tests.support.events import event_log, waiting_events
from tests.support.pages import check_error, page_text, post_status, status_ids
from tests.support.settings import with_settings
from tests.support.store_dump import calls
from tests.support.timelines import home, home_timeline, post, walk
from tests.support.world import Web, World
from webapp.accounts.store import get_many_by_login
from webapp.core.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable
from webapp.core.store import Db
from webapp.following import keys as following_keys
from webapp.following.mutes import store as mutes
from webapp.following.mutes.store import FOREVER
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


def test_a_mute_hides_a_member_from_home_and_public_until_it_ends(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    for login in ("ben", "cid"):
        world.follow(ann, login)
    world.apply_events()
    by_ben, by_cid = post(world, ben, "one")[0], post(world, cid, "two")[0]
    world.apply_events()
    assert mutes.mute(world, ann, "Ben", HOUR).uid == ben
    assert home(world, ann) == [by_cid], "before events are applied"
    assert [status.id for status in timelines.public(world, None, ann).items] == [by_cid]
    assert [status.id for status in timelines.public(world, None, cid).items] == [by_cid, by_ben]
    mutes.unmute(world, ann, "ben")
    assert home(world, ann) == [by_cid, by_ben]
    mutes.mute(world, ann, "ben", HOUR)
    end_mutes(world.db, ann, ben)
    assert home(world, ann) == [by_cid, by_ben]
    assert [status.id for status in timelines.public(world, None, ann).items] == [by_cid, by_ben]


@pytest.mark.parametrize("push_max", [1_000, 0.5], ids=["pushed", "merged"])
def test_pages_stay_full_when_statuses_are_muted(world: World, push_max: float) -> None:
    world = with_settings(world, page_size=3, push_max_followers=int(push_max), merged_seconds=0)
    ann, ben, cid = world.people("ann", "ben", "cid")
    for login in ("ben", "cid"):
        world.follow(ann, login)
    world.apply_events()
    expected = list[int]()
    for number in range(7):
        expected += post(world, cid, f"cid {number}")
        world.do(post, ben, *(f"ben {number} {n}" for n in range(9)))
    mutes.mute(world, ann, "ben")
    for page in (
        lambda before: home_timeline(world, ann, before),
        lambda before: timelines.public(world, before, ann),
    ):
        assert len(page(None).items) == 3
        assert walk(page, 3) == expected[::-1]


def test_many_mutes_cost_only_their_owner_one_more_trip(world: World) -> None:
    world = with_settings(world, page_size=5, status_seconds=0)
    ann, cid, *birds = world.people("ann", "cid", *(f"bird{number}" for number in range(8)))
    expected = post(world, cid, *(f"cid {number}" for number in range(8)))[-6:]
    for number in range(3):
        for bird in birds:
            post(world, bird, f"bird {number}")
    world.apply_events()

    def trips(viewer: int) -> int:
        before = world.db.trips
        page = timelines.public(world, None, viewer)
        assert len(page.items) == 5 and page.next
        return world.db.trips - before

    assert trips(ann) == trips(cid) == 2
    for number in range(8):
        mutes.mute(world, ann, f"bird{number}")
    assert trips(ann) == 3 and trips(cid) == 2
    assert [status.id for status in timelines.public(world, None, ann).items] == expected[::-1][:5]


def test_a_mute_costs_a_home_no_trip(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ann, "ben")
    post(world, ben, "one")
    world.do(post, ann, "two")
    home(world, ann)
    before = world.db.trips
    home(world, ann)
    without_mutes = world.db.trips - before
    mutes.mute(world, ann, "ben")
    before = world.db.trips
    home(world, ann)
    assert world.db.trips - before == without_mutes


def test_muting_again_replaces_duration_and_options(world: World) -> None:
    ann, *_ = world.people("ann", "ben")
    mutes.mute(world, ann, "ben", HOUR, hide_notifications=True)
    assert listed(world.db, ann) == [("ben", True, True)]
    mutes.mute(world, ann, "ben")
    assert listed(world.db, ann) == [("ben", False, False)]
    assert world.db.run(("EXISTS", following_keys.muted_notifications(ann))) == 0
    mutes.mute(world, ann, "ben", HOUR, hide_notifications=True)
    [muted] = mutes.page(world.db, ann).items
    assert muted.mute.remaining and timedelta(0) < muted.mute.remaining <= timedelta(hours=1)
    events = waiting_events(world.db, ann)
    mutes.unmute(world, ann, "ben")
    mutes.unmute(world, ann, "ben")
    assert waiting_events(world.db, ann) == events + 1
    assert listed(world.db, ann) == []
    assert not has_mutes(world.db, ann)


def test_invalid_mutes_are_refused_and_change_nothing(world: World) -> None:
    ann, _ben, cid, _dot = world.people("ann", "ben", "cid", "dot")
    limited = with_settings(world, mutes_max=2)
    limited.refuses(Invalid, mutes.mute, ann, "ann")
    limited.refuses(NotFound, mutes.mute, ann, "nobody_here")
    for login in ("ben", "cid"):
        mutes.mute(limited, ann, login)
    limited.refuses(Conflict, mutes.mute, ann, "dot")
    mutes.mute(limited, ann, "ben", HOUR)  # a repeated mute counts once
    end_mutes(world.db, ann, cid)
    mutes.mute(limited, ann, "dot", hide_notifications=True)  # the ended mute does not count
    assert {name for name, _, _ in listed(world.db, ann)} == {"ben", "dot"}
    assert world.db.run(("ZCARD", following_keys.mutes(ann))) == 2
    with pytest.raises(Unavailable):
        mutes.mute(with_settings(world, outbox_max=1), ann, "cid")
    with pytest.raises(Unavailable):
        mutes.unmute(with_settings(world, outbox_max=1), ann, "dot")
    world.suspend(ann)
    world.refuses(Forbidden, mutes.mute, ann, "cid")
    assert {name for name, _, _ in listed(world.db, ann)} == {"ben", "dot"}


def test_mutes_are_paged_longest_first_without_ended_ones(world: World) -> None:
    ann, *birds = world.people("ann", *(f"bird{n}" for n in range(9)))
    for n in range(8):  # many end at the same time
        mutes.mute(world, ann, f"bird{n}", HOUR if n < 4 else FOREVER)
    mutes.mute(world, ann, "bird8", HOUR)
    end_mutes(world.db, ann, birds[8])
    logins, cursor = list[str](), None
    for _ in range(3):
        page = mutes.page(world.db, ann, cursor, 3)
        logins += [entry.member.login for entry in page.items]
        cursor = page.next
    assert logins == [f"bird{n}" for n in range(7, -1, -1)] and cursor is None


def test_concurrent_mutes_and_unmutes_leave_consistent_lists(world: World) -> None:
    ann, *birds = world.people("ann", *(f"bird{n}" for n in range(5)))

    def mute_or_unmute(number: int) -> None:
        login = f"bird{number % 5}"
        if number % 3:
            mutes.mute(world, ann, login, HOUR, hide_notifications=bool(number % 2))
        else:
            mutes.unmute(world, ann, login)

    at_once(50, mute_or_unmute, range(50))
    muted = _ends_by_uid(world.db, following_keys.mutes(ann))
    silenced = _ends_by_uid(world.db, following_keys.muted_notifications(ann))
    assert len(set(muted.values())) == len(muted) and set(muted) <= set(birds)
    assert all(muted[uid] == end for uid, end in silenced.items())


def _ends_by_uid(db: Db, key: str) -> dict[int, float]:
    flat = db.run(("ZRANGE", key, 0, -1, "WITHSCORES"))
    return {int(uid): float(end) for uid, end in zip(flat[::2], flat[1::2], strict=True)}


def test_a_deleted_account_leaves_no_mutes_and_is_on_no_list(world: World) -> None:
    ann, ben, _ = world.people("ann", "ben", "cid")
    mutes.mute(world, ann, "ben", hide_notifications=True)
    mutes.mute(world, ben, "cid", hide_notifications=True)
    world.do(World.delete_account, ben, None)
    assert not has_mutes(world.db, ben)
    assert listed(world.db, ann) == []
    assert not has_mutes(world.db, ann), "reading the page removes mutes of deleted members"


def test_a_mute_is_invisible_to_the_muted_member(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    ben.post("/@ann/follow")
    uids = {login: found.uid for login, found in get_many_by_login(web.db, ["ann", "ben"]).items()}
    paths = ("/@ann", "/@ann/followers", "/@ben", "/home")
    before = [ben.get(path).text for path in paths]
    ann.post("/@ben/mute", data={"time": "day"})
    for old, path in zip(before, paths, strict=True):
        assert lines_without_tokens(ben.get(path).text) == lines_without_tokens(old)
    log = event_log(web.db)
    [event] = [entry for entry in log if entry["type"] == "muted"]
    assert event["uid"] == str(uids["ann"])
    assert str(uids["ben"]) not in (event.get("target"), event.get("author"))
    assert following_keys.mutes(uids["ben"]) not in web.db.run(("KEYS", "*"))


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
    ann: FlaskClient, ben: FlaskClient, form: dict[str, str], sentence: str
) -> None:
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
    assert f"@ben {sentence.replace(' ·', '')}" in page_text(settings_page)
    assert settings_page.headers["Cache-Control"] == "no-store"
    assert ann.post("/@ben/unmute", data={"next": "/settings/mutes"}).location == "/settings/mutes"
    assert "You haven’t muted anyone." in page_text(ann.get("/settings/mutes"))
    assert status_ids(ann.get("/home")) == [status_id]


def test_pages_of_mutes_refuse_invalid_requests(web: Web) -> None:
    ann, _ben = web.member("ann"), web.member("ben")
    check_error(ann.post("/@ann/mute"), 422, "You can’t mute yourself.")
    answer = ann.post("/@ben/mute", data={"time": "ever"})
    check_error(answer, 422, "Choose a duration from the list.")
    check_error(ann.post("/@nobody_here/mute"), 404)
    check_error(ann.post("/@nobody_here/unmute"), 404)
    check_error(ann.get("/settings/mutes?max_id=x"), 422)


def test_many_mutes_that_end_together_cost_no_search_of_each(world: World) -> None:
    [ann] = world.people("ann")
    key, ends = following_keys.mutes(ann), int(time.time()) + FOREVER
    for start in range(0, 2_000, 500):
        pairs = ((ends + second, second + 2) for second in range(start, start + 500))
        world.db.run(("ZADD", key, *(part for pair in pairs for part in pair)))
    before = calls(world.db, "zcount")
    ends_at = [
        world.run(mutes.MUTE, uid=ann, target=target, seconds=FOREVER, hide_notifications=0)
        for target in range(3_000, 3_010)
    ]
    assert calls(world.db, "zcount") - before < 10 * 20
    assert world.db.run(("ZCARD", key)) == 2_010
    assert sorted(ends_at) == list(range(ends + 2_000, ends + 2_010))
