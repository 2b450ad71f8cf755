"""Projections add entries to sorted sets, and remove them, by one script."""

from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.community.groups import keys as group_keys
from webapp.core.events.outbox import SYNC_ENTRY, Event

EVENT = Event("1-0", 1, "log", 1, "posted", "-", {})


def test_an_entry_is_added_once_bounded_and_removed(world: World) -> None:
    directory = group_keys.group_directory()
    for number in (1, 2, 2, 3):
        score = {"entry": number, "score": number, "limit": 2}
        world.db.run(SYNC_ENTRY(EVENT, entries=directory, **score))
    assert world.db.run(("ZRANGE", directory, 0, -1)) == ["2", "3"]
    world.db.run(SYNC_ENTRY(EVENT, entries=directory, entry=2))
    assert world.db.run(("ZRANGE", directory, 0, -1)) == ["3"]


def test_a_deleted_account_gets_no_entry(world: World) -> None:
    [ann] = world.people("ann")
    listed = {"entries": group_keys.invited_to(ann), "account": account_keys.user(ann)}
    world.delete_account(ann, None)
    assert world.db.run(SYNC_ENTRY(EVENT, **listed, entry=7, score=1, limit=9)) == 0
    assert not world.db.run(("EXISTS", group_keys.invited_to(ann)))
