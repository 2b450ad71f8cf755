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
from webapp.core.errors import LeaseLost
from webapp.core.site import Site


def test_applying_events_twice_changes_nothing(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    send_messages(site, ann, cid, "one", "two")
    partition = chat_keys.chat_partition(cid)
    first = take_over_partition(site, partition, "first")
    reply = read_events(site.db, first)
    die_before_acknowledging(first, reply)
    expected = {ann: unread(site.db, ann), ben: unread(site.db, ben)}
    assert expected == {ann: {cid: 0}, ben: {cid: 2}}
    second = take_over_partition(site, partition, "second")
    second.apply(read_events(site.db, second), lambda: None)
    assert {uid: unread(site.db, uid) for uid in (ann, ben)} == expected
    with pytest.raises(LeaseLost):
        first.apply(reply, lambda: None)
    expire_leases(site.db, range(64))
    apply_events()
    assert {uid: unread(site.db, uid) for uid in (ann, ben)} == expected


def test_late_batch_does_not_undo_newer_changes(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    """A worker applies events that it read long ago, after newer ones were applied."""
    ann, ben, cat = people("ann", "ben", "cat")
    cid = group(site, ann, [ben, cat])
    send_messages(site, ann, cid, "one")
    partition = chat_keys.chat_partition(cid)
    slow = take_over_partition(site, partition, "slow")
    late = read_events(site.db, slow)
    membership.leave(site, ben, cid)
    send_messages(site, ann, cid, "two", "three")
    chat_state.mark_read(site.db, cat, cid, 2)
    expire_leases(site.db, range(64))
    apply_events()
    before = [unread(site.db, uid) for uid in (ann, ben, cat)]
    assert before == [{cid: 0}, {}, {cid: 1}]
    # The slow worker has lost its lease. A new owner that reads the same events does no harm.
    with pytest.raises(LeaseLost):
        slow.apply(late, lambda: None)
    fresh = take_over_partition(site, partition, "fresh")
    fresh.apply(late, lambda: None)
    assert [unread(site.db, uid) for uid in (ann, ben, cat)] == before
    expire_leases(site.db, range(64))


def test_late_batch_does_not_restore_a_deleted_chat(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    send_messages(site, ann, cid, "one")
    partition = chat_keys.chat_partition(cid)
    late = read_events(site.db, take_over_partition(site, partition, "slow"))
    groups.delete(site, ann, cid)
    expire_leases(site.db, range(64))
    apply_events()
    take_over_partition(site, partition, "fresh").apply(late, lambda: None)
    assert [unread(site.db, uid) for uid in (ann, ben)] == [{}, {}]
    assert [site.db.run(("HGETALL", inbox_keys.member_chat_state(uid))) for uid in (ann, ben)] == [
        [],
        [],
    ]
    expire_leases(site.db, range(64))


def test_worker_that_dies_before_projecting_loses_nothing(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    send_messages(site, ann, cid, "one")
    dead = take_over_partition(site, chat_keys.chat_partition(cid), "dead")
    assert read_events(site.db, dead), "read but not applied"
    assert unread(site.db, ben) == {}
    expire_leases(site.db, range(64))
    apply_events()
    assert unread(site.db, ben) == {cid: 1}
    assert fetch(site, ben) == {cid: [1]}


def test_event_of_leaving_does_not_remove_a_rejoined_member(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben], "open")
    send_messages(site, ann, cid, "one")
    apply_events()
    membership.leave(site, ben, cid)
    membership.join(site, ben, cid)
    send_messages(site, ann, cid, "two")
    apply_events()
    assert unread(site.db, ben) == {cid: 1}
    assert fetch(site, ben) == {cid: [2]}
    assert texts(all_messages(site.db, ben, cid)) == ["two"]
