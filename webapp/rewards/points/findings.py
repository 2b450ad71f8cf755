"""What `linnet doctor` says about points."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.accounts.keys import last_uid
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.reads import collect, read

from . import ledger

BATCH = 1_000  # members of one trip


def findings(site: Site) -> Iterator[tuple[bool, str, str]]:
    """Yield whether members have the points that the ledgers say. A trip for each BATCH members."""
    totals, last = site.db.fetch(
        ledger.totals(), read(("GET", last_uid()), lambda uid: int(uid or 0))
    )
    held = sum(
        _held(site.db, first, min(first + BATCH, last + 1)) for first in range(1, last + 1, BATCH)
    )
    booked = sum(totals.values())
    reasons = ", ".join(f"{reason} {points:+,}" for reason, points in totals.items())
    yield (
        held == booked,
        f"points: members hold {held:,}, the ledgers say {booked:,} ({reasons or 'nothing yet'})",
        "Run it again while nobody is active. If they still differ, restore the newest backup.",
    )


def _held(db: Db, first: int, end: int) -> int:
    return sum(db.read(collect(map(ledger.balance_of, range(first, end)))))
