"""The chain of a trade, from the first change of an item to the notices.

Each script that changes an item's sale begins one. Only some have a payment (a hold).

| step | partition | safe to repeat because |
| --- | --- | --- |
| `pay` | buyer | the reference, and its answer is final |
| `settle` | item | the hold's state |
| `pay_out` | those who get points or news | the references |
| `change_owner` | buyer, seller | the item's owner is read again |
| `place` | the lists of the market | the item's version |

A payment that is not booked within a minute is refused for good, so no item stays reserved.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import orjson

from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.events.schedule.due import due_entries
from webapp.core.store import Command, Site, Steps, ask, script, send
from webapp.rewards.chains.chain import Chain, ChainKind
from webapp.rewards.items.store import sync_owners
from webapp.rewards.points import ledger

from . import keys
from .goods import Goods, find

SETTLE = script("rewards/market/lua/settle.lua")
FINISH = script("rewards/market/lua/finish.lua")
PLACE = script("rewards/market/lua/place.lua")
NOTE = script("rewards/market/lua/note.lua")
MARKET_MAX = 20_000  # items that are listed
BATCH = 100  # items that one run of a partition ends


def pay(chain: Chain, _: str) -> Steps[str]:
    """Book a payment. Return paid, or refused for good, and "" if the trade has none."""
    values = chain.values
    if "hold" not in values:
        return ""
    reference = f"market:{values['item']}:{values['hold']}"
    try:
        yield from send(
            ledger.booking(
                int(values["buyer"]),
                -int(values["amount"]),
                "purchase",
                reference,
                values["title"],
                final=True,
                until_ms=values["deadline"],
            )
        )
    except (Conflict, Forbidden, NotFound):
        return "refused"
    return "paid"


def settle(chain: Chain, answer: str) -> Steps[str]:
    """Do at the item what the answer brings."""
    if answer:
        item, number = int(chain.values["item"]), chain.values["hold"]
        yield from send(SETTLE(id=item, number=number, answer=answer))
    return answer


def pay_out(chain: Chain, answer: str) -> Steps[str]:
    """Book what members get because of the item, and note the news for them."""
    item = int(chain.values["item"])
    [flat] = yield from send(("HGETALL", keys.item_payouts(item)))
    for reference, text in zip(flat[::2], flat[1::2], strict=True):
        row = orjson.loads(text)
        with suppress(NotFound):  # the points of a deleted account are lost with it
            yield from send(*_payout(chain, f"{item}:{reference}", row))
        yield from send(("HDEL", keys.item_payouts(item), reference))
    return answer


def _payout(chain: Chain, reference: str, row: dict[str, Any]) -> Iterable[Command]:
    uid, amount, what = int(row["uid"]), int(row["amount"]), str(row["what"])
    title = chain.values["title"]
    if amount:
        reason = "sale" if what == "sold" else "refund"
        yield ledger.booking(uid, amount, reason, f"market:{reference}", title)
    if what:
        entry = f"{reference}:{what}:{row['price']}:{title}"
        yield NOTE(uid=uid, entry=entry)


def change_owner(chain: Chain, answer: str) -> Steps[str]:
    """Bring the lists of buyer and seller up to date, if the item may have a new owner."""
    values = chain.values
    if "buyer" in values:
        yield from sync_owners(int(values["item"]), (int(values["buyer"]), int(values["seller"])))
    return answer


def place(chain: Chain, answer: str) -> Steps[str]:
    """List the item in the market, or take it from there."""
    item = int(chain.values["item"])
    goods = yield from ask(find(item))
    yield from send(place_command(item, goods))
    return answer


def place_command(item: int, goods: Goods | None) -> Command:
    """Return the command that lists an item as it was read, or takes it from the lists."""
    members = goods.sort_keys().values() if goods and goods.is_listed else ()
    version = goods.version if goods else 0
    return PLACE(id=item, version=version, limit=MARKET_MAX, members=list(members))


TRADES = ChainKind("trade", pay, settle, pay_out, change_owner, place)


def finish_due(site: Site, partitions: Iterable[int]) -> None:
    """End what has ended at the items of these partitions, up to BATCH in each. Two trips."""
    found = due_entries(site.db, keys.due_sales, partitions, BATCH)
    if commands := [FINISH(id=int(item)) for _, items in found for item in items]:
        site.db.trip(*commands)
