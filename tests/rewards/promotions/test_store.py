"""Promotions: what is spent is what is booked, and the index follows the truth."""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.support.concurrently import concurrently
from tests.support.state_machines.runs import run_steps
from tests.support.upgrades import run_upgrade
from tests.support.world import World
from webapp.accounts import store as accounts
from webapp.core.errors import Conflict, NotFound, Refused
from webapp.core.store import Site, partition_of
from webapp.core.text.parser import parse
from webapp.demo.acts.clock import PastDb
from webapp.moderation import log
from webapp.notifications import keys as notification_keys
from webapp.rewards.points import ledger
from webapp.rewards.promotions import keys, store, work
from webapp.rewards.promotions.index import Index, index_of
from webapp.rewards.promotions.reports import counting
from webapp.rewards.promotions.store import Terms
from webapp.statuses import keys as status_keys, store as statuses

numbers = itertools.count()
TERMS = Terms(("coffee", "#tea"), "", "clicks", 5, 100, 7)


def post(site: Site, uid: int) -> int:
    number = next(numbers)
    return statuses.post(site, uid, parse(f"Fresh coffee {number}"), f"form-{number:08}")


def promote(site: Site, uid: int, terms: Terms = TERMS, points: int = 150) -> int:
    """Post, give the author points, and start a promotion. Return its id."""
    status_id = post(site, uid)
    ledger.book(site, uid, points, "gift", f"gift:{status_id}")
    store.start(site, uid, status_id, terms)
    return status_id


def count(site: Site, reader: int, status_id: int, what: str, charge: int = 700) -> int:
    details = f"{charge} coffee" if what == "views" else ""
    return int(site.db.run(counting(site.config, reader, status_id, what, details)))


def balance(site: Site, uid: int) -> int:
    return site.db.read(ledger.balance_of(uid))


def entries_of(site: Site, uid: int) -> list[tuple[int, str]]:
    """Return the posts of a member's notifications of promotions, each with what happened."""
    entries = site.db.run(("ZRANGE", notification_keys.notifications(uid), 0, -1))
    parts = [entry.split(":") for entry in entries]
    return [(int(subject), act) for _kind, _actor, subject, _event, act in parts]


def shown_ids(site: Site) -> set[int]:
    """Return the promotions that a process which asks now would choose from."""
    index = Index()
    site.db.read(index.changes())
    return set(index.ranking.ads)


