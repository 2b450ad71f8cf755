"""Points, drops and commands of the operator, for tests of rewards."""

import time
from collections import Counter
from collections.abc import Sequence

from click.testing import CliRunner

from webapp.cli import main
from webapp.config import Config
from webapp.core.store import Site
from webapp.rewards.drops import keys, store
from webapp.rewards.drops.store import Drop
from webapp.rewards.items import store as items
from webapp.rewards.points import ledger, work

PRICE = 10


def linnet(settings: Config, *arguments: str) -> str:
    """Run a command on the store. Return what it printed."""
    return CliRunner().invoke(main, arguments, env={"REDIS_URL": settings.store_url}).output


def give_points(site: Site, uids: Sequence[int], points: int = PRICE) -> None:
    """Give points to members, once each."""
    for uid in uids:
        ledger.book(site, uid, points, "gift", "first")


def add_drop(
    site: Site,
    stock: int,
    opens: float = -60,
    closes: float = 3_600,
    *,
    days: int = 0,
    share: int = 0,
) -> int:
    """Add a drop that opens and closes so many seconds from now."""
    now = time.time()
    times = (int((now + seconds) * 1000) for seconds in (opens, closes))
    drop = Drop(0, "Reed map", "", "thing", PRICE, stock, stock, *times, days, share)
    return store.save(site, drop)


def states(site: Site, drop: int, mark: str = "") -> Counter[str]:
    """Return how many orders are in each state, of those whose rows end with a mark."""
    rows = site.db.run(("HVALS", keys.drop_orders(drop)))
    return Counter(row.split()[1] for row in rows if row.endswith(mark))


def check_conserved(site: Site, drop: int, uids: Sequence[int]) -> None:
    """Check that no piece and no point is lost or made."""
    found = site.db.read(store.get(drop))
    orders = states(site, drop)
    assert found.stock == found.left + sum(orders.values()) - orders["refused"]
    from_share = states(site, drop, " kept")
    assert found.reserved == found.kept + sum(from_share.values()) - from_share["refused"]
    assert 0 <= found.kept <= found.left
    spent = -site.db.read(ledger.totals()).get("order", 0)
    paid = {uid for uid in uids if paid_for(site, uid)}
    assert spent == PRICE * sum(paid_for(site, uid) for uid in uids)
    assert [ok for ok, *_ in work.findings(site)] == [True]
    for uid in uids:
        order = site.db.read(store.order_of(drop, uid))
        if order and order.state in ("paid", "delivered"):
            assert uid in paid
        if pieces_of(site, uid) & {items.item_id(drop, order.number if order else 0)}:
            assert order and order.state in ("paid", "delivered")


def pieces_of(site: Site, uid: int) -> set[int]:
    """Return the ids of a member's items. Check that the items say so too."""
    ids = [id_ for _, id_ in site.db.read(items.owned_ids(uid, 100))]
    assert [one.id for one in site.db.read(items.items_of(uid, ids))] == ids
    return set(ids)


def paid_for(site: Site, uid: int) -> int:
    """Return how many orders a member has paid."""
    entries = site.db.read(ledger.ledger_page(uid, None, 100)).items
    return sum(entry.reason == "order" for entry in entries)
