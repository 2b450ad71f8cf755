"""The ledger: a reference is booked once, no balance is below 0, and the sums agree."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.support.concurrently import concurrently
from tests.support.schema import member_keys
from tests.support.state_machines.runs import run_steps
from tests.support.world import World
from webapp.core.errors import Forbidden, NotFound, Refused
from webapp.core.store import Site
from webapp.rewards.points import check_ins, keys, ledger, work


def sum_of_ledger(site: Site, uid: int) -> int:
    """Return the sum of a member's ledger, with the entries that were cut off."""
    entries = site.db.read(ledger.ledger_page(uid, None, 20_000)).items
    carried = entries[-1].balance - entries[-1].amount if entries else 0
    return carried + sum(entry.amount for entry in entries)


def total(site: Site) -> int:
    return sum(site.db.read(ledger.totals()).values())


@pytest.mark.slow
def test_the_ledger_equals_a_model(world: World) -> None:
    uids = world.people("ann", "ben")

    class Ledger(RuleBasedStateMachine):
        """Books on two members. The same reference comes again and again."""

        def __init__(self) -> None:
            super().__init__()
            for uid in uids:
                world.db.trip(
                    *(("DEL", key(uid)) for key in (keys.points, keys.ledger, keys.ledger_done)),
                    ("DEL", keys.points_totals(uid)),
                )
            self.balances = dict.fromkeys(uids, 0)
            self.answers: dict[tuple[int, str], int | str] = {}

        @rule(
            uid=st.sampled_from(uids),
            amount=st.integers(-20, 20),
            reference=st.sampled_from("abcdefgh"),
            final=st.booleans(),
        )
        def book(self, uid: int, amount: int, reference: str, final: bool) -> None:
            known = self.answers.get((uid, reference))
            balance = self.balances[uid] + amount
            expected = known if known is not None else "funds" if balance < 0 else balance
            try:
                command = ledger.booking(uid, amount, "gift", reference, final=final)
                found: int | str = world.db.run(command)
            except Refused as refusal:
                found = refusal.code
            assert found == expected
            if known is None and balance >= 0:
                self.balances[uid] = self.answers[uid, reference] = balance
            elif known is None and final:
                self.answers[uid, reference] = "points_refused"

        @invariant()
        def sums_agree(self) -> None:
            for uid, balance in self.balances.items():
                assert world.db.read(ledger.balance_of(uid)) == balance == sum_of_ledger(world, uid)
            assert total(world) == sum(self.balances.values())

    run_steps(Ledger, examples=25, steps=30)


def test_fifty_at_once_book_one_reference_once_and_spend_nothing_twice(world: World) -> None:
    (ann,) = world.people("ann")
    given = concurrently(lambda _: ledger.book(world, ann, 95, "gift", "gift"), 50)
    paid = concurrently(lambda n: ledger.book(world, ann, -10, "order", f"order:{n}"), 50)
    assert set(given) == {95}
    assert paid.count("funds") == 41
    assert world.db.read(ledger.balance_of(ann)) == 5 == sum_of_ledger(world, ann) == total(world)


def test_a_suspended_member_keeps_points_and_cannot_use_them(world: World) -> None:
    (ann,) = world.people("ann")
    ledger.book(world, ann, 20, "gift", "first")
    world.suspend(ann)
    world.refuses(Forbidden, ledger.book, ann, -5, "order", "order:1", match="suspended")
    assert ledger.book(world, ann, 1, "refund", "refund:1") == 21
    world.suspend(ann, suspended=False)
    assert ledger.book(world, ann, -5, "order", "order:1") == 16


def test_points_of_a_deleted_member_are_burnt(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    for uid in (ann, ben):
        ledger.book(world, uid, 20, "gift", "first")
    check_ins.check_in(world, ann, "UTC")
    world.delete_account(ann, None)
    world.refuses(NotFound, ledger.book, ann, 5, "refund", "late")
    world.apply_events()
    assert world.db.read(ledger.totals()) == {"burnt": -21, "checkin": 1, "gift": 40}
    assert [key.split(":")[0] for key in member_keys(world.db, ann)] == ["user"]
    assert [ok for ok, *_ in work.findings(world)] == [True]


def test_doctor_notices_points_that_no_ledger_knows(world: World) -> None:
    (ann,) = world.people("ann")
    ledger.book(world, ann, 20, "gift", "first")
    world.db.run(("SET", keys.points(ann), 21))
    ((ok, message, remedy),) = work.findings(world)
    assert not ok
    assert remedy
    assert "members hold 21, the ledgers say 20 (gift +20)" in message


def test_the_oldest_entries_are_summed_up(world: World) -> None:
    (ann,) = world.people("ann")
    commands = [
        ledger.BOOK(
            uid=ann, amount=1, reason="gift", reference=str(n), note="", final="", until_ms=""
        )
        for n in range(10_050)
    ]
    world.db.trip(*commands)
    assert world.db.run(("XLEN", keys.ledger(ann))) == 10_000
    assert sum_of_ledger(world, ann) == 10_050
    assert ledger.book(world, ann, 1, "gift", "0") == 10_050, "its entry is gone, not its answer"
