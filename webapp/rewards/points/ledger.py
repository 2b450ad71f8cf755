"""The ledger: the site's only money. Points have no price, and cannot be bought or paid out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from webapp.core.store import PARTITIONS, Command, Read, Site, collect, read, script, to_dict
from webapp.core.web import Page, paginate

from . import keys

BOOK = script("rewards/points/lua/book.lua")


@dataclass(frozen=True, slots=True)
class Entry:
    """A change of a member's points. `balance`: after it."""

    at: datetime
    amount: int
    reason: str
    balance: int
    note: str


def book(site: Site, uid: int, amount: int, reason: str, reference: str, note: str = "") -> int:
    """Change a member's points, once for a reference, and return the balance after it. One trip.

    A reference that was booked changes nothing: it returns what it returned.

    Raises NotFound; Conflict (too few points, or refused for good); Forbidden (suspended, and
    points would be taken).
    """
    return int(site.db.run(booking(uid, amount, reason, reference, note)))


def booking(
    uid: int,
    amount: int,
    reason: str,
    reference: str,
    note: str = "",
    *,
    final: bool = False,
    until_ms: int | str = "",
) -> Command:
    """Return the command of `book`, for a chain.

    `final`: a reference that is refused stays refused, whatever the member has later.
    `until_ms`: refuse it after this time (unix ms) unless it was booked before.
    """
    return BOOK(
        uid=uid,
        amount=amount,
        reason=reason,
        reference=reference,
        note=note,
        final="1" if final else "",
        until_ms=until_ms,
    )


def balance_of(uid: int) -> Read[int]:
    """Read a member's points."""
    return read(("GET", keys.points(uid)), lambda points: int(points or 0))


def ledger_page(uid: int, before: int | None, size: int) -> Read[Page[Entry]]:
    """Read a page of a member's ledger, the newest entries first."""
    start = "+" if before is None else f"({before}"

    def parse(reply: Sequence[Any]) -> Page[Entry]:
        return paginate(
            [(int(id_.partition("-")[0]), _entry(id_, row)) for id_, row in reply], size
        )

    return read(("XREVRANGE", keys.ledger(uid), start, "-", "COUNT", size + 1), parse)


def totals() -> Read[dict[str, int]]:
    """Read the sums of all ledgers, by reason."""

    def add(found: Sequence[dict[str, str]]) -> dict[str, int]:
        reasons = sorted({reason for one in found for reason in one})
        return {reason: sum(int(one.get(reason, 0)) for one in found) for reason in reasons}

    hashes = (("HGETALL", keys.points_totals(partition)) for partition in range(PARTITIONS))
    return collect(read(one, to_dict) for one in hashes).map(add)


def _entry(id_: str, fields: Sequence[str]) -> Entry:
    row = to_dict(fields)
    at = datetime.fromtimestamp(int(id_.partition("-")[0]) / 1_000_000, UTC)
    return Entry(at, int(row["amount"]), row["reason"], int(row["balance"]), row["note"])
