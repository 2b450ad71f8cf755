"""Carts: items that somebody means to buy. A visitor's is in a cookie until they sign in."""

import time
from collections.abc import Iterable

from webapp.accounts.collections.collection import Collection
from webapp.core.errors import Conflict, Refused
from webapp.core.store import Command, Read, Site, read, read_numbers
from webapp.rewards.points.ledger import balance_of

from . import goods, keys, store
from .goods import Goods
from .item_cookies import KEEP_SECONDS, ItemCookie

CART_MAX = 50  # items
VISITORS = ItemCookie("linnet_cart", CART_MAX)
CART = Collection(keys.cart, bound=lambda _config: CART_MAX, full="CARTFULL")
Outcome = tuple[Goods, str]  # and why it was not bought, "" if it is being paid


def ids_of(uid: int) -> Read[list[int]]:
    """Read the items in a member's cart, those that were added last first."""
    return read_numbers(("ZRANGE", keys.cart(uid), "+inf", _oldest(), "BYSCORE", "REV"))


def has(uid: int, id_: int) -> Read[bool]:
    """Read whether a member's cart shows an item."""
    return read(("ZSCORE", keys.cart(uid), id_), lambda added: float(added or 0) >= _oldest())


def change(site: Site, uid: int, id_: int, *, is_in: bool) -> None:
    """Put an item into a member's cart, or take it out. One trip. Raises Conflict if it is full.

    Those that are too old to be shown leave it.
    """
    put = CART.add if is_in else CART.remove
    site.db.trip(_expire(uid), put(site.config, uid, id_))


def remove(site: Site, uid: int, ids: Iterable[int]) -> None:
    """Take items out of a member's cart. One trip, none without items."""
    site.db.trip_all(CART.remove(site.config, uid, one) for one in ids)


def merge(site: Site, uid: int, ids: Iterable[int]) -> None:
    """Put the items of a browser's cart into the member's, as far as they fit. One trip."""
    site.db.trip_apart([[_expire(uid)], *([CART.add(site.config, uid, one)] for one in ids)])


def buy(site: Site, uid: int, prices: dict[int, int]) -> list[Outcome]:
    """Buy the items of a member's cart, by id, at the prices that the member saw. Four trips.

    Each is bought by itself. Those that the member's points do not cover are left, and those of
    members whom the member may not see.
    """
    items, funds, owned = site.db.fetch(
        goods.find_all(list(prices)), balance_of(uid), store.count_of(uid)
    )
    found = [item for item, _owner in store.visible_all(site.db, uid, items)]
    wanted: list[Goods] = []
    outcomes: list[Outcome] = []
    for item in found:
        refusal = _refusal(funds, owned + len(wanted), prices[item.id])
        if refusal:
            outcomes.append((item, str(refusal.sentence)))
        else:
            funds -= prices[item.id] if item.is_open else 0
            wanted.append(item)
    commands = [[store.asking(site, uid, one.id, "purchase", prices[one.id])] for one in wanted]
    for item, reply in zip(wanted, site.db.trip_apart(commands), strict=True):
        if isinstance(reply, Refused):
            outcomes.append((item, str(reply.sentence)))
        elif isinstance(reply, Exception):
            raise reply
        else:
            outcomes.append((item, ""))
    remove(site, uid, [item.id for item, refused in outcomes if not refused])
    return outcomes


def _expire(uid: int) -> Command:
    """Return the command that removes from a cart what is too old to be shown."""
    return ("ZREMRANGEBYSCORE", keys.cart(uid), "-inf", f"({_oldest()}")


def _oldest() -> int:
    """Return when the oldest item that a cart shows was added, in unix ms."""
    return int((time.time() - KEEP_SECONDS) * 1000)


def _refusal(funds: int, owned: int, price: int) -> Conflict | None:
    if owned >= store.ITEMS_MAX:
        return Conflict("items_full")
    return Conflict("funds") if funds < price else None
