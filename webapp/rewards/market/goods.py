"""Items as the market shows them, and the payments that are held for them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import orjson

from webapp.accounts.member import datetime_from_ms
from webapp.core.store import Read, collect, gather, read, to_dict
from webapp.core.text.folding import fold
from webapp.rewards.items import keys as item_keys

from . import keys

LAST = 10**14  # ms: later than every time that a list shows


@dataclass(frozen=True, slots=True)
class Goods:
    """An item and its sale. `owner`, `bidder`, `refused`: uids, 0 for nobody. Times in unix ms.

    `state`: held, listed or reserved. `sale`: fixed, auction or "". `price`: of an auction the
    lowest bid. `ends_ms`: 0 for never.
    """

    id: int
    kind: str
    title: str
    owner: int
    state: str
    version: int
    price: int = 0
    sale: str = ""
    listed_ms: int = 0
    begins_ms: int = 0
    ends_ms: int = 0
    bid: int = 0
    bidder: int = 0
    refused: int = 0

    @property
    def is_listed(self) -> bool:
        """Return True while it is for sale, or will be."""
        return self.state == "listed"

    @property
    def is_open(self) -> bool:
        """Return True if it can be paid now, for pages: the script decides."""
        has_ended = self.ends_ms and time.time() * 1000 >= self.ends_ms
        return self.is_listed and self.has_begun and not has_ended

    @property
    def has_begun(self) -> bool:
        """Return True from the beginning of its sale on."""
        return time.time() * 1000 >= self.begins_ms

    @property
    def lowest_bid(self) -> int:
        """Return how much a bid must be at least."""
        return max(self.price, self.bid + 1)

    @property
    def begins(self) -> datetime:
        """Return when its sale begins."""
        return datetime_from_ms(self.begins_ms)

    @property
    def ends(self) -> datetime | None:
        """Return when its sale ends, None for never."""
        return datetime_from_ms(self.ends_ms) if self.ends_ms else None

    def sort_keys(self) -> dict[str, str]:
        """Return its members in the lists of the market, by order."""
        price = f"{max(self.price, self.bid):07d}"
        found = {
            "price": price,
            "new": f"{LAST - self.listed_ms:014d}",
            "name": fold(self.title)[:100],
            "ends": f"{self.ends_ms or LAST:014d}",
        }
        return {order: f"{key}:{self.kind} {price}:{self.id}" for order, key in found.items()}


@dataclass(frozen=True, slots=True)
class Hold:
    """A payment for an item that has not ended. `what`: purchase, bid or offer."""

    number: str
    uid: int
    amount: int
    what: str
    state: str  # asked, or held: it is paid
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sold:
    """A price for which an item was sold."""

    price: int
    at: datetime


def find(id_: int) -> Read[Goods | None]:
    """Read an item, None if it is gone."""

    def parse(flat: Sequence[str]) -> Goods | None:
        row = to_dict(flat)
        if "owner" not in row:
            return None
        names = ("price", "listed", "begins", "ends", "bid", "bidder", "refused")
        numbers = {name: int(row.get(name, 0)) for name in names}
        times = {f"{name}_ms": numbers.pop(name) for name in ("listed", "begins", "ends")}
        return Goods(
            id=id_,
            kind=row["kind"],
            title=row["title"],
            owner=int(row["owner"]),
            state=row["state"],
            version=int(row["version"]),
            sale=row.get("sale", ""),
            **numbers,
            **times,
        )

    return read(("HGETALL", item_keys.item(id_)), parse)


def find_all(ids: Sequence[int]) -> Read[list[Goods]]:
    """Read items, without those that are gone."""
    return collect(map(find, ids)).map(lambda found: [one for one in found if one])


def history(id_: int) -> Read[tuple[list[Sold], list[Hold]]]:
    """Read the prices that an item was sold for, the newest first, and what is held for it."""
    prices = read(("LRANGE", keys.item_prices(id_), 0, -1), lambda rows: list(map(_sold, rows)))
    holds = read(("HGETALL", keys.item_holds(id_)), _holds)
    return gather(prices, holds)


def _sold(row: str) -> Sold:
    price, at = row.split()
    return Sold(int(price), datetime_from_ms(at))


def _holds(flat: Sequence[str]) -> list[Hold]:
    """Parse holds, the highest first."""
    rows = ((number, orjson.loads(row)) for number, row in to_dict(flat).items())
    holds = [
        Hold(
            number,
            int(row["uid"]),
            int(row["amount"]),
            row["what"],
            row["state"],
            datetime_from_ms(row["until"]) if "until" in row else None,
        )
        for number, row in rows
    ]
    return sorted(holds, key=lambda hold: (-hold.amount, int(hold.number)))
