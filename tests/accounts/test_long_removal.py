"""Removing a member who wrote very much delays nobody, and survives the death of its workers."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.conftest import People
from tests.support import worker
from tests.support.event_groups import acquired
from tests.support.members.deletions import check_deleted
from tests.support.timelines import home, post
from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.core.errors import LeaseLost
from webapp.core.events import keys as event_keys
from webapp.core.events.group_loop import GroupLoop
from webapp.core.events.outbox import BULK, OUTBOX_GROUPS
from webapp.core.store import PARTITIONS, Command, Db, Site, partition_of
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.streaming import keys as stream_keys
from webapp.timelines import keys as timeline_keys, store as timelines

MANY, SOME = 50_000, 4_000  # statuses
CHUNK = 1_000  # statuses that the test writes in one trip
SLICE = 200  # most statuses that one slice may erase


def write_history(db: Db, uid: int, fan: int, count: int) -> list[int]:
    """Write old statuses straight into the store, and return their ids. `fan` boosts some."""
    ids = [(1_000_000 + number) * PARTITIONS + partition_of(uid) for number in range(count)]
    for start in range(0, count, CHUNK):
        db.trip(*(one for id_ in ids[start : start + CHUNK] for one in status_commands(uid, id_)))
    for boosted in ids[:: max(count // 700, 1)]:
        db.run(("ZADD", interaction_keys.boosters(boosted), 1, fan))
        db.run(("ZADD", interaction_keys.member_boosts(fan), boosted + 1, f"{boosted}:{uid}"))
    return ids


def status_commands(uid: int, status_id: int) -> Iterator[Command]:
    fields = ("author", uid, "text", f"status {status_id}", "entities", "[]")
    yield ("HSET", status_keys.status(status_id), *fields)
    if status_id // PARTITIONS % 10:
        yield ("ZADD", status_keys.profile_statuses(uid), status_id, status_id)
    else:
        yield ("ZADD", status_keys.profile_replies(uid), status_id, f"{status_id}:{uid + 1}")


def neighbour(db: Db, people: People, uid: int, login: str) -> int:
    """Sign up a member of the same partition."""
    db.run(("SET", account_keys.last_uid(), uid + PARTITIONS - 1))
    [other] = people(login)
    assert partition_of(other) == partition_of(uid)
    return other


def progress(db: Db, uid: int) -> tuple[int, list[str]]:
    """Return how much of a member is left, and where the slices of the removal have arrived."""
    return left(db, uid), db.run(("HGETALL", event_keys.bulk_progress(partition_of(uid))))


def left(db: Db, uid: int) -> int:
    """Return how many statuses a member has."""
    return sum(db.trip(*(("ZCARD", key) for key in status_keys.authored_lists(uid))))


def poll_all(*loops: GroupLoop) -> None:
    """Apply all events that wait for these groups."""
    for loop in loops:
        while loop.poll(range(PARTITIONS)):
            pass


@pytest.fixture
def author(db: Db, world: World) -> tuple[int, int]:
    """Sign up an author of SOME statuses, and a member who boosted some of them."""
    ann, fan = world.people("ann", "fan")
    world.apply_events()
    write_history(db, ann, fan, SOME)
    return ann, fan


@pytest.mark.long
def test_others_post_and_are_read_while_an_account_is_removed(world: World) -> None:
    ann, fan = world.people("ann", "fan")
    count = MANY if world.db.is_single_server else SOME
    write_history(world.db, ann, fan, count)
    ben = neighbour(world.db, world.people, ann, "ben")
    world.follow(fan, "ben")
    loops = [acquired(world, group, "one") for group in OUTBOX_GROUPS]
    bulk = acquired(world, BULK, "one")
    poll_all(*loops)
    world.delete_account(ann, None)
    poll_all(*loops)
    remaining, slices, posted = [left(world.db, ann)], 0, []
    while bulk.poll(range(PARTITIONS)):
        slices += 1
        remaining.append(left(world.db, ann))
        if slices % 5 == 0 and remaining[-1]:
            posted += post(world, ben, f"after {slices} slices")
            poll_all(*loops)
            newest = world.db.run(("XREVRANGE", stream_keys.event_log(), "+", "-", "COUNT", 1))
            assert str(posted[-1]) in newest[0][1], "streams have it"
            assert home(world, fan)[0] == posted[-1]
            assert timelines.public(world).items[0].id == posted[-1]
            assert left(world.db, ann) == remaining[-1], "the removal was not driven on by it"
    assert remaining[0] == count and remaining[-1] == 0
    assert max(a - b for a, b in pairwise(remaining)) <= SLICE
    assert slices >= count // SLICE and len(posted) >= count // SLICE // 5 - 1
    for loop in (*loops, bulk):
        loop.release()
    check_deleted(world, ann, "ann", [ben, fan])
    assert not world.db.run(("EXISTS", interaction_keys.member_boosts(fan)))


def delete_and_hand_over(world: World, uid: int) -> None:
    """Delete an account, and let all groups but the last apply that."""
    world.delete_account(uid, None)
    for group in OUTBOX_GROUPS:
        loop = acquired(world, group, "one")
        poll_all(loop)
        loop.release()


def kill_workers(site: Site, uid: int, count: int) -> None:
    """Let workers do two slices each of a member's removal, and never be heard of again."""
    before = progress(site.db, uid)
    for number in range(count):
        loop = acquired(site, BULK, f"killed-{number}")
        for _ in range(2):
            loop.poll([partition_of(uid)])
        site.db.run(("HSET", event_keys.lease(partition_of(uid), BULK), "until", 0))
        assert progress(site.db, uid) != before or number == 0, "nobody begins from the front"
        before = progress(site.db, uid)


def test_a_removal_goes_on_after_workers_were_killed_between_and_within_slices(
    world: World, author: tuple[int, int]
) -> None:
    ann, fan = author
    delete_and_hand_over(world, ann)
    kill_workers(world, ann, 16)
    loop = acquired(world, BULK, "in between")
    while left(world.db, ann) == SOME:  # the search index comes first
        loop.poll(range(PARTITIONS))
    loop.release()
    left_before = left(world.db, ann)
    kill_workers(world, ann, 4)
    assert left(world.db, ann) < left_before, "some were removed by workers that were killed"
    for partition in range(PARTITIONS):
        world.db.run(("HSET", event_keys.lease(partition, BULK), "until", 0))
    world.apply_events()
    check_deleted(world, ann, "ann", [fan])


def test_a_worker_that_lost_its_lease_in_a_removal_changes_nothing_more(
    world: World, author: tuple[int, int]
) -> None:
    ann, _ = author
    delete_and_hand_over(world, ann)
    partition = partition_of(ann)
    old, new = (worker.bulk_consumer(world, partition, token) for token in (1_000, 1_001))
    for consumer in (old, new):
        world.db.run(("HSET", event_keys.lease(partition, BULK), "token", consumer.token))
        reply = world.db.trip_with_errors([consumer.command()])[0]
        if consumer is old:
            late = reply
        consumer.apply(reply, lambda: None)
    before = left(world.db, ann)
    with pytest.raises(LeaseLost):
        old.apply(late, lambda: None)
    assert left(world.db, ann) == before
    assert not world.db.run(("EXISTS", timeline_keys.tag_index(ann)))
    world.apply_events()
    assert left(world.db, ann) == 0
