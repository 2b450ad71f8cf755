"""Live counts: many changes of a status become one event with the counts after the last."""

from time import sleep

import pytest

from tests.support.concurrently import at_once
from tests.support.events import event_log
from tests.support.world import World
from webapp.core.store import PARTITIONS, Db, partition_of
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.live_counts import changes, keys

Patch = pytest.MonkeyPatch
COUNTS = ("replies", "boosts", "quotes", "likes")


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let counts be due at once."""
    monkeypatch.setattr(changes, "DELAY_MS", 0)


def counted(db: Db) -> list[tuple[int, dict[str, str]]]:
    """Return each entry of the log about counts: the status's id and its counts."""
    return [
        (int(event["id"]), {name: event[name] for name in COUNTS if name in event})
        for event in event_log(db)
        if event["type"] == "counted"
    ]


def test_very_many_likes_are_one_event_with_the_last_count(world: World) -> None:
    ann, *birds = world.people("ann", *(f"bird{number}" for number in range(20)))
    status_id = world.post(ann, "a song")
    at_once(10, lambda uid: world.like(uid, status_id), birds[:-1])
    world.apply_events()
    world.do(World.like, birds[-1], status_id)  # noted on its own
    assert counted(world.db) == []
    at_once(10, lambda _: changes.emit_due(world, range(PARTITIONS)), range(50))
    world.apply_events()
    assert counted(world.db) == [(status_id, {"likes": "20"})]
    assert not world.db.run(("EXISTS", keys.changed_counts(partition_of(status_id))))
    world.do(World.unlike, birds[0], status_id)
    world.do(changes.emit_due, range(PARTITIONS))
    assert counted(world.db)[-1] == (status_id, {"likes": "19"})


def test_later_likes_do_not_put_off_the_event(world: World, monkeypatch: Patch) -> None:
    monkeypatch.setattr(changes, "DELAY_MS", 60_000)
    ann, *birds = world.people("ann", "ben", "cid")
    status_id = world.post(ann, "a song")
    key, due = keys.changed_counts(partition_of(status_id)), set()
    for uid in birds:
        world.do(World.like, uid, status_id)
        sleep(0.002)  # so that another due time would be another millisecond
        due.add(world.db.run(("ZSCORE", key, status_id)))
    world.do(changes.emit_due, range(PARTITIONS))
    assert len(due) == 1 and counted(world.db) == [], "nothing is due before"


def test_replies_boosts_and_quotes_count_on_their_status(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = world.post(ann, "a song")
    reply = world.post(ben, "indeed", reply=status_id)
    world.post(ben, "look", quote=status_id)
    world.do(World.boost, ben, status_id)
    world.do(changes.emit_due, range(PARTITIONS))
    assert counted(world.db) == [(status_id, {"replies": "1", "boosts": "1", "quotes": "1"})]
    world.do(statuses.delete, ben, reply)
    world.do(changes.emit_due, range(PARTITIONS))
    assert counted(world.db)[-1] == (status_id, {"boosts": "1", "quotes": "1"})


def test_replies_and_quotes_that_do_not_count_are_not_told(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    status_id = world.post(ann, "a song")
    world.protect(cat)
    for number, (uid, visibility) in enumerate(
        ((ben, Visibility.FOLLOWERS), (ben, Visibility.MENTIONED), (cat, Visibility.PUBLIC))
    ):
        for name in ("reply", "quote"):
            form_key = f"form-{number}-{name}"
            options = {"visibility": visibility, name: status_id}
            one = world.do(statuses.post, uid, parse("@ann psst"), form_key, **options)  # type: ignore[arg-type]
            world.do(statuses.delete, uid, one)
    assert not world.db.run(("EXISTS", keys.changed_counts(partition_of(status_id))))


def test_counts_of_restricted_protected_and_deleted_statuses_are_not_told(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    mentioned = Visibility.MENTIONED
    restricted = world.post(ann, "@ben psst", visibility=mentioned)
    protected = world.post(ann, "a song")
    deleted = world.post(ann, "oops")
    for status_id in (restricted, protected, deleted):
        world.like(ben, status_id)
    world.apply_events()
    statuses.delete(world, ann, deleted)
    world.protect(ann)
    world.do(changes.emit_due, range(PARTITIONS))
    found = [counts for _, counts in counted(world.db)]
    assert found == [{}], "a number of the protected one, no count"


def test_nothing_is_told_before_its_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "DELAY_MS", 3_600_000)
    ann, ben = world.people("ann", "ben")
    status_id = world.post(ann, "a song")
    world.do(World.like, ben, status_id)
    world.do(changes.emit_due, range(PARTITIONS))
    assert counted(world.db) == []
    assert world.db.run(("ZCARD", keys.changed_counts(partition_of(status_id)))) == 1
