"""The backlog counts the events that the streams hold, whatever their groups say."""

from tests.support.world import World
from webapp.core.events import keys
from webapp.core.events.outbox import OUTBOX_GROUPS
from webapp.core.events.status import Backlog, backlog
from webapp.core.store import Db, to_dict

OUTBOX = keys.outbox(7)


def emit(db: Db, count: int) -> list[str]:
    """Add events to one outbox, and return their ids."""
    return [db.run(("XADD", OUTBOX, "*", "type", "posted")) for _ in range(count)]


def create_groups(db: Db) -> None:
    for group in OUTBOX_GROUPS:
        db.run(("XGROUP", "CREATE", OUTBOX, group, "0"))


def read_events(db: Db, group: str, count: int) -> None:
    db.run(("XREADGROUP", "GROUP", group, "owner", "COUNT", count, "STREAMS", OUTBOX, ">"))


def group_info(db: Db, name: str) -> dict[str, str]:
    groups = map(to_dict, db.run(("XINFO", "GROUPS", OUTBOX)))
    return next(group for group in groups if group["name"] == name)


def test_each_group_has_its_own_unread_and_pending_events(world: World) -> None:
    assert world.db.read(backlog()) == Backlog(0, 0)
    ids = emit(world.db, 5)
    create_groups(world.db)
    read_events(world.db, "log", 5)
    world.db.run(("XACK", OUTBOX, "log", *ids[:4]))
    read_events(world.db, "fanout", 2)
    assert world.db.read(backlog()) == Backlog(unread=3 + 5, pending=3)


def test_events_wait_for_all_groups_before_a_worker_has_created_them(world: World) -> None:
    emit(world.db, 4)
    assert world.db.read(backlog()) == Backlog(unread=4 * len(OUTBOX_GROUPS), pending=0)


def test_a_wrong_lag_is_not_believed(world: World) -> None:
    ids = emit(world.db, 5)
    create_groups(world.db)
    for group in OUTBOX_GROUPS:
        read_events(world.db, group, 4)
        world.db.run(("XACK", OUTBOX, group, *ids[:4]))
        world.db.run(("XGROUP", "SETID", OUTBOX, group, ids[3], "ENTRIESREAD", 1))
        assert group_info(world.db, group)["lag"] == 4
    assert world.db.read(backlog()) == Backlog(unread=len(OUTBOX_GROUPS), pending=0)
    world.db.run(("XTRIM", OUTBOX, "MAXLEN", 0))
    assert world.db.read(backlog()) == Backlog(0, 0)


def test_deleted_events_are_neither_unread_nor_pending(world: World) -> None:
    ids = emit(world.db, 6)
    create_groups(world.db)
    for group in OUTBOX_GROUPS:
        read_events(world.db, group, 3)
    world.db.run(("XDEL", OUTBOX, ids[1], ids[4]))
    assert group_info(world.db, "log")["pending"] == 3
    assert world.db.read(backlog()) == Backlog(unread=6, pending=6)


def test_more_events_than_one_page_are_counted(world: World) -> None:
    emit(world.db, 2_001)
    create_groups(world.db)
    read_events(world.db, "log", 1_500)
    assert world.db.read(backlog()) == Backlog(unread=501 + 2 * 2_001, pending=1_500)
