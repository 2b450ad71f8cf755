"""Note which statuses have other counts, and emit the counts a second later.

So very many likes of one status become one event a second, with the counts after the last of them.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.events.outbox import Context, Event, event_arguments
from webapp.core.events.steps import Steps, in_steps, send
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys
from webapp.statuses.threads.replies import unpack_path

from . import keys

EMIT_COUNTS = script("statuses/live_counts/lua/emit_counts.lua")
DELAY_MS = 1_000  # from the first change until open pages are told
BATCH = 200  # statuses of one partition in one run


@in_steps
def note_changes(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Note the statuses whose counts these events change. Safe to repeat. One trip."""
    due = int(time.time() * 1000) + DELAY_MS
    by_key: dict[str, set[int]] = defaultdict(set)
    for event in events:
        for status_id in _counted_ids(event):
            by_key[keys.changed_counts(partition_of(status_id))].add(status_id)
    yield from send(
        *(
            ("ZADD", key, "NX", *(part for status_id in ids for part in (due, status_id)))
            for key, ids in by_key.items()
        )
    )


def emit_due(db: Db, config: Config, partitions: Iterable[int]) -> None:
    """Emit the counts that are due in these partitions, up to BATCH in each.

    Safe to repeat, and to run twice at the same time. What cannot be emitted now waits.
    """
    every = list(partitions)
    bounds = ("-inf", int(time.time() * 1000), "BYSCORE", "LIMIT", 0, BATCH)
    due_lists = db.trip(*(("ZRANGE", keys.changed_counts(one), *bounds) for one in every))
    for partition, due in zip(every, due_lists, strict=True):
        for status_id in map(int, due):
            with suppress(Unavailable):
                db.run(
                    EMIT_COUNTS(
                        changed_counts=keys.changed_counts(partition),
                        status=status_keys.status(status_id),
                        id=status_id,
                        **event_arguments(config, partition),
                    )
                )


def _counted_ids(event: Event) -> Iterator[int]:
    """Yield the ids of the statuses whose likes, boosts, replies or quotes an event changes."""
    data = event.data
    if event.type in ("liked", "unliked"):
        yield int(data["id"])
    elif event.type in ("boosted", "unboosted"):
        yield int(data["status"])
    else:  # a status that replies or quotes
        if path := unpack_path(data.get("ancestors")):
            yield path[-1][0]
        if quoted := data.get("quoted_id"):
            yield int(quoted)
