"""Drops and their orders, as pages show them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from webapp.accounts.member import datetime_from_ms
from webapp.core.errors import NotFound
from webapp.core.store import Read, Site, collect, gather, read, read_numbers, script, to_dict

from . import keys

SAVE = script("rewards/drops/lua/save.lua")
CLOSE = script("rewards/drops/lua/close.lua")
RESERVE = script("rewards/drops/lua/reserve.lua")
DROPS_MAX = 200
TITLE_MAX, ABOUT_MAX = 100, 500  # characters
PRICE_MAX, STOCK_MAX, HOURS_MAX, DAYS_MAX = 1_000_000, 100_000, 24 * 90, 3_650
LISTED = 50  # of drops or orders on one page
ORDERS_MAX = 500  # of a member
TERMS = ("title", "about", "kind", "price", "stock", "days", "share")  # of a drop


@dataclass(frozen=True, slots=True)
class Drop:
    """Some pieces of a thing. `left`: those that nobody has reserved. Times in unix ms.

    `days`: since joining that a member needs. `share`: percent of the pieces that are reserved for
    members who never got one, until half of the time is over. `kept`: reserved pieces left.
    """

    id: int
    title: str
    about: str
    kind: str
    price: int
    stock: int
    left: int
    opens_ms: int
    closes_ms: int
    days: int = 0
    share: int = 0
    kept: int = 0

    def seen_by(self, is_first: bool) -> Drop:
        """Return it with what is left for a member. `is_first`: as in `take`."""
        return self if is_first else replace(self, left=self.left - self.kept)

    @property
    def released(self) -> datetime:
        """Return when the share is for all."""
        return datetime_from_ms((self.opens_ms + self.closes_ms) // 2)

    @property
    def keeps_share(self) -> bool:
        """Return True while some pieces are for members who never got one."""
        return self.reserved > 0 and time.time() < self.released.timestamp()

    @property
    def reserved(self) -> int:
        """Return how many of the pieces are for members who never got one."""
        return self.stock * self.share // 100

    @property
    def opens(self) -> datetime:
        """Return when the first piece can be taken."""
        return datetime_from_ms(self.opens_ms)

    @property
    def closes(self) -> datetime:
        """Return when no more can be taken."""
        return datetime_from_ms(self.closes_ms)

    @property
    def state(self) -> str:
        """Return announced, open, soldout or closed, for pages: the script decides who gets one."""
        now = time.time() * 1000
        if now >= self.closes_ms:
            return "closed"
        if now < self.opens_ms:
            return "announced"
        return "open" if self.left > 0 else "soldout"


@dataclass(frozen=True, slots=True)
class Order:
    """A member's order. `number`: in the order of arrival, refused ones included."""

    number: int
    state: str  # reserved, paid, delivered, refused
    at: datetime

    @property
    def is_in_progress(self) -> bool:
        """Return True until it is delivered or refused."""
        return self.state in ("reserved", "paid")


def save(site: Site, drop: Drop) -> int:
    """Store a new drop, whose id is 0, or change one that has not opened yet. Return its id.

    Three trips at most. Raises NotFound, Conflict (it is open).
    """
    id_ = drop.id or int(site.db.run(("INCR", keys.last_drop())))
    site.run(
        SAVE,
        id=id_,
        is_new=int(not drop.id),
        opens=drop.opens_ms,
        closes=drop.closes_ms,
        **{name: getattr(drop, name) for name in TERMS},
    )
    listed = keys.drops()
    site.db.trip(
        ("ZADD", listed, drop.opens_ms, id_), ("ZREMRANGEBYRANK", listed, 0, -DROPS_MAX - 1)
    )
    return id_


def close(site: Site, id_: int) -> None:
    """Close a drop now. One trip. Raises NotFound."""
    site.run(CLOSE, id=id_)


def take(site: Site, id_: int, uid: int, age: int = 0, *, is_first: bool = False) -> int:
    """Reserve a piece for a member. Return the number of the order. One trip.

    `age`: days since the member joined. `is_first`: the member never got a piece (`never_got`).
    That is exact for one drop. A member who orders from several drops at once is a first one in
    each of them, until one is paid.

    Whether the member can pay is known later: the order says so. Raises NotFound; Conflict (not
    open yet, closed, sold out, not for this member, or the member has an order).
    """
    return int(site.run(RESERVE, id=id_, uid=uid, age=age, is_first="1" if is_first else ""))


def never_got(uid: int) -> Read[bool]:
    """Read whether a member never got a piece of any drop."""
    return read(("EXISTS", keys.first_piece(uid)), lambda found: not found)


def get(id_: int) -> Read[Drop]:
    """Read a drop. Raises NotFound."""
    return _find(id_).map(lambda drop: NotFound.unless(drop, "no_drop"))


def order_of(id_: int, uid: int) -> Read[Order | None]:
    """Read a member's order of a drop, None if there is none."""
    return read(("HGET", keys.drop_orders(id_), uid), _parse_order)


def listed(ids: Sequence[int]) -> Read[list[Drop]]:
    """Read drops by id, without those that have expired."""
    return collect(map(_find, ids)).map(lambda found: [drop for drop in found if drop])


def newest_ids() -> Read[list[int]]:
    """Read the ids of the drops that open, or opened, last."""
    return read_numbers(("ZRANGE", keys.drops(), 0, LISTED - 1, "REV"))


def ordered_ids(uid: int, most: int = LISTED) -> Read[list[int]]:
    """Read the ids of the drops that a member ordered from last, the newest order first."""
    return read_numbers(("ZRANGE", keys.orders(uid), 0, most - 1, "REV"))


def orders(ids: Sequence[int], uid: int) -> Read[list[tuple[Drop, Order]]]:
    """Read a member's orders of drops, without those that have expired."""
    pairs = collect(gather(_find(one), order_of(one, uid)) for one in ids)
    return pairs.map(lambda found: [(drop, order) for drop, order in found if drop and order])


def _find(id_: int) -> Read[Drop | None]:
    return read(("HGETALL", keys.drop(id_)), lambda flat: _parse_drop(id_, to_dict(flat)))


def _parse_drop(id_: int, row: dict[str, str]) -> Drop | None:
    if not row:
        return None
    numbers = (int(row[name]) for name in ("price", "stock", "left", "opens", "closes"))
    rules = (int(row.get(name, 0)) for name in ("days", "share", "kept"))
    drop = Drop(id_, row["title"], row["about"], row["kind"], *numbers, *rules)
    return drop if drop.keeps_share else replace(drop, kept=0)


def _parse_order(stored: str | None) -> Order | None:
    if not stored:
        return None
    number, state, at = stored.split()[:3]
    return Order(int(number), state, datetime_from_ms(at))
