"""The log of events in the store."""

from tests.support.timelines import post as post_texts
from tests.support.world import World
from webapp.core.events.outbox import Event
from webapp.streaming import keys as stream_keys
from webapp.streaming.hub.hub import Hub
from webapp.streaming.log import projections
from webapp.streaming.log.messages import Message
from webapp.streaming.log.position import LOG_START
from webapp.streaming.log_reader import LogReader


def test_after_returns_entries_between_two_positions(world: World) -> None:
    [ann] = world.people("ann")
    log = LogReader(world.db, Hub(1, 1))
    assert log.available_range() == (LOG_START, LOG_START)
    posted = world.do(post_texts, ann, *"abcd")
    world.apply_events()
    entries = log.after(LOG_START, log.available_range().newest)
    assert [int(entry.event["id"]) for entry in entries] == posted
    assert log.after(entries[0].position, entries[2].position) == entries[1:3]
    assert log.after(entries[-1].position, log.available_range().newest) == []
    assert {entry.author for entry in entries} == {ann}


def test_untrimmed_log_reaches_back_to_its_start(world: World) -> None:
    [ann] = world.people("ann")
    log = LogReader(world.db, Hub(1, 1))
    for number in (1, 2, 3):
        data = {"id": str(number), "author": str(ann)}
        event = Event(f"{number}-0", 1, "log", 1, "posted", "-", data)
        projections.append(world.context, [event])
    entries = log.after(LOG_START, log.available_range().newest)
    assert log.available_range() == (LOG_START, entries[2].position)
    world.db.run(("XTRIM", stream_keys.event_log(), "MAXLEN", "=", 2))
    assert log.available_range() == (entries[1].position, entries[2].position)


def test_deleted_status_appears_only_as_a_deletion(world: World) -> None:
    [ann] = world.people("ann")
    log = LogReader(world.db, Hub(1, 1))
    first, second = post_texts(world, ann, *"ab")
    world.do(World.delete, ann, first)
    messages = log.messages(log.after(LOG_START, log.available_range().newest))
    kinds = [(part.kind, part.status_id) for part in messages if isinstance(part, Message)]
    assert kinds == [("update", second), ("delete", first)]


def test_repeated_event_is_logged_once(world: World) -> None:
    [ann] = world.people("ann")
    [posted] = post_texts(world, ann, "a")
    data = {"id": str(posted), "author": str(ann)}
    for oid in ("99-1", "100-0", "99-1", "100-0", "100-1", "99-9"):
        event = Event(oid, 1, "log", 1, "posted", "-", data)
        projections.append(world.context, [event])
    entries = world.db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    assert [fields[fields.index("oid") + 1] for _, fields in entries] == ["99-1", "100-0", "100-1"]


def test_an_entry_that_cannot_be_read_keeps_none_from_its_readers(world: World) -> None:
    [ann] = world.people("ann")
    log = LogReader(world.db, Hub(1, 1))
    before = world.do(post_texts, ann, "a")
    world.apply_events()
    world.db.run(("XADD", stream_keys.event_log(), "*", "type", "posted", "id", "no number"))
    after = world.do(post_texts, ann, "b")
    world.apply_events()
    items = log._readable(log.after(LOG_START, log.available_range().newest))
    assert [item.status_id for item in items if isinstance(item, Message)] == [*before, *after]
