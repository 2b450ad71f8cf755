"""Orders of drops: no piece is sold twice, nobody pays twice, and a crash changes nothing."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.support.concurrently import concurrently
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.interleaving import trip_by_trip
from tests.support.rewards import (
    PRICE,
    add_drop,
    check_conserved,
    give_points,
    paid_for,
    pieces_of,
    states,
)
from tests.support.state_machines.runs import run_steps
from tests.support.world import World
from webapp.core.errors import Conflict, NotFound
from webapp.core.store import PARTITIONS, Site, partition_of
from webapp.rewards.chains import chain as chains, keys as chain_keys
from webapp.rewards.drops import keys, store
from webapp.rewards.drops.ordering import MOVE, ORDERS
from webapp.rewards.items import keys as item_keys, store as items
from webapp.rewards.points import ledger, work


def drive_all(site: Site) -> None:
    """Drive every chain, as the job does once their time has come."""
    for partition in range(PARTITIONS):
        ORDERS.drive(site, partition, site.db.run(("HKEYS", chain_keys.chains(partition, "order"))))


def test_the_doctor_tells_an_order_that_fails_again_and_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    give_points(world, [ann])
    store.take(world, add_drop(world, stock=7), ann)
    [(is_fine, text, _)] = ORDERS.findings(world.site)
    assert (is_fine, text) == (True, "order: 1 in progress")
    monkeypatch.setattr(chains, "LATE", -chains.LATE)
    [(is_fine, text, remedy)] = ORDERS.findings(world.site)
    assert not is_fine
    assert "1 or more for over" in text
    assert "chain order" in remedy


def test_fifty_at_once_get_the_pieces_that_there_are_in_the_order_of_arrival(world: World) -> None:
    uids = world.crowd(12)
    give_points(world, uids)
    drop = add_drop(world, stock=7)
    answers = concurrently(lambda n: store.take(world, drop, uids[n % 12]), 60)
    numbers = sorted(answer for answer in answers if isinstance(answer, int))
    assert numbers == list(range(1, 8))
    found = {answer for answer in answers if isinstance(answer, str)}
    assert found == {"drop_again", "drop_sold_out"}
    world.do(check_conserved, drop, uids)
    assert states(world, drop) == {"delivered": 7}
    assert sorted(map(world.db.read, map(ledger.balance_of, uids))) == [0] * 7 + [PRICE] * 5
    assert sum(len(pieces_of(world, uid)) for uid in uids) == 7
    check_conserved(world, drop, uids)


def test_a_member_without_points_gives_the_piece_back_and_may_try_again(world: World) -> None:
    (ann,) = world.people("ann")
    drop = add_drop(world, stock=1)
    assert store.take(world, drop, ann) == 1
    world.apply_events()
    order = world.db.read(store.order_of(drop, ann))
    assert order and order.state == "refused"
    assert world.db.read(store.get(drop)).left == 1
    give_points(world, [ann])
    drive_all(world)
    assert states(world, drop) == {"refused": 1}, "points that come later do not pay it"
    assert store.take(world, drop, ann) == 2
    world.apply_events()
    assert states(world, drop) == {"delivered": 1}
    assert world.db.read(store.ordered_ids(ann)) == [drop]
    late = MOVE(id=drop, uid=ann, number=1, before="delivered", after="refused")
    assert not world.db.run(late), "it is about the first order"
    check_conserved(world, drop, [ann])


@pytest.mark.parametrize("points", [0, PRICE])
def test_a_worker_that_dies_between_any_two_steps_changes_nothing_in_the_end(
    world: World, points: int
) -> None:
    (ann,) = world.people("ann")
    if points:
        give_points(world, [ann], 20 * PRICE)
    for trips in range(20):
        drop = add_drop(world, stock=1)
        number = store.take(world, drop, ann)
        crashing = CrashingDb(world.db, trips)
        partition = partition_of(drop)
        try:
            ORDERS.drive(replace(world, db=crashing), partition, [f"{drop}:{number}"])
        except Crashed:
            check_conserved(world, drop, [ann])
            assert world.db.run(("ZCARD", chain_keys.due_chains(partition, "order"))) == 1
        for _ in range(2):
            drive_all(world)
            ORDERS.drive(world, partition, [f"{drop}:{number}"])
        assert states(world, drop) == {"delivered" if points else "refused": 1}
        check_conserved(world, drop, [ann])
        left = ("HLEN", chain_keys.chains(partition, "order"))
        assert world.db.trip(left, ("ZCARD", chain_keys.due_chains(partition, "order"))) == [0, 0]
        if crashing.survived:
            assert trips > 4
            assert paid_for(world, ann) == (trips + 1 if points else 0)
            return
    raise AssertionError("it never came to an end")


@pytest.mark.parametrize("seed", range(12))
def test_two_workers_that_drive_one_order_at_once_do_no_harm(world: World, seed: int) -> None:
    """The member gets the points at some moment between their steps."""
    (ann,) = world.people("ann")
    drop = add_drop(world, stock=1)
    number = store.take(world, drop, ann)
    partition, id_ = partition_of(drop), f"{drop}:{number}"
    acts = [trip_by_trip(world, ORDERS.steps(partition, id_)) for _ in range(2)]
    acts.append(give_points(world, [ann]) for _ in range(1))
    generator = random.Random(seed)
    while acts:
        act = generator.choice(acts)
        if next(act, "ended") == "ended":
            acts.remove(act)
        check_conserved(world, drop, [ann])
    assert states(world, drop) in ({"delivered": 1}, {"refused": 1})
    got = bool(pieces_of(world, ann))
    assert got == (states(world, drop) == {"delivered": 1}) == (paid_for(world, ann) == 1)
    assert world.db.read(store.get(drop)).left == (not got)


def test_the_job_drives_what_no_event_finished(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ann,) = world.people("ann")
    give_points(world, [ann])
    drop = add_drop(world, stock=1)
    store.take(world, drop, ann)
    ORDERS.drive_due(world, range(PARTITIONS))
    assert states(world, drop) == {"reserved": 1}, "its event may still come"
    later = time.time() + 6
    monkeypatch.setattr(chains.time, "time", lambda: later)
    ORDERS.drive_due(world, range(PARTITIONS))
    assert states(world, drop) == {"delivered": 1}
    assert world.db.read(ORDERS.waiting(range(PARTITIONS))) == 0


def test_a_drop_is_open_between_its_times(world: World) -> None:
    (ann,) = world.people("ann")
    early, late, gone = (
        add_drop(world, 1, opens=60),
        add_drop(world, 1, closes=-1),
        add_drop(world, 1),
    )
    store.close(world, gone)
    for drop, code in ((early, "not_open"), (late, "closed"), (gone, "closed")):
        world.refuses(Conflict, store.take, drop, ann, match=f"drop_{code}")
    for act in (lambda: store.take(world, 99, ann), lambda: store.close(world, 99)):
        with pytest.raises(NotFound):
            act()
    assert world.db.read(store.newest_ids())[0] == early


@pytest.mark.parametrize("state", ["reserved", "paid", "delivered", "refused"])
def test_an_order_of_a_deleted_member_goes_once_it_has_ended(world: World, state: str) -> None:
    (ann,) = world.people("ann")
    drop = add_drop(world, stock=2)
    world.db.run(("HSET", keys.drop_orders(drop), ann, f"1 {state} 1000"))
    world.db.run(("EXPIRE", keys.drop_orders(drop), 100))
    world.db.run(("ZADD", keys.orders(ann), 1_000, drop))
    world.do(World.delete_account, ann, None)
    is_kept = bool(world.db.run(("HEXISTS", keys.drop_orders(drop), ann)))
    assert is_kept == (state in ("reserved", "paid")), "the chain still needs those in progress"


@pytest.mark.parametrize("is_driven", [False, True])
def test_a_member_who_leaves_keeps_nothing(world: World, is_driven: bool) -> None:
    ann, ben = world.people("ann", "ben")
    give_points(world, [ann, ben])
    drop = add_drop(world, stock=2)
    store.take(world, drop, ben)
    store.take(world, drop, ann)
    if is_driven:
        drive_all(world)
    world.do(World.delete_account, ann, None)
    lost = {"delivered": 1} if is_driven else {"delivered": 1, "refused": 1}
    assert states(world, drop) == lost or states(world, drop) == {"delivered": 1}
    assert world.db.read(store.get(drop)).left == (0 if is_driven else 1)
    assert not pieces_of(world, ann)
    piece = items.item_id(drop, 2)
    assert not world.db.run(("EXISTS", item_keys.item(piece)))
    assert not world.db.run(("EXISTS", keys.orders(ann)))
    assert [ok for ok, *_ in work.findings(world)] == [True]


@pytest.mark.slow
def test_drops_equal_a_model_through_crashes(world: World) -> None:
    uids = world.people("ann", "ben", "cat")

    class Drops(RuleBasedStateMachine):
        """Members take pieces, get points, and workers die."""

        def __init__(self) -> None:
            super().__init__()
            self.drop = add_drop(world, stock=2, days=3, share=50)
            self.gifts = 0
            first = [keys.first_piece(uid) for uid in uids]
            world.db.trip_all([*(("DEL", key) for key in first), ("SET", first[2], 1)])

        @rule(uid=st.sampled_from(uids), age=st.sampled_from((2, 3)))
        def take(self, uid: int, age: int) -> None:
            refusal, is_first = self.refusal_of(uid, age), uid != uids[2]
            try:
                store.take(world, self.drop, uid, age, is_first=is_first)
                assert not refusal
            except Conflict as refused:
                assert refused.code == refusal

        def refusal_of(self, uid: int, age: int) -> str:
            """Return the code of the refusal that an order gets now, "" for none."""
            orders = [store.order_of(self.drop, one) for one in uids]
            own = dict(zip(uids, map(world.db.read, orders), strict=True))
            taken = {uid for uid, order in own.items() if order and order.state != "refused"}
            if uid in taken:
                return "drop_again"
            if age < 3:
                return "drop_too_early"
            if len(taken) == 2:
                return "drop_sold_out"
            marked = states(world, self.drop, " kept")
            kept = 1 - sum(marked.values()) + marked["refused"]
            return "drop_kept" if uid == uids[2] and 2 - len(taken) <= kept else ""

        @rule(uid=st.sampled_from(uids))
        def give(self, uid: int) -> None:
            self.gifts += 1
            ledger.book(world, uid, PRICE, "gift", f"gift:{self.drop}:{self.gifts}")

        @rule(trips=st.integers(0, 7))
        def drive(self, trips: int) -> None:
            crashing = replace(world, db=CrashingDb(world.db, trips))
            with suppress(Crashed):
                drive_all(crashing)

        @invariant()
        def nothing_is_lost(self) -> None:
            check_conserved(world, self.drop, uids)

        def teardown(self) -> None:
            drive_all(world)
            assert set(states(world, self.drop)) <= {"delivered", "refused"}
            check_conserved(world, self.drop, uids)
            sold = states(world, self.drop)["delivered"]
            owners = [uid for uid in uids if self.owns(uid)]
            never_got = [uid for uid in uids if world.db.read(store.never_got(uid))]
            assert never_got == [uid for uid in uids[:2] if uid not in owners]
            assert len(owners) == sold <= 2

        def owns(self, uid: int) -> bool:
            order = world.db.read(store.order_of(self.drop, uid))
            return bool(order and order.state == "delivered")

    run_steps(Drops, examples=15, steps=20)
