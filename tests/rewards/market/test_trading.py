"""Trades: no item and no point is lost or made, whoever acts at once and whatever dies."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import orjson
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.support.concurrently import at_once
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.interleaving import trip_by_trip
from tests.support.rewards import PRICE, give_points
from tests.support.state_machines.runs import run_steps
from tests.support.world import World
from webapp.core.errors import Conflict, NotFound, Refused
from webapp.core.store import Site, partition_of
from webapp.rewards.chains import keys as chain_keys
from webapp.rewards.items import keys as item_keys, store as items
from webapp.rewards.market import goods, keys, store
from webapp.rewards.market.goods import Goods
from webapp.rewards.market.store import Sale, Wanted
from webapp.rewards.market.trading import TRADES, finish_due, place_command
from webapp.rewards.points import ledger, work

HOUR_MS = 3_600_000
AT_A_PRICE = Sale(PRICE)


def get(site: Site, item: int) -> Goods:
    found = site.db.read(goods.find(item))
    assert found
    return found


def offer(site: Site, item: int, sale: Sale = AT_A_PRICE) -> None:
    found = get(site, item)
    store.offer(site, found.owner, item, found.version, sale)


def listed_item(site: Site, uid: int, sale: Sale = AT_A_PRICE) -> int:
    item = items.give(site, uid, "thing", "Reed: map")
    offer(site, item, sale)
    return item


def drive(site: Site, item: int) -> None:
    """Drive the trades of an item, as the job does once their time has come."""
    partition = partition_of(item)
    TRADES.drive(site, partition, site.db.run(("HKEYS", chain_keys.chains(partition, "trade"))))


def end(site: Site, item: int) -> None:
    """Let the time of a sale and of all offers be over, and end them."""
    key = item_keys.item(item)
    if get(site, item).ends_ms:
        site.db.run(("HSET", key, "ends", int(time.time() * 1000) - 1))
    site.db.run(("ZADD", keys.due_sales(item), "XX", 1, item))
    finish_due(site, [partition_of(item)])


def refused(act: object, *values: object) -> str:
    """Return the code with which an act is refused, or ""."""
    try:
        act(*values)  # type: ignore[operator]
    except Refused as refusal:
        return refusal.code
    return ""


def balances(site: Site, uids: Sequence[int]) -> list[int]:
    return [site.db.read(ledger.balance_of(uid)) for uid in uids]


def news(site: Site, uid: int) -> list[str]:
    return [one.what for one in site.db.read(store.news_of(uid))]


def check_conserved(site: Site, item: int, uids: Sequence[int], points: int) -> None:
    """Check that points are with members or held for the item, and that one member has it."""
    _, holds = site.db.read(goods.history(item))
    owed = map(orjson.loads, site.db.run(("HVALS", keys.item_payouts(item))))
    assert [ok for ok, *_ in work.findings(site)] == [True]
    missing = points - sum(balances(site, uids))
    on_the_way = sum(hold.amount for hold in holds) + sum(int(row["amount"]) for row in owed)
    assert 0 <= missing <= on_the_way
    assert site.db.run(("ZCOUNT", keys.due_sales(item), 0, 0)) == 0, "what never ends is not due"
    if not site.db.run(("HLEN", chain_keys.chains(item, "trade"))):
        assert missing == sum(hold.amount for hold in holds)
        owners = [uid for uid in uids if site.db.run(("ZSCORE", item_keys.owned_items(uid), item))]
        assert owners == [get(site, item).owner]
        is_listed = bool(site.db.run(("HEXISTS", keys.market_entries(), item)))
        assert is_listed == get(site, item).is_listed


def test_fifty_buyers_of_one_item_get_it_once(world: World) -> None:
    seller, *buyers = world.people("ann", *(f"bird{number}" for number in range(10)))
    give_points(world, buyers)
    item = listed_item(world, seller)
    ask = partial(refused, store.ask, world)
    codes = at_once(50, lambda uid: ask(uid, item, "purchase", PRICE), buyers * 5)
    assert sorted(set(codes)) == ["", "item_sold"]
    assert codes.count("") == 5, "the buyer hears the same each time"
    assert get(world, item).state == "reserved"
    world.apply_events()
    found = get(world, item)
    assert found.state == "held" and found.owner in buyers
    assert balances(world, [seller, found.owner]) == [PRICE, 0]
    assert (news(world, seller), news(world, found.owner)) == (["sold"], ["bought"])
    assert world.db.read(store.listed("new", "", 9)) == ([], None)
    check_conserved(world, item, [seller, *buyers], PRICE * 10)


def test_a_price_that_changed_is_refused_and_so_is_ones_own_item(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    give_points(world, [ann, ben], 50)
    item = listed_item(world, ann)
    old = get(world, item)
    offer(world, item, Sale(20))
    assert refused(store.ask, world, ben, item, "purchase", PRICE) == "price_changed"
    assert refused(store.ask, world, ann, item, "purchase", 20) == "own_item"
    assert refused(store.ask, world, ben, item, "bid", 30) == "item_sold"
    assert refused(store.ask, world, ben, item, "offer", 99) == "funds"
    assert refused(store.offer, world, ann, item, old.version, Sale(5)) == "item_changed"
    assert refused(store.offer, world, ben, item, get(world, item).version, Sale(5)) == "not_yours"
    assert refused(store.withdraw, world, ben, item) == "not_yours"
    assert refused(store.withdraw, world, ann, 99) == "no_item"
    assert refused(store.ask, world, ben, 99, "purchase", 1) == "no_item"
    store.ask(world, ben, item, "purchase", 20)
    assert refused(store.withdraw, world, ann, item) == "item_busy"


def test_who_cannot_pay_in_the_end_leaves_the_item_on_the_market(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    give_points(world, [ben])
    item = listed_item(world, ann)
    store.ask(world, ben, item, "purchase", PRICE)
    world.do(ledger.book, ben, -PRICE, "order", "elsewhere")
    found = get(world, item)
    assert found.is_listed and found.refused == ben and news(world, ben) == ["unpaid"]
    world.db.run(store.asking(world, ben, item, "purchase", PRICE))
    ledger.book(world, ben, PRICE, "gift", "second")
    key = chain_keys.chains(partition_of(item), "trade")
    id_, row = world.db.run(("HGETALL", key))
    world.db.run(("HSET", key, id_, orjson.dumps(orjson.loads(row) | {"deadline": "1"})))
    world.apply_events()
    assert get(world, item).is_listed, "its payment took longer than its minute"
    assert balances(world, [ben]) == [PRICE]


def test_the_highest_bid_wins_and_the_others_get_their_points_back(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    give_points(world, [ben, cat], 50)
    item = world.do(listed_item, ann, Sale(PRICE, "auction", lasts_ms=60_000))
    before = get(world, item).ends_ms
    assert refused(store.ask, world, ben, item, "bid", PRICE - 1) == "bid_low"
    world.do(store.ask, ben, item, "bid", PRICE)
    assert get(world, item).ends_ms - before > 50_000, "a bid in the last two minutes extends it"
    assert refused(store.ask, world, ben, item, "bid", 20) == "bid_highest"
    assert refused(store.withdraw, world, ann, item) == "item_busy"
    store.ask(world, cat, item, "bid", PRICE + 1)
    assert balances(world, [ben, cat]) == [40, 50]
    end(world, item)
    assert get(world, item).is_listed, "the sale waits for a bid that is being paid"
    world.apply_events()
    assert balances(world, [ben, cat]) == [50, 39] and news(world, ben) == ["outbid"]
    world.do(end, item)
    assert get(world, item).owner == cat and balances(world, [ann, ben, cat]) == [11, 50, 39]
    check_conserved(world, item, [ann, ben, cat], 100)


def test_offers_are_accepted_declined_or_end(world: World) -> None:
    ann, ben, cat, dan = world.people("ann", "ben", "cat", "dan")
    everybody = [ann, ben, cat, dan]
    give_points(world, everybody, 50)
    item = listed_item(world, ann, Sale(40))
    for uid, amount in ((ben, 20), (cat, 30), (dan, 25)):
        store.ask(world, uid, item, "offer", amount)
    assert refused(store.ask, world, ben, item, "offer", 21) == "item_asked"
    world.apply_events()
    assert balances(world, everybody) == [50, 30, 20, 25] and news(world, ann) == ["offered"] * 3
    highest, middle, lowest = (hold.number for hold in world.db.read(goods.history(item))[1])
    assert refused(store.answer_offer, world, ben, item, highest, False) == "no_offer"
    assert refused(store.answer_offer, world, ben, item, lowest, True) == "no_offer"
    store.answer_offer(world, ben, item, lowest, accepts=False)
    world.do(store.answer_offer, ann, item, middle, accepts=False)
    assert balances(world, everybody) == [50, 50, 20, 50] and news(world, dan) == ["declined"]
    world.do(store.ask, ben, item, "offer", 22)
    store.ask(world, dan, item, "offer", 23)  # which is paid when the item is sold
    world.do(store.answer_offer, ann, item, highest, accepts=True)
    assert "late" in news(world, dan)
    assert get(world, item).owner == cat and balances(world, everybody) == [80, 50, 20, 50]
    assert [sold.price for sold in world.db.read(goods.history(item))[0]] == [30]
    check_conserved(world, item, everybody, 200)


def test_many_small_offers_do_not_keep_an_item_from_who_pays_its_price(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "HOLDS_MAX", 2)
    ann, ben, cat, dan = world.people("ann", "ben", "cat", "dan")
    give_points(world, [ben, cat, dan])
    item = listed_item(world, ann)
    assert [refused(store.ask, world, uid, item, "offer", 1) for uid in (ben, cat)] == ["", ""]
    world.apply_events()
    assert refused(store.ask, world, dan, item, "offer", 1) == "holds_full"
    assert refused(store.ask, world, dan, item, "purchase", PRICE) == ""
    world.apply_events()
    assert get(world, item).owner == dan
    assert balances(world, [ann, ben, cat, dan]) == [PRICE, PRICE, PRICE, 0]


def test_no_offer_from_before_an_auction_can_end_it(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    give_points(world, [ben, cat], 50)
    item = listed_item(world, ann, Sale(40))
    world.do(store.ask, ben, item, "offer", 20)
    [of_ben] = world.db.read(goods.history(item))[1]
    offer(world, item, Sale(PRICE, "auction", lasts_ms=HOUR_MS))
    world.do(store.ask, cat, item, "bid", 30)
    assert refused(store.answer_offer, world, ann, item, of_ben.number, True) == "no_offer"
    assert balances(world, [ann, ben, cat]) == [0, 50, 20] and news(world, ben) == ["declined"]
    world.do(end, item)
    assert get(world, item).owner == cat
    check_conserved(world, item, [ann, ben, cat], 100)


def test_sales_end_at_their_time(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    give_points(world, [ben], 50)
    later = listed_item(world, ann, Sale(PRICE, begins_ms=HOUR_MS, lasts_ms=HOUR_MS))
    assert refused(store.ask, world, ben, later, "purchase", PRICE) == "sale_not_open"
    item = listed_item(world, ann, Sale(PRICE, lasts_ms=HOUR_MS))
    world.do(store.ask, ben, item, "offer", 5)
    world.do(end, item)
    assert get(world, item).state == "held" and balances(world, [ben]) == [50]
    assert news(world, ann)[0] == "unsold"
    check_conserved(world, item, [ann, ben], 50)


def test_a_search_goes_on_after_its_last_item(world: World) -> None:
    [ann] = world.people("ann")
    items_ = [listed_item(world, ann) for _ in range(5)]
    offer(world, items.give(world, ann, "thing", "Boat"))
    world.apply_events()
    found, after = list[int](), ""
    for size in (2, 2, 2):
        ids, cursor = world.db.read(store.listed("new", after, size, Wanted("MAP reed")))
        found, after = [*found, *ids], cursor or ""
    assert sorted(found) == sorted(items_) and cursor is None


def test_a_kind_and_a_price_filter_each_order_page_by_page(world: World) -> None:
    [ann] = world.people("ann")
    prices = (30, 9, 10, 11, 200)
    things = {price: listed_item(world, ann, Sale(price)) for price in prices}
    badge = items.give(world, ann, "badge", "Reed: map")
    offer(world, badge, Sale(10))
    auction = listed_item(world, ann, Sale(5, "auction"))
    world.apply_events()
    expected = {things[9], things[10], auction}
    for order in store.ORDERS:
        found, after = list[int](), ""
        for _ in range(3):
            wanted = Wanted("reed" if order == "name" else "", "thing", 10)
            ids, cursor = world.db.read(store.listed(order, after, 1, wanted))
            found, after = [*found, *ids], cursor or ""
        assert set(found) == expected and not after, order
    assert world.db.read(store.listed("new", "", 9, Wanted(kind="badge"))) == ([badge], None)
    give_points(world, world.people("ben"), 50)
    store.ask(world, 2, auction, "bid", 11)
    world.apply_events()
    ids, _ = world.db.read(store.listed("price", "", 9, Wanted(kind="thing", most=10)))
    assert ids == [things[9], things[10]], "the highest bid is the price of an auction"


def test_an_entry_of_an_earlier_form_is_left_to_its_item(world: World) -> None:
    [ann] = world.people("ann")
    item = listed_item(world, ann, Sale(30))
    world.db.run(("ZADD", keys.market_list("name"), 0, f"reed: map:{item}"))
    for title, ids in (("reed", [item]), ("boat", [])):
        wanted = Wanted(title, "badge", 10)
        assert world.db.read(store.listed("name", "", 9, wanted)) == (ids, None)
        assert not wanted.fits(get(world, item))


def test_another_price_leaves_the_times_of_a_sale(world: World) -> None:
    [ann] = world.people("ann")
    item = listed_item(world, ann, Sale(PRICE, begins_ms=HOUR_MS, lasts_ms=HOUR_MS))
    before = get(world, item)
    offer(world, item, Sale(2 * PRICE, begins_ms=None, lasts_ms=None))
    after = get(world, item)
    assert after.price == 2 * PRICE and after.ends_ms == before.ends_ms
    assert (after.begins_ms, after.listed_ms) == (before.begins_ms, before.listed_ms)
    offer(world, item, Sale(PRICE, begins_ms=0, lasts_ms=None))
    begun = get(world, item)
    assert begun.has_begun and begun.ends_ms - begun.begins_ms == HOUR_MS
    offer(world, item, Sale(PRICE, lasts_ms=0))
    assert get(world, item).ends_ms == 0
    offer(world, item, Sale(PRICE, begins_ms=None, lasts_ms=None))
    assert get(world, item).ends_ms == 0


@pytest.mark.parametrize("what", ["purchase", "bid", "offer"])
def test_a_worker_that_dies_between_any_two_steps_changes_nothing_in_the_end(
    world: World, what: str
) -> None:
    ann, ben = world.people("ann", "ben")
    give_points(world, [ben], 20 * PRICE)
    for trips in range(20):
        kind = "auction" if what == "bid" else "fixed"
        item = listed_item(world, ann, Sale(PRICE, kind, lasts_ms=HOUR_MS))
        drive(world, item)
        store.ask(world, ben, item, what, PRICE)
        before = balances(world, [ann, ben])
        crashing = CrashingDb(world.db, trips)
        with suppress(Crashed):
            drive(replace(world, db=crashing), item)
        for _ in range(2):
            drive(world, item)
        is_sold = what == "purchase"
        assert get(world, item).owner == (ben if is_sold else ann)
        gain, loss = (PRICE if is_sold else 0), PRICE
        assert balances(world, [ann, ben]) == [before[0] + gain, before[1] - loss]
        assert get(world, item).is_listed == (not is_sold)
        assert world.db.run(("HLEN", chain_keys.chains(item, "trade"))) == 0
        if crashing.survived:
            assert trips > 5
            return
    raise AssertionError("it never came to an end")


@pytest.mark.parametrize("is_reserved", [False, True])
def test_a_member_who_leaves_takes_items_along_but_not_what_is_being_sold(
    world: World, is_reserved: bool
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    give_points(world, [ben, cat], 50)
    item, other = listed_item(world, ann), items.give(world, ann, "thing", "Kept")
    world.do(store.ask, ben, item, "offer", 5)
    if is_reserved:
        store.ask(world, cat, item, "purchase", PRICE)
    world.do(World.delete_account, ann, None)
    assert world.db.read(goods.find(other)) is None
    found = world.db.read(goods.find(item))
    assert (found.owner if found else None) == (cat if is_reserved else None)
    assert balances(world, [ben, cat]) == [50, 40 if is_reserved else 50]
    assert world.db.read(store.listed("new", "", 9)) == ([], None)
    for key in (item_keys.owned_items(ann), keys.trades(ann), keys.item_holds(item)):
        assert not world.db.run(("EXISTS", key))


@pytest.mark.parametrize("seed", range(12))
def test_two_workers_that_drive_one_purchase_at_once_do_no_harm(world: World, seed: int) -> None:
    """The buyer gets the points at some moment between their steps."""
    ann, ben = world.people("ann", "ben")
    item = listed_item(world, ann)
    drive(world, item)
    world.db.run(store.asking(world, ben, item, "purchase", PRICE))
    partition = partition_of(item)
    [id_] = world.db.run(("HKEYS", chain_keys.chains(partition, "trade")))
    acts = [trip_by_trip(world, TRADES.steps(partition, id_)) for _ in range(2)]
    acts.append(give_points(world, [ben]) for _ in range(1))  # type: ignore[func-returns-value]
    generator = random.Random(seed)
    while acts:
        act = generator.choice(acts)
        if next(act, "ended") == "ended":
            acts.remove(act)
    is_sold = get(world, item).owner == ben
    assert balances(world, [ann, ben]) == ([PRICE, 0] if is_sold else [0, PRICE])
    check_conserved(world, item, [ann, ben], PRICE)


def test_what_is_late_changes_no_list(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    item = listed_item(world, ann)
    drive(world, item)
    late = get(world, item)
    offer(world, item, Sale(20))
    drive(world, item)
    world.db.run(place_command(item, late))
    assert world.db.read(store.listed("price", "0000020", 9)) == ([item], None)
    [(since, _)] = world.db.read(items.owned_ids(ann, 9))
    world.db.run(items.OWN(uid=ann, item=item, since=since - 1, is_own=""))
    assert [id_ for _, id_ in world.db.read(items.owned_ids(ann, 9))] == [item], "it came back"
    assert world.db.read(items.owned_ids(ben, 9)) == []


def test_who_leaves_with_the_highest_bid_gets_nothing_and_the_seller_is_paid(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    give_points(world, [ben])
    item = listed_item(world, ann, Sale(PRICE, "auction", lasts_ms=HOUR_MS))
    world.do(store.ask, ben, item, "bid", PRICE)
    world.do(World.delete_account, ben, None)
    world.do(end, item)
    assert world.db.read(goods.find(item)) is None and balances(world, [ann]) == [PRICE]
    assert not world.db.run(("EXISTS", item_keys.owned_items(ben)))
    assert [ok for ok, *_ in work.findings(world)] == [True]


def test_trades_equal_a_model_through_crashes(world: World) -> None:
    uids = world.people("ann", "ben", "cat")
    give_points(world, uids, 100)

    class Trades(RuleBasedStateMachine):
        """Members offer, buy, bid and answer one item, time passes, and workers die."""

        def __init__(self) -> None:
            super().__init__()
            self.item = items.give(world, uids[0], "thing", "Reed: map")

        @rule(kind=st.sampled_from(["fixed", "auction"]))
        def offer(self, kind: str) -> None:
            with suppress(Conflict):
                offer(world, self.item, Sale(PRICE, kind, lasts_ms=HOUR_MS))

        @rule()
        def withdraw(self) -> None:
            with suppress(Conflict):
                store.withdraw(world, get(world, self.item).owner, self.item)

        @rule(
            uid=st.sampled_from(uids),
            what=st.sampled_from(["purchase", "bid", "offer"]),
            amount=st.integers(PRICE, PRICE + 3),
        )
        def ask(self, uid: int, what: str, amount: int) -> None:
            with suppress(Conflict):
                store.ask(world, uid, self.item, what, PRICE if what == "purchase" else amount)

        @rule(accepts=st.booleans(), by_owner=st.booleans())
        def answer(self, accepts: bool, by_owner: bool) -> None:
            for hold in world.db.read(goods.history(self.item))[1][:1]:
                uid = get(world, self.item).owner if by_owner else hold.uid
                with suppress(Conflict, NotFound):
                    store.answer_offer(world, uid, self.item, hold.number, accepts)

        @rule()
        def end(self) -> None:
            end(world, self.item)

        @rule(trips=st.integers(0, 14))
        def drive(self, trips: int) -> None:
            with suppress(Crashed):
                drive(replace(world, db=CrashingDb(world.db, trips)), self.item)

        @invariant()
        def nothing_is_lost(self) -> None:
            check_conserved(world, self.item, uids, 300)

        def teardown(self) -> None:
            drive(world, self.item)
            end(world, self.item)
            drive(world, self.item)
            with suppress(Conflict):
                store.withdraw(world, get(world, self.item).owner, self.item)
            drive(world, self.item)
            check_conserved(world, self.item, uids, 300)
            assert sum(balances(world, uids)) == 300
            for key in (keys.item_holds, keys.item_payouts):
                assert not world.db.run(("EXISTS", key(self.item)))

    run_steps(Trades, examples=15, steps=20)
