"""The chain of an order, from the reserved piece to the delivered one.

| step | partition | safe to repeat because |
| --- | --- | --- |
| `reserve` (in `store.take`) | drop | one order a member: AGAIN |
| `pay` | member | the reference, and its answer is final |
| `settle` | drop | the order's state |
| `deliver` | member, item | the id of the item is that of the piece |
| `finish` | drop | the order's state |
"""

from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.store import Command, Steps, script, send
from webapp.rewards.chains.chain import Chain, ChainKind
from webapp.rewards.items import store as items
from webapp.rewards.points import ledger

from .store import ORDERS_MAX

DELIVER = script("rewards/drops/lua/deliver.lua")
MOVE = script("rewards/drops/lua/move.lua")
PAID, REFUSED = "paid", "refused"


def pay(chain: Chain, _: str) -> Steps[str]:
    """Book the price. Return PAID, or REFUSED for good."""
    uid, price = int(chain.values["uid"]), int(chain.values["price"])
    reference, title = f"order:{chain.id}", chain.values["title"]
    try:
        yield from send(ledger.booking(uid, -price, "order", reference, title, final=True))
    except (Conflict, Forbidden, NotFound):
        return REFUSED
    return PAID


def settle(chain: Chain, answer: str) -> Steps[str]:
    """Mark the order as paid, or give its piece back."""
    yield from send(_move(chain, "reserved", answer))
    return answer


def deliver(chain: Chain, answer: str) -> Steps[str]:
    """List the order with the member, and make the member's item if it is paid."""
    values = chain.values
    uid, drop = int(values["uid"]), int(values["drop"])
    paid = "1" if answer == PAID else ""
    yield from send(DELIVER(uid=uid, drop=drop, at=values["at"], paid=paid, limit=ORDERS_MAX))
    if answer == PAID:
        piece = items.item_id(drop, int(values["number"]))
        yield from items.giving(piece, uid, values["kind"], values["title"])
    return answer


def finish(chain: Chain, answer: str) -> Steps[str]:
    """Mark the order as delivered if it is."""
    if answer == PAID:
        yield from send(_move(chain, PAID, "delivered"))
    return answer


def _move(chain: Chain, before: str, after: str) -> Command:
    values = chain.values
    return MOVE(
        id=int(values["drop"]),
        uid=values["uid"],
        number=values["number"],
        before=before,
        after=after,
    )


ORDERS = ChainKind("order", pay, settle, deliver, finish)