def test_a_budget_is_booked_reviewed_spent_and_what_is_left_comes_back(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    id_ = world.do(promote, ann)
    assert balance(world, ann) == 50 and not shown_ids(world), "it waits for the review"
    assert [one.state for one in store.reviewed(world)] == ["waiting"]
    assert count(world, ben, id_, "views") == 0
    world.do(store.move, ann, id_, "accept")
    assert shown_ids(world) == {id_}

    assert count(world, ben, id_, "clicks") == 0, "nothing was seen"
    assert [count(world, ben, id_, "views") for _ in range(3)] == [1, 0, 0]
    assert [count(world, ben, id_, "clicks") for _ in range(2)] == [1, 0]
    assert [count(world, ben, id_, "actions") for _ in range(2)] == [1, 0]
    assert count(world, cid, id_, "views") == 1
    world.apply_events()
    found = store.get(world, id_)
    assert (found.total.views, found.total.clicks, found.total.actions) == (2, 1, 1)
    assert found.spent == 700
    by_word = {one.name: (one.views, one.clicks) for one in found.words}
    assert by_word == {"coffee": (2, 1), "#tea": (0, 0), "*": (0, 0)}
    [day] = found.days
    assert (day.views, day.clicks, day.actions, day.spent) == (2, 1, 1, 700)

    assert count(world, cid, id_, "clicks") == 1
    world.do(store.move, ann, id_, "end")
    found = store.get(world, id_)
    assert (found.state, found.spent) == ("ended", 1400)
    assert balance(world, ann) == 149 and not shown_ids(world)
    world.refuses(Conflict, store.move, ann, id_, "resume")
    store.start(world, ann, id_, TERMS)
    assert store.get(world, id_).total.views == 0, "it begins anew"
    assert balance(world, ann) == 49


def test_a_promotion_that_begins_again_in_the_same_ms_is_paid_again(world: World) -> None:
    [ann] = world.people("ann")
    id_, past = post(world, ann), PastDb(world.db)
    ledger.book(world, ann, 150, "gift", "gift:1")

    def begin_twice() -> None:
        past.set_time(time.time_ns() // 1_000)
        site = Site(past, world.config)
        store.start(site, ann, id_, TERMS)
        store.move(site, ann, id_, "end")
        store.start(site, ann, id_, TERMS)

    copy_context().run(begin_twice)
    assert balance(world, ann) == 50


def test_a_budget_that_is_spent_ends_the_promotion_and_is_never_exceeded(world: World) -> None:
    ann, *readers = world.people("ann", *(f"reader{number}" for number in range(6)))
    id_ = promote(world, ann, replace(TERMS, budget=10, price=50, days=1))
    store.move(world, ann, id_, "accept")
    for reader in readers:
        count(world, reader, id_, "views", charge=3_000)
        count(world, reader, id_, "clicks")
    world.apply_events()
    found = store.get(world, id_)
    assert (found.state, found.spent, found.total.clicks) == ("ended", 10_000, 4)
    assert balance(world, ann) == 140 and not shown_ids(world)


def test_a_budget_is_spread_over_its_days(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    id_ = promote(world, ann, replace(TERMS, days=10))
    store.move(world, ann, id_, "accept")
    count(world, ben, id_, "views", charge=600)
    world.do(count, ben, id_, "clicks")
    assert not shown_ids(world), "0.6 points are more than the share of the first hour"
    day = 86_400_000
    for field, move in (("from", -day), ("until", -day)):
        world.db.run(("HINCRBY", keys.promotion(id_), field, move))
    assert work.look_after(world, partition_of(id_)) == 1
    assert work.look_after(world, partition_of(id_)) == 0
    world.apply_events()
    assert shown_ids(world) == {id_}
    world.db.run(("HSET", keys.promotion(id_), "until", 1))
    world.do(work.look_after, partition_of(id_))
    assert store.get(world, id_).state == "ended" and not shown_ids(world)
    assert count(world, cid, id_, "views") == 0
    assert balance(world, ann) == 150


def test_an_edited_post_is_reviewed_again_and_a_deleted_one_ends(world: World) -> None:
    [ann] = world.people("ann")
    edited, deleted = promote(world, ann), promote(world, ann)
    for id_ in (edited, deleted):
        store.move(world, ann, id_, "accept")
    world.db.run(("HSET", status_keys.status(edited), "edited", 5))
    world.db.run(("DEL", status_keys.status(deleted)))
    world.do(work.look_after, partition_of(ann))
    assert store.get(world, edited).state == "waiting"
    assert store.get(world, deleted).state == "ended"
    assert not shown_ids(world) and balance(world, ann) == 200


def test_what_a_member_paused_is_not_resumed_by_a_review(world: World) -> None:
    [ann] = world.people("ann")
    id_ = promote(world, ann)
    for act in ("accept", "pause"):
        store.move(world, ann, id_, act)
    world.db.run(("HSET", status_keys.status(id_), "edited", 5))
    world.do(work.look_after, partition_of(ann))
    assert store.get(world, id_).state == "paused"
    store.move(world, ann, id_, "resume")
    world.do(work.look_after, partition_of(ann))
    assert store.get(world, id_).state == "waiting" and not shown_ids(world)


def test_a_review_is_logged_once_by_a_worker(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, jay = world.people("ann", "jay")
    id_, reviewer = promote(world, ann), world.db.read(accounts.get(jay))
    assert reviewer
    store.review(world, reviewer, id_, "refuse", "0", "No sales.")
    assert not log.page(world.db, None, 9).items, "the web process may end here"
    write = log.write
    monkeypatch.setattr(log, "write", lambda *entry: [write(*entry) for _ in range(2)])
    world.apply_events()
    [entry] = log.page(world.db, None, 9).items
    assert (entry.kind, entry.login, entry.by_login) == ("refuse_promotion", "ann", "jay")
    assert (entry.why, entry.post) == ("No sales.", id_)


def test_members_are_told_once_that_a_promotion_ended_or_waits_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = world.people("ann", "ben")
    tiny = replace(TERMS, budget=10, kind="views", price=1_000, days=1)
    spent, over, changed, deleted, ended = (promote(world, ann, tiny) for _ in range(5))
    for id_ in (spent, over, changed, deleted, ended):
        world.do(store.move, ann, id_, "accept")
    told = set(entries_of(world, ann))
    sync = work.sync_notices

    def sync_twice(*arguments: Any) -> None:  # as after a worker that dies before it confirms
        sync(*arguments)
        sync(*arguments)

    monkeypatch.setattr(work, "sync_notices", sync_twice)
    world.db.run(("HSET", keys.promotion(spent), "spent", 9_999, "open", ""))
    assert count(world, ben, spent, "views") == 1
    world.db.run(("HSET", keys.promotion(over), "until", 1))
    world.db.run(("DEL", status_keys.status(deleted)))
    store.move(world, ann, ended, "end")
    for edited in (5, 6):
        world.db.run(("HSET", status_keys.status(changed), "edited", edited))
        for _ in range(2):
            world.do(work.look_after, partition_of(ann))
    new = [entry for entry in entries_of(world, ann) if entry not in told]
    assert sorted(new) == sorted([(spent, "spent"), (over, "over"), (changed, "again")])
    assert [one.id for one in store.reviewed(world)] == [changed], "none stays in the index"


def test_what_waits_for_a_review_is_listed_apart_and_in_pages(world: World) -> None:
    [ann] = world.people("ann")
    posts = [promote(world, ann) for _ in range(5)]
    world.do(store.move, ann, posts[0], "accept")

    def page(before: int | None) -> tuple[list[int], int | None]:
        found = store.waiting_page(world, world.db.read(store.waiting_ids(before, 2)), 2)
        return [one.id for one, _post in found.items], found.next

    assert world.db.read(store.count_waiting()) == 4
    assert page(None) == ([posts[4], posts[3]], posts[3])
    store.move(world, ann, posts[2], "refuse")
    assert page(posts[3]) == ([posts[1]], None), "it has moved, and the list follows"
    world.db.run(("DEL", status_keys.status(posts[4])))
    assert page(None) == ([posts[3]], posts[2])
    world.do(World.delete_account, ann, None)
    assert world.db.read(store.count_waiting()) == 0


def test_what_waited_before_there_was_a_list_is_listed_by_an_upgrade(world: World) -> None:
    [ann] = world.people("ann")
    waits, runs = (promote(world, ann) for _ in range(2))
    world.do(store.move, ann, runs, "accept")
    world.db.run(("DEL", keys.waiting_promotions()))
    world.do(run_upgrade, "promotions")
    assert world.db.read(store.waiting_ids(None, 9)) == [waits]


def test_nothing_goes_back_to_an_account_that_is_gone(world: World) -> None:
    [ann] = world.people("ann")
    id_ = promote(world, ann)
    world.delete_account(ann, None)
    world.db.run(("DEL", status_keys.status(id_)))
    work.look_after(world, partition_of(ann))
    assert balance(world, ann) == 50
    world.apply_events()
    assert not world.db.run(("EXISTS", keys.promotion(id_)))


@pytest.mark.parametrize(
    ("field", "value"), [("visibility", "u"), ("visibility", "f"), ("group", "1")]
)
def test_only_public_posts_of_ones_own_can_be_promoted(
    world: World, field: str, value: str
) -> None:
    ann, ben = world.people("ann", "ben")
    id_ = post(world, ann)
    ledger.book(world, ann, 150, "gift", "x")
    ledger.book(world, ben, 150, "gift", "x")
    for uid, other in ((ben, id_), (ann, id_ + 64)):
        world.refuses((NotFound, Refused), store.start, uid, other, TERMS)
    world.db.run(("HSET", status_keys.status(id_), field, value))
    world.refuses(Conflict, store.start, ann, id_, TERMS)
    world.refuses(NotFound, store.move, ben, id_, "pause")
    assert balance(world, ann) == 150


def test_fifty_at_once_start_one_promotion_and_count_one_click(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    id_ = post(world, ann)
    ledger.book(world, ann, 1_000, "gift", "x")
    started = concurrently(lambda _: store.start(world, ann, id_, TERMS), 50)
    assert started.count("promoted") == 49
    store.move(world, ann, id_, "accept")
    for what in ("views", "clicks"):
        assert sum(concurrently(lambda _, what=what: count(world, ben, id_, what), 50)) == 1
    assert balance(world, ann) == 900


def test_a_member_has_twenty_promotions_at_most(world: World) -> None:
    [ann] = world.people("ann")
    for _ in range(20):
        promote(world, ann)
    world.refuses(Conflict, promote, ann, match="promotions_full")


def test_a_full_site_refuses_a_promotion_and_loses_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PROMOTIONS_MAX", 1)
    ann, ben = world.people("ann", "ben")
    ids = [promote(world, uid) for uid in (ann, ben)]  # before the index has the first
    world.apply_events()
    assert {one.id for one in store.reviewed(world)} == set(ids)
    world.refuses(Conflict, promote, ann, match="site_promotions_full")
    assert balance(world, ann) == 200, "nothing was booked for the third"
    world.do(store.move, ann, ids[0], "end")
    world.do(store.move, ben, ids[1], "end")
    world.do(promote, ann)


def test_a_process_reads_only_what_changed_and_learns_that_one_is_gone(world: World) -> None:
    [ann] = world.people("ann")
    index = index_of(world.db)
    index.forget()
    world.db.read(index.changes())
    assert index.changes().commands == (), "it asked a moment ago"
    first, second = promote(world, ann), promote(world, ann)
    for id_ in (first, second):
        store.move(world, ann, id_, "accept")
    world.apply_events()
    index._next_read = time.monotonic()
    world.db.read(index.changes())
    assert set(index.ranking.ads) == {first, second}
    gone = [part for number in range(1_200) for part in (-number, second + 1 + number)]
    world.db.run(("ZADD", keys.promotion_changes(), *gone))
    world.do(World.delete_account, ann, None)
    assert world.db.run(("ZCARD", keys.promotion_changes())) == 1_002, "200 of them went"
    index._next_read = time.monotonic()
    world.db.read(index.changes())
    assert not index.ranking.ads
    assert not world.db.run(("EXISTS", keys.promotion(first)))
    assert not world.db.run(("ZCARD", keys.running_promotions(ann)))


@pytest.mark.long
def test_points_are_conserved_through_all_states(world: World) -> None:
    ann, *readers = world.people("ann", "ben", "cid", "dot")

    class Promoting(RuleBasedStateMachine):
        """Does anything to one promotion, in any order."""

        def __init__(self) -> None:
            super().__init__()
            self.id = post(world, ann)
            ledger.book(world, ann, 100 - balance(world, ann), "gift", f"gift:{self.id}")

        @rule(budget=st.integers(10, 120))
        def start(self, budget: int) -> None:
            self.attempt(lambda: store.start(world, ann, self.id, replace(TERMS, budget=budget)))

        @rule(act=st.sampled_from(["accept", "refuse", "pause", "resume", "end"]))
        def move(self, act: str) -> None:
            self.attempt(lambda: store.move(world, ann, self.id, act))

        @rule(
            reader=st.sampled_from(readers),
            what=st.sampled_from(["views", "clicks", "actions"]),
            charge=st.integers(1, 9_000),
        )
        def see(self, reader: int, what: str, charge: int) -> None:
            self.attempt(lambda: count(world, reader, self.id, what, charge))

        @rule()
        def tick(self) -> None:
            work.look_after(world, partition_of(ann))

        def attempt(self, act: object) -> None:
            with suppress(Conflict, NotFound):
                act()  # type: ignore[operator]

        @invariant()
        def nothing_is_lost(self) -> None:
            found = world.db.read(store.find(self.id))
            entries = world.db.read(ledger.ledger_page(ann, None, 10_000)).items
            own = [one for one in entries if one.reason == "promotion"]
            assert balance(world, ann) >= 0
            if found and found.state == "ended":
                runs = sum(one.amount for one in own[:2]) if own[0].amount > 0 else own[0].amount
                assert -runs == found.spent // 1000
            elif found:
                assert own[0].amount == -found.terms.budget
            if found:
                assert found.spent <= 1000 * found.terms.budget

    run_steps(Promoting, examples=30, steps=25)
