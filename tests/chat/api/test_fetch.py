"""Fetch pending messages and mark them as fetched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.chat import (
    all_messages,
    fetch,
    group,
    send_messages,
    texts,
)
from webapp.chat import reading
from webapp.chat.api import fetch as api_fetch
from webapp.chat.inbox import keys as inbox_keys
from webapp.chat.inbox import listing
from webapp.chat.members import groups, membership
from webapp.config import Config
from webapp.core.store.client import Db


def test_fetched_messages_stay_until_every_member_fetched_them(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    cid = group(db, config, ann, [ben, cat])
    groups.change(db, config, ann, cid, retention="fetched")
    send_messages(db, config, ann, cid, "one", "two")
    apply_events()
    assert fetch(db, config, ann) == fetch(db, config, ben) == {cid: [1, 2]}
    assert texts(all_messages(db, ann, cid)) == ["one", "two"]
    send_messages(db, config, ben, cid, "three")
    apply_events()
    assert fetch(db, config, ben) == {cid: [3]}
    assert fetch(db, config, cat) == {cid: [1, 2, 3]}  # now everybody has fetched the first two
    assert texts(all_messages(db, ann, cid)) == ["three"]
    membership.leave(db, config, ann, cid)  # only ann had not fetched the third
    assert all_messages(db, ben, cid) == []
    apply_events()
    assert fetch(db, config, ben) == {}
    [four] = send_messages(db, config, cat, cid, "four")
    assert four == 4


def test_unmarked_messages_are_fetched_again(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    send_messages(db, config, ann, cid, "one", "two")
    apply_events()
    for _ in range(2):
        [fetched] = api_fetch.fetch_pending(db, config, ben, mark_as_fetched=False)
        assert (fetched.chat.id, texts(fetched.messages)) == (cid, ["one", "two"])
    api_fetch.mark_fetched(db, ben, {cid: 1})
    assert fetch(db, config, ben) == {cid: [2]}
    api_fetch.mark_fetched(db, ben, {cid: 1})  # late, and backwards
    assert fetch(db, config, ben) == {}
    api_fetch.mark_fetched(db, ben, {cid: 1_000_000})  # beyond the newest message
    send_messages(db, config, ann, cid, "three")
    apply_events()
    assert fetch(db, config, ben) == {cid: [3]}


@pytest.mark.parametrize("last_id", [2, 1_000_000])
def test_messages_that_come_during_a_fetch_are_fetched_next(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    monkeypatch: pytest.MonkeyPatch,
    last_id: int,
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    send_messages(db, config, ann, cid, "one", "two")
    apply_events()
    remove = api_fetch._remove_fetched

    def remove_later(*arguments: Any) -> None:
        send_messages(db, config, ann, cid, "later")
        apply_events()
        remove(*arguments)

    monkeypatch.setattr(api_fetch, "_remove_fetched", remove_later)
    assert fetch(db, config, ben) == {cid: [1, 2]}
    api_fetch.mark_fetched(db, ben, {cid: last_id})
    monkeypatch.undo()
    # The first "later" counts as fetched if the program says so.
    assert fetch(db, config, ben) == {cid: [3, 4] if last_id == 2 else [4]}
    assert fetch(db, config, ben) == {}


def test_fetching_looks_only_at_chats_with_something_new(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cids = [group(db, config, ann, [ben]) for _ in range(3)]
    for cid in cids:
        send_messages(db, config, ann, cid, "one")
    apply_events()
    unfetched = ("ZRANGE", inbox_keys.member_unfetched(ben), 0, -1)
    assert set(db.run(unfetched)) == set(cids)
    membership.leave(db, config, ben, cids[0])
    apply_events()
    assert fetch(db, config, ben).keys() == set(cids[1:])
    assert db.run(unfetched) == []
    send_messages(db, config, ann, cids[2], "two")
    apply_events()
    assert db.run(unfetched) == [cids[2]]


def test_trips_do_not_grow_with_the_number_of_chats(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")

    def count_trips(call: Callable[[], object]) -> int:
        before = db.trips
        call()
        return db.trips - before

    def trips_with_chats(uid: int, count: int) -> list[int]:
        for number in range(count):
            cid = group(db, config, ann, [uid])
            send_messages(db, config, ann, cid, f"song {number}")
        apply_events()
        return [
            count_trips(lambda: listing.inbox(db, uid)),
            count_trips(lambda: fetched.append(len(fetch(db, config, uid)))),
            count_trips(lambda: db.read(reading.open_page(uid, cid, size=50))),
        ]

    fetched: list[int] = []
    one, many = trips_with_chats(ben, 1), trips_with_chats(cat, 200)
    assert fetched == [1, 200]
    assert one == many and max(one) <= 3
