"""Statuses pinned to a profile: up to five of one's own, first and once."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.statuses.edits.test_editing import posted, said, write
from tests.system.test_pages import check_error
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.errors import Conflict, Forbidden, NotFound
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.edits import pins
from webapp.timelines.profile import profile_page

People = Callable[..., list[int]]
Settle = Callable[[], None]
Member = Callable[[str], FlaskClient]


def pinned(db: Db, config: Config, login: str = "ann") -> list[int]:
    """What a member's profile shows first."""
    return [status.id for status in profile_page(db, config, login, None).timeline.pinned]


def walked(db: Db, config: Config) -> list[int]:
    """All that Ann's profile shows, page by page."""
    found, before = list[int](), None
    while True:
        page = profile_page(db, config, "ann", None, before).timeline
        assert len(page.items) == config.page_size or page.next is None
        found += [status.id for status in (*page.pinned, *page.items)]
        before = page.next
        if before is None:
            return found


def test_whoever_pages_through_a_profile_meets_each_status_once_the_pinned_ones_first(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    config = replace(config, page_size=3)
    (ann,) = people("ann")
    made = [write(db, config, ann, f"text {number}") for number in range(12)]
    for number in (2, 11, 10, 9, 0):
        pins.pin(db, config, ann, made[number])
        pins.pin(db, config, ann, made[number])  # again is no change
    first = [made[number] for number in (0, 9, 10, 11, 2)]
    assert pinned(db, config) == first
    assert walked(db, config) == first + [one for one in made[::-1] if one not in first]
    pins.unpin(db, config, ann, made[9])
    pins.unpin(db, config, ann, made[9])
    statuses.delete(db, config, ann, made[10])
    assert pinned(db, config) == [made[number] for number in (0, 11, 2)]
    assert statuses.get(db, made[0]).pinned and not statuses.get(db, made[9]).pinned
    fewer = replace(config, pinned_max=1)  # the rest stand where they would otherwise
    assert pinned(db, fewer) == [made[0]]
    assert walked(db, fewer) == [made[0], *(one for one in made[:0:-1] if one != made[10])]
    settle()


def test_only_ones_own_statuses_are_pinned_and_no_more_than_five(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    uids = people(*(f"bird{number}" for number in range(65)))
    ann, ben, beside = uids[0], uids[1], uids[64]
    made = [write(db, config, ann, f"text {number}") for number in range(6)]
    for stranger in (ben, beside):
        with pytest.raises(Forbidden, match="not_yours"):
            pins.pin(db, config, stranger, made[0])
        pins.unpin(db, config, stranger, made[0])
    with pytest.raises(NotFound):
        pins.pin(db, config, ann, made[-1] + (1 << 30))
    with ThreadPoolExecutor(12) as pool:

        def race(one: int) -> str:
            try:
                pins.pin(db, config, ann, one)
            except Conflict as refusal:
                return refusal.code
            return ""

        results = list(pool.map(race, made * 4))
    assert "pins_full" in results and len(pinned(db, config, "bird0")) == 5
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden, match="suspended"):
        pins.pin(db, config, ann, made[0])
    lifecycle.delete_account(db, config, ann, None)
    settle()
    assert not db.run(("EXISTS", status_keys.pinned_statuses(ann)))


def test_a_member_pins_and_unpins_and_visitors_see_it(
    app: Flask, member: Member, client: FlaskClient
) -> None:
    ann, ben = member("ann"), member("ben")
    paths = [posted(ann, text) for text in ("one", "two", "three")]
    assert said(client.get("/@ann").text) == ["three", "two", "one"]
    number = paths[0].rpartition("/")[2]
    act = re.search(r'formaction="([^"]+/pin)">Pin to your profile', ann.get(paths[0]).text)
    assert act and act[1] == f"/statuses/{number}/pin"
    answer = ann.post(act[1], data={"next": "/@ann"})
    assert (answer.status_code, answer.location) == (303, "/@ann")
    page = ann.get("/@ann").text
    assert "Pinned to your profile." in page and "Unpin" in page
    for shown in (page, client.get("/@ann").text, ben.get("/@ann").text):
        assert said(shown) == ["one", "three", "two"] and '<h2 id="pinned">Pinned</h2>' in shown
    assert said(client.get("/public").text) == ["three", "two", "one"]
    titles = re.findall(r"<title>(\w+)</title>", client.get("/@ann/feed.atom").text)
    assert titles == ["three", "two", "one"]
    assert "Unpin" not in client.get("/@ann").text + ben.get("/@ann").text
    check_error(ben.post(act[1]), 403)
    assert ann.post(f"/statuses/{number}/unpin").location == "/@ann"
    assert said(client.get("/@ann").text) == ["three", "two", "one"]
    for path in paths:
        ann.post(f"/statuses/{path.rpartition('/')[2]}/pin")
    page = client.get("/@ann").text
    assert said(page) == ["three", "two", "one"] and "No posts yet" not in page


def test_a_sixth_pin_is_refused_in_words(member: Member) -> None:
    ann = member("ann")
    paths = [posted(ann, f"text {number}") for number in range(6)]
    answers = [ann.post(f"/statuses/{path.rpartition('/')[2]}/pin") for path in paths]
    assert [answer.status_code for answer in answers] == [303] * 5 + [409]
    assert "Unpin one first." in answers[-1].text


def test_pins_cost_a_profile_no_trip(app: Flask, member: Member) -> None:
    ann, ben, db = member("ann"), member("ben"), app.extensions["linnet.db"]
    paths = [posted(ann, f"text {number}") for number in range(5)]

    def trips() -> int:
        before = int(db.trips)
        ben.get("/@ann")
        return int(db.trips) - before

    without = trips()
    for path in paths:
        ann.post(f"/statuses/{path.rpartition('/')[2]}/pin")
    assert trips() == without
