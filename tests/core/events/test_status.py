"""The backlog counts the events that the streams hold, whatever their groups say."""

from __future__ import annotations

from webapp.config import Config
from webapp.core.events import keys
from webapp.core.events.outbox import OUTBOX_GROUPS
from webapp.core.events.status import Backlog, backlog
from webapp.core.store.client import Db
from webapp.core.store.reads import to_dict

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


def test_each_group_has_its_own_unread_and_pending_events(db: Db, config: Config) -> None:
    assert db.read(backlog()) == Backlog(0, 0)
    ids = emit(db, 5)
    create_groups(db)
    read_events(db, "log", 5)
    db.run(("XACK", OUTBOX, "log", *ids[:4]))
    read_events(db, "fanout", 2)
    assert db.read(backlog()) == Backlog(unread=3 + 5, pending=3)


def test_events_wait_for_all_groups_before_a_worker_has_created_them(
    db: Db, config: Config
) -> None:
    emit(db, 4)
    assert db.read(backlog()) == Backlog(unread=4 * len(OUTBOX_GROUPS), pending=0)


def test_a_wrong_lag_is_not_believed(db: Db, config: Config) -> None:
    ids = emit(db, 5)
    create_groups(db)
    for group in OUTBOX_GROUPS:
        read_events(db, group, 4)
        db.run(("XACK", OUTBOX, group, *ids[:4]))
        db.run(("XGROUP", "SETID", OUTBOX, group, ids[3], "ENTRIESREAD", 1))
        assert group_info(db, group)["lag"] == 4
    assert db.read(backlog()) == Backlog(unread=len(OUTBOX_GROUPS), pending=0)
    db.run(("XTRIM", OUTBOX, "MAXLEN", 0))
    assert db.read(backlog()) == Backlog(0, 0)


def test_deleted_events_are_neither_unread_nor_pending(db: Db, config: Config) -> None:
    ids = emit(db, 6)
    create_groups(db)
    for group in OUTBOX_GROUPS:
        read_events(db, group, 3)
    db.run(("XDEL", OUTBOX, ids[1], ids[4]))
    assert group_info(db, "log")["pending"] == 3
    assert db.read(backlog()) == Backlog(unread=6, pending=6)


def test_more_events_than_one_page_are_counted(db: Db, config: Config) -> None:
    emit(db, 2_001)
    create_groups(db)
    read_events(db, "log", 1_500)
    assert db.read(backlog()) == Backlog(unread=501 + 2 * 2_001, pending=1_500)
