"""Emit the counts of a status one second after a change.

So thousands of likes of one status become one event a second, with the latest counts.
"""

import time
from collections.abc import Iterable
from contextlib import suppress

from webapp.core.errors import Unavailable
from webapp.core.events.outbox import Event
from webapp.core.events.schedule.due import due_entries
from webapp.core.store import Site, script

from . import keys

EMIT_COUNTS = script("statuses/live_counts/lua/emit_counts.lua")
DELAY_MS = 1_000  # from the first change until open pages get it
LIVE_GROUP = "log"  # of projections; see webapp/registry/log.py
BATCH = 200  # statuses of one partition in one run


def due_counts(event: Event) -> int | str:
    """Return when open pages receive a count that an event changes, in unix ms; "" for never.

    They receive the changes of the group `log`, not those of the long work of `bulk`.
    """
    return int(time.time() * 1000) + DELAY_MS if event.group == LIVE_GROUP else ""


def emit_due(site: Site, partitions: Iterable[int]) -> None:
    """Emit the counts that are due in these partitions, up to BATCH in each.

    Safe to repeat, and to run twice at the same time. Changes that cannot be emitted now wait.
    """
    for partition, due in due_entries(site.db, keys.changed_counts, partitions, BATCH):
        for status_id in map(int, due):
            with suppress(Unavailable):
                site.run(EMIT_COUNTS, partition=partition, id=status_id)
