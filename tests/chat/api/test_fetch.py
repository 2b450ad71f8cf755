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
from webapp.core.site import Site


def test_fetched_messages_stay_until_every_member_fetched_them(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    cid = group(site, ann, [ben, cat])
    groups.change(site, ann, cid, retention="fetched")
    send_messages(site, ann, cid, "one", "two")
    apply_events()
    assert fetch(site, ann) == fetch(site, ben) == {cid: [1, 2]}
    assert texts(all_messages(site.db, ann, cid)) == ["one", "two"]
    send_messages(site, ben, cid, "three")
    apply_events()
    assert fetch(site, ben) == {cid: [3]}
    assert fetch(site, cat) == {cid: [1, 2, 3]}  # now everybody has fetched the first two
    assert texts(all_messages(site.db, ann, cid)) == ["three"]
    membership.leave(site, ann, cid)  # only ann had not fetched the third
    assert all_messages(site.db, ben, cid) == []
    apply_events()
    assert fetch(site, ben) == {}
    [four] = send_messages(site, cat, cid, "four")
    assert four == 4


def test_unmarked_messages_are_fetched_again(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    send_messages(site, ann, cid, "one", "two")
    apply_events()
    for _ in range(2):
        [fetched] = api_fetch.fetch_pending(site, ben, mark_as_fetched=False)
        assert (fetched.chat.id, texts(fetched.messages)) == (cid, ["one", "two"])
    api_fetch.mark_fetched(site.db, ben, {cid: 1})
    assert fetch(site, ben) == {cid: [2]}
    api_fetch.mark_fetched(site.db, ben, {cid: 1})  # late, and backwards
    assert fetch(site, ben) == {}
    api_fetch.mark_fetched(site.db, ben, {cid: 1_000_000})  # beyond the newest message
    send_messages(site, ann, cid, "three")
    apply_events()
    assert fetch(site, ben) == {cid: [3]}


@pytest.mark.parametrize("last_id", [2, 1_000_000])
def test_messages_that_come_during_a_fetch_are_fetched_next(
    site: Site,
    people: People,
    apply_events: ApplyEvents,
    monkeypatch: pytest.MonkeyPatch,
    last_id: int,
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    send_messages(site, ann, cid, "one", "two")
    apply_events()
    remove = api_fetch._remove_fetched

    def remove_later(*arguments: Any) -> None:
        send_messages(site, ann, cid, "later")
        apply_events()
        remove(*arguments)

    monkeypatch.setattr(api_fetch, "_remove_fetched", remove_later)
    assert fetch(site, ben) == {cid: [1, 2]}
    api_fetch.mark_fetched(site.db, ben, {cid: last_id})
    monkeypatch.undo()
    # The first "later" counts as fetched if the program says so.
    assert fetch(site, ben) == {cid: [3, 4] if last_id == 2 else [4]}
    assert fetch(site, ben) == {}


def test_fetching_looks_only_at_chats_with_something_new(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cids = [group(site, ann, [ben]) for _ in range(3)]
    for cid in cids:
        send_messages(site, ann, cid, "one")
    apply_events()
    unfetched = ("ZRANGE", inbox_keys.member_unfetched(ben), 0, -1)
    assert set(site.db.run(unfetched)) == set(cids)
    membership.leave(site, ben, cids[0])
    apply_events()
    assert fetch(site, ben).keys() == set(cids[1:])
    assert site.db.run(unfetched) == []
    send_messages(site, ann, cids[2], "two")
    apply_events()
    assert site.db.run(unfetched) == [cids[2]]


def test_trips_do_not_grow_with_the_number_of_chats(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")

    def count_trips(call: Callable[[], object]) -> int:
        before = site.db.trips
        call()
        return site.db.trips - before

    def trips_with_chats(uid: int, count: int) -> list[int]:
        for number in range(count):
            cid = group(site, ann, [uid])
            send_messages(site, ann, cid, f"song {number}")
        apply_events()
        return [
            count_trips(lambda: listing.inbox(site.db, uid)),
            count_trips(lambda: fetched.append(len(fetch(site, uid)))),
            count_trips(lambda: site.db.read(reading.open_page(uid, cid, size=50))),
        ]

    fetched: list[int] = []
    one, many = trips_with_chats(ben, 1), trips_with_chats(cat, 200)
    assert fetched == [1, 200]
    assert one == many and max(one) <= 3
