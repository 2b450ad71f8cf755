"""Events of chats that are repeated, late, or lost with their worker."""

from __future__ import annotations

import pytest

from tests.conftest import ApplyEvents, People
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
from webapp.chat import keys as chat_keys
from webapp.chat.inbox import chat_state
from webapp.chat.inbox import keys as inbox_keys
from webapp.chat.members import groups, membership
from webapp.config import Config
from webapp.core.errors import LeaseLost
from webapp.core.store.client import Db


def test_applying_events_twice_changes_nothing(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    send_messages(db, config, ann, cid, "one", "two")
    partition = chat_keys.chat_partition(cid)
    first = take_over_partition(db, config, partition, "first")
    reply = read_events(db, first)
    die_before_acknowledging(first, reply)
    expected = {ann: unread(db, ann), ben: unread(db, ben)}
    assert expected == {ann: {cid: 0}, ben: {cid: 2}}
    second = take_over_partition(db, config, partition, "second")
    second.apply(read_events(db, second), lambda: None)
    assert {uid: unread(db, uid) for uid in (ann, ben)} == expected
    with pytest.raises(LeaseLost):
        first.apply(reply, lambda: None)
    expire_leases(db, range(64))
    apply_events()
    assert {uid: unread(db, uid) for uid in (ann, ben)} == expected


def test_late_batch_does_not_undo_newer_changes(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    """A worker applies events that it read long ago, after newer ones were applied."""
    ann, ben, cat = people("ann", "ben", "cat")
    cid = group(db, config, ann, [ben, cat])
    send_messages(db, config, ann, cid, "one")
    partition = chat_keys.chat_partition(cid)
    slow = take_over_partition(db, config, partition, "slow")
    late = read_events(db, slow)
    membership.leave(db, config, ben, cid)
    send_messages(db, config, ann, cid, "two", "three")
    chat_state.mark_read(db, cat, cid, 2)
    expire_leases(db, range(64))
    apply_events()
    before = [unread(db, uid) for uid in (ann, ben, cat)]
    assert before == [{cid: 0}, {}, {cid: 1}]
    # The slow worker has lost its lease. A new owner that reads the same events does no harm.
    with pytest.raises(LeaseLost):
        slow.apply(late, lambda: None)
    fresh = take_over_partition(db, config, partition, "fresh")
    fresh.apply(late, lambda: None)
    assert [unread(db, uid) for uid in (ann, ben, cat)] == before
    expire_leases(db, range(64))


def test_late_batch_does_not_restore_a_deleted_chat(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    send_messages(db, config, ann, cid, "one")
    partition = chat_keys.chat_partition(cid)
    late = read_events(db, take_over_partition(db, config, partition, "slow"))
    groups.delete(db, config, ann, cid)
    expire_leases(db, range(64))
    apply_events()
    take_over_partition(db, config, partition, "fresh").apply(late, lambda: None)
    assert [unread(db, uid) for uid in (ann, ben)] == [{}, {}]
    assert [db.run(("HGETALL", inbox_keys.member_chat_state(uid))) for uid in (ann, ben)] == [
        [],
        [],
    ]
    expire_leases(db, range(64))


def test_worker_that_dies_before_projecting_loses_nothing(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    send_messages(db, config, ann, cid, "one")
    dead = take_over_partition(db, config, chat_keys.chat_partition(cid), "dead")
    assert read_events(db, dead), "read but not applied"
    assert unread(db, ben) == {}
    expire_leases(db, range(64))
    apply_events()
    assert unread(db, ben) == {cid: 1}
    assert fetch(db, config, ben) == {cid: [1]}


def test_event_of_leaving_does_not_remove_a_rejoined_member(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben], "open")
    send_messages(db, config, ann, cid, "one")
    apply_events()
    membership.leave(db, config, ben, cid)
    membership.join(db, config, ben, cid)
    send_messages(db, config, ann, cid, "two")
    apply_events()
    assert unread(db, ben) == {cid: 1}
    assert fetch(db, config, ben) == {cid: [2]}
    assert texts(all_messages(db, ben, cid)) == ["two"]
