"""The chain of an order, from the reserved piece to the delivered one.

| step | partition | safe to repeat because |
| --- | --- | --- |
| `reserve` (in `store.take`) | drop | one order a member: AGAIN |
| `pay` | member | the reference, and its answer is final |
| `settle` | drop | the order's state |
| `deliver` | member | the entry of the inventory |
| `finish` | drop | the order's state |
"""

from __future__ import annotations

import orjson

from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.site import Site
from webapp.core.store.scripts import script
from webapp.rewards.chains.chain import Chain, ChainKind
from webapp.rewards.points import ledger

DELIVER = script("rewards/drops/lua/deliver.lua")
MOVE = script("rewards/drops/lua/move.lua")
ORDERS_MAX = 500
PAID, REFUSED = "paid", "refused"


def pay(site: Site, chain: Chain, _: str) -> str:
    """Book the price. Return PAID, or REFUSED for good."""
    uid, price = int(chain.values["uid"]), int(chain.values["price"])
    reference, title = f"order:{chain.id}", chain.values["title"]
    try:
        ledger.book(site, uid, -price, "order", reference, title, final=True)
    except (Conflict, Forbidden, NotFound):
        return REFUSED
    return PAID


def settle(site: Site, chain: Chain, answer: str) -> str:
    """Mark the order as paid, or give its piece back."""
    _move(site, chain, "reserved", answer)
    return answer


def deliver(site: Site, chain: Chain, answer: str) -> str:
    """List the order with the member, and put the piece into the inventory if it is paid."""
    values = chain.values
    row = orjson.dumps({name: values[name] for name in ("kind", "title", "at")}).decode()
    command = DELIVER(
        uid=int(values["uid"]),
        drop=values["drop"],
        at=values["at"],
        limit=ORDERS_MAX,
        chain=chain.id,
        row=row if answer == PAID else "",
    )
    site.db.run(command)
    return answer


def finish(site: Site, chain: Chain, answer: str) -> str:
    """Mark the order as delivered if it is."""
    if answer == PAID:
        _move(site, chain, PAID, "delivered")
    return answer


def _move(site: Site, chain: Chain, before: str, after: str) -> None:
    values = chain.values
    command = MOVE(
        id=int(values["drop"]),
        uid=values["uid"],
        number=values["number"],
        before=before,
        after=after,
    )
    site.db.run(command)


ORDERS = ChainKind("order", pay, settle, deliver, finish)
