"""Periodic work for the whole site, such as values that pages share: one worker does each in turn.

The worker that holds ROWS_PARTITION takes the row that is overdue longest, one a second at most, so
that events need not wait. The store records each claim, so the next owner of the partition keeps
the schedule. Each row stores its own value, where pages find it. Boards and the pieces left of a
drop need no row: scripts keep them up to date.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from webapp.core.events import keys
from webapp.core.store import Read, Site, read, script, to_dict

CLAIM = script("core/events/schedule/lua/claim.lua")
NOTE = script("core/events/schedule/lua/note.lua")
ROWS_PARTITION = 0  # its worker computes the rows
LATE = 2  # times the seconds of a row, after which something is wrong


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A row that is computed every `seconds`. `compute`: safe to run twice, and at the same time.

    `feature`: without which it rests, "" for none.
    """

    name: str
    seconds: int
    compute: Callable[[Site], object]
    feature: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """When a row was computed last (unix ms), and how many ms that took."""

    made: int
    took: int


def compute_due(site: Site, rows: Sequence[Scheduled], partitions: Collection[int]) -> str:
    """Compute the row that is due for longest, as the worker of these partitions.

    Return its name, "" if none is due. Two trips besides its own; one without, or none.
    """
    on = {row.name: row for row in enabled(site, rows)} if ROWS_PARTITION in partitions else {}
    pairs = [part for row in on.values() for part in (row.name, row.seconds * 1000)]
    claimed = site.run(CLAIM, rows=pairs) if pairs else None
    if not claimed:
        return ""
    name, due = claimed
    began = time.monotonic()
    try:
        on[name].compute(site)
    except Exception as error:
        error.add_note(f"in the row {name}")  # for the log
        raise
    took = round((time.monotonic() - began) * 1000)
    site.run(NOTE, name=name, due=due, took=took)
    return str(name)


def enabled(site: Site, rows: Sequence[Scheduled]) -> list[Scheduled]:
    """Return the rows of what is switched on."""
    features = site.config.enabled_features
    return [row for row in rows if not row.feature or row.feature in features]


def runs() -> Read[dict[str, Run]]:
    """Read the last runs of rows, by name, without those that were not computed yet."""

    def parse(flat: Sequence[str]) -> dict[str, Run]:
        return {name: Run(*map(int, noted.split())) for name, noted in to_dict(flat).items()}

    return read(("HGETALL", keys.scheduled_runs()), parse)


def describe(site: Site, rows: Sequence[Scheduled]) -> tuple[bool, str]:
    """Return whether none of the rows is late, and how old each is. One trip."""
    found, now, late, texts = site.db.read(runs()), int(time.time() * 1000), False, []
    for row in enabled(site, rows):
        if run := found.get(row.name):
            late = late or now - run.made > LATE * 1000 * row.seconds
            texts.append(f"{row.name}: {(now - run.made) // 1000} s old, took {run.took} ms")
        else:
            texts.append(f"{row.name}: not yet")
    return not late, "; ".join(texts)
