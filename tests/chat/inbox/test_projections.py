"""Events of chats that are repeated, late, or lost with their worker."""

import pytest

from tests.support.chat import (
    all_messages,
    die_before_acknowledging,
    expire_leases,
    fetch,
    group,
    read_events,
    send_messages,
    take_over_partition,
    texts,
    unread,
)
from tests.support.world import World
from webapp.chat import keys as chat_keys
from webapp.chat.inbox import chat_state, keys as inbox_keys
from webapp.chat.members import group_chats, membership
from webapp.chat.messages import sending
from webapp.core.errors import LeaseLost


def test_applying_events_twice_changes_nothing(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    send_messages(world, ann, cid, "one", "two", "three")
    sending.delete(world, ann, cid, 3)
    partition = chat_keys.chat_partition(cid)
    first = take_over_partition(world, partition, "first")
    reply = read_events(world.db, first)
    die_before_acknowledging(first, reply)
    expected = {ann: unread(world.db, ann), ben: unread(world.db, ben)}
    assert expected == {ann: {cid: 0}, ben: {cid: 2}}
    second = take_over_partition(world, partition, "second")
    second.apply(read_events(world.db, second), lambda: None)
    assert {uid: unread(world.db, uid) for uid in (ann, ben)} == expected
    with pytest.raises(LeaseLost):
        first.apply(reply, lambda: None)
    expire_leases(world.db, range(64))
    world.apply_events()
    assert {uid: unread(world.db, uid) for uid in (ann, ben)} == expected


def test_late_batch_does_not_undo_newer_changes(world: World) -> None:
    """A worker applies events that it read long ago, after newer ones were applied."""
    ann, ben, cat = world.people("ann", "ben", "cat")
    cid = group(world, ann, [ben, cat])
    send_messages(world, ann, cid, "one")
    partition = chat_keys.chat_partition(cid)
    slow = take_over_partition(world, partition, "slow")
    late = read_events(world.db, slow)
    membership.leave(world, ben, cid)
    send_messages(world, ann, cid, "two", "three")
    chat_state.mark_read(world.db, cat, cid, 2)
    expire_leases(world.db, range(64))
    world.apply_events()
    before = [unread(world.db, uid) for uid in (ann, ben, cat)]
    assert before == [{cid: 0}, {}, {cid: 1}]
    # The slow worker has lost its lease. A new owner that reads the same events does no harm.
    with pytest.raises(LeaseLost):
        slow.apply(late, lambda: None)
    fresh = take_over_partition(world, partition, "fresh")
    fresh.apply(late, lambda: None)
    assert [unread(world.db, uid) for uid in (ann, ben, cat)] == before
    expire_leases(world.db, range(64))


def test_late_batch_does_not_restore_a_deleted_chat(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    send_messages(world, ann, cid, "one")
    partition = chat_keys.chat_partition(cid)
    late = read_events(world.db, take_over_partition(world, partition, "slow"))
    group_chats.delete(world, ann, cid)
    expire_leases(world.db, range(64))
    world.apply_events()
    take_over_partition(world, partition, "fresh").apply(late, lambda: None)
    assert [unread(world.db, uid) for uid in (ann, ben)] == [{}, {}]
    found = [world.db.run(("HGETALL", inbox_keys.member_chat_state(uid))) for uid in (ann, ben)]
    assert found == [[], []]
    expire_leases(world.db, range(64))


def test_worker_that_dies_before_projecting_loses_nothing(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    send_messages(world, ann, cid, "one")
    dead = take_over_partition(world, chat_keys.chat_partition(cid), "dead")
    assert read_events(world.db, dead), "read but not applied"
    assert unread(world.db, ben) == {}
    expire_leases(world.db, range(64))
    world.apply_events()
    assert unread(world.db, ben) == {cid: 1}
    assert fetch(world, ben) == {cid: [1]}


def test_event_of_leaving_does_not_remove_a_rejoined_member(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben], "open")
    world.do(send_messages, ann, cid, "one")
    membership.leave(world, ben, cid)
    membership.join(world, ben, cid)
    world.do(send_messages, ann, cid, "two")
    assert unread(world.db, ben) == {cid: 1}
    assert fetch(world, ben) == {cid: [2]}
    assert texts(all_messages(world.db, ben, cid)) == ["two"]
