"""The end of polls: late votes, notifications, and deletion."""

import pytest

from tests.support import worker
from tests.support.events import event, waiting_events
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.polls import SONGS, end, post_poll, tally
from tests.support.world import World
from webapp.community.groups import store as groups
from webapp.community.groups.models import Voting
from webapp.core.events import keys as event_keys
from webapp.core.store import PARTITIONS, partition_of
from webapp.notifications import (
    keys as notification_keys,
    kinds,
    poll_projections,
    store as notifications,
)
from webapp.statuses.polls import keys as poll_keys, projections as polls_projections, voting
from webapp.statuses.visibility.groups import GroupKind


def test_a_vote_in_time_counts_when_applied_late(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = world.do(post_poll, ann)
    voting.vote(world, ben, status_id, {0})
    end(world.db, status_id)
    world.do(voting.close_due, range(PARTITIONS))
    assert tally(world.db, status_id) == (1, 0, 0, 1)


def test_the_end_of_a_poll_notifies_author_and_voters_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(poll_projections, "BATCH", 2)
    ann, *voters, cid = world.people("ann", *(f"bird{number}" for number in range(5)), "cid")
    status_id, running = post_poll(world, ann), post_poll(world, ann, text="and later?")
    for uid in voters:
        voting.vote(world, uid, status_id, {0})
    notifications.set_preferences(world.db, voters[4], {"poll": kinds.NOBODY})
    world.apply_events()
    voting.close_due(world, range(PARTITIONS))
    assert world.db.run(("ZCARD", poll_keys.poll_deadlines(partition_of(ann)))) == 2
    assert not waiting_events(world.db, ann)
    end(world.db, status_id)
    for _ in range(2):  # two workers in sequence
        loop = worker.group_loop(world, "fanout", "tests")
        loop.acquire()
        loop._run_jobs()
        loop.release()
    assert waiting_events(world.db, ann) == 1
    expected = [str(running)]
    assert world.db.run(("ZRANGE", poll_keys.poll_deadlines(partition_of(ann)), 0, -1)) == expected
    world.apply_events()

    def notified(uid: int) -> list[int]:
        page = notifications.page(
            world.db, uid, kinds.kinds_in_tab("all"), None, 30, mark_shown_read=False
        )
        return [
            group.status.id for group in page.items if group.status and group.kind.name == "poll"
        ]

    assert [notified(uid) for uid in (ann, *voters, cid)] == [[status_id]] * 5 + [[], []]
    assert world.db.run(("SCARD", notification_keys.unread_notifications(ann))) == 1
    world.do(World.delete, ann, status_id)
    assert [notified(uid) for uid in (ann, voters[0])] == [[], []]


def test_a_vote_counted_after_the_end_still_notifies_the_voter(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status_id = post_poll(world, ann)
    voting.vote(world, ben, status_id, {0})
    events = world.db.run(("XRANGE", event_keys.outbox(partition_of(ben)), "-", "+"))
    vote_event = [fields for _, fields in events if "voted" in fields]
    world.db.run(("DEL", event_keys.outbox(partition_of(ben))))  # applied later
    end(world.db, status_id)
    world.do(voting.close_due, range(PARTITIONS))
    assert world.db.run(("EXISTS", notification_keys.notifications(ben))) == 0
    for _ in range(2):  # twice, as after a crash
        world.db.run(("XADD", event_keys.outbox(partition_of(ben)), "*", *vote_event[0]))
        world.apply_events()
    expected = [f"poll:{ann}:{status_id}"]
    assert world.db.run(("ZRANGE", notification_keys.notifications(ben), 0, -1)) == expected
    running = post_poll(world, ann, text="and later?")
    world.do(voting.vote, cid, running, {0})
    found = world.db.run(("EXISTS", notification_keys.notifications(cid)))
    assert found == 0, "the poll is running"


def test_a_full_outbox_postpones_the_end_of_a_poll(world: World) -> None:
    [ann] = world.people("ann")
    status_id = post_poll(world, ann)
    end(world.db, status_id)
    voting.close_due(with_settings(world, outbox_max=1), range(PARTITIONS))
    assert world.db.run(("ZCARD", poll_keys.poll_deadlines(partition_of(ann)))) == 1
    voting.close_due(world, range(PARTITIONS))
    assert not world.db.run(("ZCARD", poll_keys.poll_deadlines(partition_of(ann))))


@pytest.mark.parametrize("deletion", ["delete", "erase"])
def test_deleting_a_status_deletes_its_poll(deletion: str, world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = post_poll(world, ann)
    world.do(voting.vote, ben, status_id, {0})
    found = {poll_keys.votes(status_id), poll_keys.poll_deadlines(partition_of(ann))}
    assert found <= set(live_keys(world.db))
    if deletion == "delete":
        world.delete(ann, status_id)
    else:
        world.delete_account(ann, None)
    world.apply_events()
    polls_projections.sync_votes(
        world.context, [event("voted", ben, token=10_000, uid=ben, id=status_id, author=0)]
    )
    assert not {poll_keys.votes(status_id), poll_keys.poll_deadlines(partition_of(ann))} & set(
        live_keys(world.db)
    )


def test_the_end_of_a_protected_members_poll_notifies(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")
    world.protect(ann)
    status_id = post_poll(world, ann)
    world.do(voting.vote, ben, status_id, {0})
    end(world.db, status_id)
    world.do(voting.close_due, range(PARTITIONS))
    for uid in (ann, ben):
        found = world.db.run(("ZRANGE", notification_keys.notifications(uid), 0, -1))[-1]
        assert found == f"poll:{ann}:{status_id}"


@pytest.mark.parametrize("is_late", [False, True])
def test_the_end_of_a_poll_in_a_closed_group_notifies_its_members(
    world: World, is_late: bool
) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    gid = groups.create(world, ann, "birders", "Birders", "", GroupKind.CLOSED, Voting.OFF)
    for uid in (ben, cid):
        groups.join(world, uid, gid)
        groups.answer(world, ann, gid, uid, accept=True)
    world.apply_events()
    status_id = world.post(ann, "which song?", groups=[gid], poll=SONGS)
    for uid in (ben, cid):
        voting.vote(world, uid, status_id, {0})
    groups.remove(world, ann, gid, cid, "remove")
    if not is_late:
        world.apply_events()
    end(world.db, status_id)
    voting.close_due(world, range(PARTITIONS))
    if is_late:  # only the votes tell of the end
        world.db.run(("DEL", event_keys.outbox(partition_of(ann))))
    world.apply_events()
    found = {
        uid: world.db.run(("ZRANGE", notification_keys.notifications(uid), 0, -1))
        for uid in (ann, ben, cid)
    }
    notified = [uid for uid, entries in found.items() if f"poll:{ann}:{status_id}" in entries]
    assert notified == ([ben] if is_late else [ann, ben])
