"""Fetch pending messages and mark them as fetched."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.chat import all_messages, fetch, group, send_messages, texts
from tests.support.world import World
from webapp.chat import reading
from webapp.chat.api import fetch as api_fetch
from webapp.chat.inbox import keys as inbox_keys, listing
from webapp.chat.members import group_chats, membership


def test_fetched_messages_stay_until_every_member_fetched_them(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    cid = group(world, ann, [ben, cat])
    group_chats.change(world, ann, cid, retention="fetched")
    world.do(send_messages, ann, cid, "one", "two")
    assert fetch(world, ann) == fetch(world, ben) == {cid: [1, 2]}
    assert texts(all_messages(world.db, ann, cid)) == ["one", "two"]
    world.do(send_messages, ben, cid, "three")
    assert fetch(world, ben) == {cid: [3]}
    assert fetch(world, cat) == {cid: [1, 2, 3]}  # now everybody has fetched the first two
    assert texts(all_messages(world.db, ann, cid)) == ["three"]
    membership.leave(world, ann, cid)  # only ann had not fetched the third
    assert all_messages(world.db, ben, cid) == []
    world.apply_events()
    assert fetch(world, ben) == {}
    [four] = send_messages(world, cat, cid, "four")
    assert four == 4
    for uid in (ben, cat):
        api_fetch.mark_fetched(world.db, uid, {cid: four})
    assert all_messages(world.db, cat, cid) == []


def test_unmarked_messages_are_fetched_again(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    world.do(send_messages, ann, cid, "one", "two")
    for _ in range(2):
        [fetched] = api_fetch.fetch_pending(world, ben, mark_as_fetched=False)
        assert (fetched.chat.id, texts(fetched.messages)) == (cid, ["one", "two"])
    api_fetch.mark_fetched(world.db, ben, {cid: 1})
    assert fetch(world, ben) == {cid: [2]}
    api_fetch.mark_fetched(world.db, ben, {cid: 1})  # late, and backwards
    assert fetch(world, ben) == {}
    api_fetch.mark_fetched(world.db, ben, {cid: 1_000_000})  # beyond the newest message
    world.do(send_messages, ann, cid, "three")
    assert fetch(world, ben) == {cid: [3]}


@pytest.mark.parametrize("last_id", [2, 1_000_000])
def test_messages_that_come_during_a_fetch_are_fetched_next(
    world: World, monkeypatch: pytest.MonkeyPatch, last_id: int
) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    world.do(send_messages, ann, cid, "one", "two")
    remove = api_fetch._remove_fetched

    def remove_later(*arguments: Any) -> None:
        world.do(send_messages, ann, cid, "later")
        remove(*arguments)

    monkeypatch.setattr(api_fetch, "_remove_fetched", remove_later)
    assert fetch(world, ben) == {cid: [1, 2]}
    api_fetch.mark_fetched(world.db, ben, {cid: last_id})
    monkeypatch.undo()
    # The first "later" counts as fetched if the program says so.
    assert fetch(world, ben) == {cid: [3, 4] if last_id == 2 else [4]}
    assert fetch(world, ben) == {}


def test_fetching_looks_only_at_chats_with_something_new(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cids = [group(world, ann, [ben]) for _ in range(3)]
    for cid in cids:
        send_messages(world, ann, cid, "one")
    world.apply_events()
    unfetched = ("ZRANGE", inbox_keys.member_unfetched(ben), 0, -1)
    assert set(world.db.run(unfetched)) == set(cids)
    world.do(membership.leave, ben, cids[0])
    assert fetch(world, ben).keys() == set(cids[1:])
    assert world.db.run(unfetched) == []
    world.do(send_messages, ann, cids[2], "two")
    assert world.db.run(unfetched) == [cids[2]]


def test_trips_do_not_grow_with_the_number_of_chats(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")

    def count_trips(call: Callable[[], object]) -> int:
        before = world.db.trips
        call()
        return world.db.trips - before

    def trips_with_chats(uid: int, count: int) -> list[int]:
        for number in range(count):
            cid = group(world, ann, [uid])
            send_messages(world, ann, cid, f"song {number}")
        world.apply_events()
        return [
            count_trips(lambda: listing.inbox(world.db, uid)),
            count_trips(lambda: fetched.append(len(fetch(world, uid)))),
            count_trips(lambda: world.db.read(reading.open_page(uid, cid, size=50))),
        ]

    fetched: list[int] = []
    one, many = trips_with_chats(ben, 1), trips_with_chats(cat, 200)
    assert fetched == [1, 200]
    assert one == many and max(one) <= 3
