"""The acts of members in the market, and its pages.

Each change of an item is one script of its partition, which begins a trade (`trading.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from webapp.accounts.member import Member
from webapp.core.errors import Conflict, NotFound
from webapp.core.store import Command, Db, Read, Site, read, script
from webapp.core.text.folding import fold
from webapp.rewards.items import keys as item_keys
from webapp.rewards.points.ledger import balance_of
from webapp.statuses.visibility.relationships import listed_members, visible_members

from . import goods, keys
from .goods import Goods
from .trading import MARKET_MAX

LIST = script("rewards/market/lua/list.lua")
WITHDRAW = script("rewards/market/lua/withdraw.lua")
SEARCH = script("rewards/market/lua/search.lua")
ASK = script("rewards/market/lua/ask.lua")
ANSWER = script("rewards/market/lua/answer.lua")
PRICE_MAX = 1_000_000
ITEMS_MAX = 1_000  # of a member
HOLDS_MAX = 20  # bids and offers for one item that have not ended
LISTED = 50  # news on one page
ORDERS = ("new", "price", "name", "ends")
Shown = tuple[Goods, Member]  # and its owner
Listed = tuple[list[int], str | None]  # ids, and the cursor of the next page


@dataclass(frozen=True, slots=True)
class Sale:
    """How an item is offered. `begins_ms`: in how long. `lasts_ms`: from then on, 0 for ever.

    They are None where an item that is for sale keeps what it has.
    """

    price: int
    kind: str = "fixed"  # or auction
    begins_ms: int | None = 0
    lasts_ms: int | None = 0


@dataclass(frozen=True, slots=True)
class MarketPage:
    """Some of what is for sale. `next`: the cursor of the page after it, None on the last one."""

    items: tuple[Shown, ...]
    next: str | None
    filtered: tuple[int, ...] = ()  # as on pages of statuses


@dataclass(frozen=True, slots=True)
class News:
    """A notice of the market to a member about an item. `what`: as in `trades`."""

    item: int
    what: str
    price: int
    title: str
    at: datetime


def offer(site: Site, uid: int, id_: int, version: int, sale: Sale) -> None:
    """Offer an item for sale, or change the price of one that is. Two trips.

    Raises NotFound, Forbidden, Conflict (the market is full, the item has another version or is
    being sold).
    """
    if int(site.db.run(("ZCARD", keys.market_list("new")))) >= MARKET_MAX:
        raise Conflict("market_full")
    site.run(
        LIST,
        id=id_,
        uid=uid,
        version=version,
        price=sale.price,
        kind=sale.kind,
        begins="" if sale.begins_ms is None else sale.begins_ms,
        lasts="" if sale.lasts_ms is None else sale.lasts_ms,
    )


def withdraw(site: Site, uid: int, id_: int) -> None:
    """Take an item off the market. One trip. Raises NotFound, Forbidden, Conflict."""
    site.run(WITHDRAW, id=id_, uid=uid, erases="")


def ask(site: Site, uid: int, id_: int, what: str, amount: int) -> None:
    """Begin a purchase at the price that the member saw, a bid or an offer. Three trips.

    Raises NotFound; Conflict (sold, another price, too few points and so on); Unavailable.
    """
    item, funds, owned = site.db.fetch(goods.find(id_), balance_of(uid), count_of(uid))
    visible(site.db, uid, item)
    if owned >= ITEMS_MAX:
        raise Conflict("items_full")
    if funds < amount:
        raise Conflict("funds")
    site.db.run(asking(site, uid, id_, what, amount))


def asking(site: Site, uid: int, id_: int, what: str, amount: int) -> Command:
    """Return the command of `ask`, which leaves the checks of other partitions to the chain."""
    return ASK(site.config, id=id_, uid=uid, what=what, amount=amount, most=HOLDS_MAX)


def answer_offer(site: Site, uid: int, id_: int, number: str, accepts: bool) -> None:
    """Accept or decline an offer, or take one's own back. One trip.

    Raises NotFound, Conflict (the item is not for sale), Unavailable.
    """
    accepted = "1" if accepts else ""
    site.run(ANSWER, id=id_, uid=uid, number=number, accepts=accepted)


def visible(db: Db, viewer: int | None, item: Goods | None) -> Shown:
    """Return an item with its owner. One trip. Raises NotFound if the viewer may not see them."""
    shown = visible_all(db, viewer, [item] if item else [])
    return NotFound.unless(shown, "no_item")[0]


def visible_all(
    db: Db, viewer: int | None, items: Sequence[Goods], *, for_list: bool = False
) -> list[Shown]:
    """Return items with their owners, without those of members the viewer may not see. One trip.

    `for_list`: without those of members whom moderators have limited too.
    """
    members = listed_members if for_list else visible_members
    owners = db.read(members(viewer, sorted({item.owner for item in items})))
    return [(item, owners[item.owner]) for item in items if item.owner in owners]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A search of the market: words of titles, a kind, a highest price. Empty ones fit all."""

    q: str = ""
    kind: str = ""
    most: int = 0

    def fits(self, item: Goods) -> bool:
        """Return True for an item that has this kind and price, if it is for sale."""
        price = max(item.price, item.bid)
        return item.is_listed and self.kind in ("", item.kind) and price <= (self.most or price)


ANY = Wanted()


def listed(order: str, after: str, size: int, wanted: Wanted = ANY) -> Read[Listed]:
    """Read the ids of a page of the market in one of ORDERS, and the cursor of the next one.

    Titles with the words of `wanted` are in the order of names. One script reads at most the
    MARKET_MAX entries of a list. An entry can be behind its item: see `Wanted.fits`.
    """
    start = f"({after}" if after else "-"
    command: Command = ("ZRANGE", keys.market_list(order), start, "+")
    command += ("BYLEX", "LIMIT", 0, size + 1)
    if wanted != ANY:
        parts = fold(wanted.q).split()
        command = SEARCH(
            order="name" if parts else order,
            after=start,
            size=size + 1,
            kind=wanted.kind,
            most=f"{wanted.most or PRICE_MAX:07d}",
            parts=parts,
        )

    def parse(members: Sequence[str]) -> Listed:
        ids = [int(member.rpartition(":")[2]) for member in members[:size]]
        return ids, members[size - 1] if len(members) > size else None

    return read(command, parse)


def count_of(uid: int) -> Read[int]:
    """Read how many items a member has."""
    return read(("ZCARD", item_keys.owned_items(uid)), int)


def news_of(uid: int) -> Read[list[News]]:
    """Read the market's latest notices to a member, the newest first."""

    def parse(flat: Sequence[Any]) -> list[News]:
        news = []
        for text, at in zip(flat[::2], flat[1::2], strict=True):
            item, _kind, _number, what, price, title = text.split(":", 5)
            time = datetime.fromtimestamp(int(at) / 1_000_000, UTC)
            news.append(News(int(item), what, int(price), title, time))
        return news

    command = ("ZRANGE", keys.trades(uid), 0, LISTED - 1, "REV", "WITHSCORES")
    return read(command, parse)
