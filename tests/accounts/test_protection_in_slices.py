"""Slices of protection and its end, and what happens between any two of their trips."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from tests.conftest import long
from tests.support.event_groups import acquired, run_groups
from tests.support.world import World, post
from webapp.core.events import keys as event_keys, outbox
from webapp.core.events.outbox import BULK, OUTBOX_GROUPS
from webapp.core.store import PARTITIONS, Command, Db, Site, partition_of
from webapp.core.text.parser import parse
from webapp.statuses.edits import editing
from webapp.statuses.quotes import keys as quote_keys
from webapp.statuses.threads import keys as thread_keys
from webapp.timelines import keys as timeline_keys

pytestmark = pytest.mark.slow


class InterruptedDb(Db):
    """Calls a function once, before this trip."""

    def __init__(self, db: Db, trips: int, interrupt: Callable[[], None]) -> None:
        self.__dict__.update(db.__dict__)
        self.trips_left, self._interrupt = trips, interrupt

    def trip(self, *commands: Command) -> list[Any]:
        self.trips_left -= 1
        if self.trips_left == -1:
            self._interrupt()
        return super().trip(*commands)

    def run(self, command: Command) -> Any:
        return self.trip(command)[0]


@pytest.mark.parametrize(
    ("what", "step"),
    [
        ("delete", 3),
        *(long(what, 1) for what in ("delete", "edit", "protect", "protect, by a new owner")),
    ],
)
def test_what_happens_between_two_trips_of_a_slice_is_not_undone(
    world: World, monkeypatch: pytest.MonkeyPatch, what: str, step: int
) -> None:
    monkeypatch.setattr(outbox, "BATCH", 2)
    for trips in count(step=step if world.db.is_single_server else 7):
        ann, ben = world.people(f"ann{trips}", f"ben{trips}")
        about = post(world, ben, "what do you say?")
        for _ in "12":
            post(world, ann, f"#old{trips}", quote=about)
        status_id = post(world, ann, f"#old{trips}", quote=about)
        reply = world.do(post, ann, f"#old{trips}", reply=about)
        world.do(World.protect, ann)
        world.protect(ann, False)
        run_groups(world, *OUTBOX_GROUPS)

        def interrupt(
            ann: int = ann, trips: int = trips, status_ids: tuple[int, ...] = (status_id, reply)
        ) -> None:
            if what.startswith("protect"):
                world.protect(ann)
            for one in status_ids:
                if what == "delete":
                    world.delete(ann, one)
                elif what == "edit":
                    editing.edit(world, ann, one, parse(f"#new{trips}"), "", "0")
            run_groups(world, *OUTBOX_GROUPS)
            if what.endswith("new owner"):  # who does everything before the old one goes on
                world.db.run(("HSET", event_keys.lease(partition_of(ann), BULK), "until", 0))
                run_groups(world, BULK)

        interrupted = InterruptedDb(world.db, trips, interrupt)
        loop = acquired(Site(interrupted, world.config), BULK, f"bulk-{trips}")
        while loop.poll(range(PARTITIONS)):
            pass
        loop.release()
        world.apply_events()
        old, new, quotes, replies = world.db.trip(
            ("ZCARD", timeline_keys.hashtag_statuses(f"old{trips}")),
            ("ZCARD", timeline_keys.hashtag_statuses(f"new{trips}")),
            ("ZCARD", quote_keys.quotes(about)),
            ("ZCARD", thread_keys.thread(about)),
        )
        was_interrupted = interrupted.trips_left < 0
        expected = {"delete": (2, 0, 2, 0), "edit": (2, 2, 3, 1)}.get(what, (0, 0, 0, 1))
        assert (old, new, quotes, replies) == (expected if was_interrupted else (4, 0, 3, 1)), trips
        assert world.db.run(("ZCARD", timeline_keys.tag_index(ann))) == old + new
        if not was_interrupted:
            assert trips > 20
            return
