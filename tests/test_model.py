"""The store against a plain-Python model: whatever members do and however workers die, reading tells what the model
tells.

While events wait, a home shows nothing the truth does not hold and everything that was delivered; followers and the
public timeline show exactly what was applied. Once nothing waits, all of them show exactly the truth.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.conftest import PASSWORD, connect_raw
from tests.test_timelines import home, walk
from webapp import keys, worker
from webapp.accounts import store as accounts
from webapp.applying import Outbox
from webapp.config import Config
from webapp.connect import connect
from webapp.errors import Forbidden, Invalid, LeaseLost, NotFound
from webapp.events import GROUPS
from webapp.following import store as following
from webapp.ids import partition_of
from webapp.leases import LEASE
from webapp.statuses import store as statuses
from webapp.text import parse
from webapp.timelines import store as timelines

CAP, SLACK = 3, 1


class Model:
    """What is true, and what was applied of it so far."""

    def __init__(self) -> None:
        self.logins: dict[int, str] = {}
        self.statuses: dict[int, int] = {}  # id → author
        self.follows: dict[int, list[int]] = defaultdict(list)  # in the order of following
        self.followers: dict[int, list[int]] = defaultdict(list)  # as applied
        self.delivered: dict[int, set[int]] = defaultdict(set)
        self.public: set[int] = set()  # as applied
        self.waiting: dict[tuple[str, int], list[tuple[str, int, int]]] = defaultdict(
            list
        )  # (group, partition) → events

    def tell(self, uid: int, kind: str, one: int, other: int) -> None:
        for group in GROUPS:
            self.waiting[group, partition_of(uid)].append((kind, one, other))

    def home(self, uid: int) -> list[int]:
        """The truth."""
        seen = {uid, *self.follows[uid]}
        return sorted((status for status, author in self.statuses.items() if author in seen), reverse=True)

    def apply(self, group: str, kind: str, one: int, other: int) -> None:
        if group == "log":
            if kind == "posted" and one in self.statuses:
                self.public.add(one)
            elif kind == "deleted":
                self.public.discard(one)
        elif kind == "posted" and one in self.statuses:
            for follower in self.followers[other]:
                if other in self.follows[follower]:
                    self.delivered[follower].add(one)
        elif kind in ("followed", "unfollowed"):
            self.followers[other] = [uid for uid in self.followers[other] if uid != one]
            if other in self.follows[one]:
                self.followers[other].append(one)
                theirs = sorted((status for status, author in self.statuses.items() if author == other), reverse=True)
                self.delivered[one] |= set(theirs[:CAP])


class Machine(RuleBasedStateMachine):
    """Members act, workers apply and die, in any order."""

    config: Config
    members = Bundle("members")
    posts = Bundle("posts")

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        raw = connect_raw(self.config)
        raw.everywhere("FLUSHALL")
        raw.close()
        self.db = connect(self.config)
        self.generation = 0
        self.zombies: list[tuple[Outbox, object]] = []

    @initialize(target=members)
    def first(self) -> int:
        return self.sign_up()

    @precondition(lambda self: len(self.model.logins) < 5)
    @rule(target=members)
    def sign_up(self) -> int:
        login = f"member{len(self.model.logins)}"
        uid = accounts.sign_up(self.db, self.config, login, login, PASSWORD).uid
        self.model.logins[uid] = login
        self.model.tell(uid, "joined", uid, uid)
        return uid

    @rule(target=posts, author=members)
    def post(self, author: int) -> int:
        form = f"form-{len(self.model.statuses)}-{self.generation}"
        self.generation += 1
        status_id = statuses.post(self.db, self.config, author, parse("hello"), form)
        assert statuses.post(self.db, self.config, author, parse("hello"), form) == status_id
        self.model.statuses[status_id] = author
        self.model.delivered[author].add(status_id)
        self.model.tell(author, "posted", status_id, author)
        return status_id

    @rule(status_id=posts, uid=members)
    def delete(self, status_id: int, uid: int) -> None:
        author = self.model.statuses.get(status_id)
        if author != uid:
            with pytest.raises(NotFound if author is None else Forbidden):
                statuses.delete(self.db, self.config, uid, status_id)
            return
        statuses.delete(self.db, self.config, uid, status_id)
        del self.model.statuses[status_id]
        self.model.tell(uid, "deleted", status_id, uid)

    @rule(uid=members, other=members)
    def follow(self, uid: int, other: int) -> None:
        if uid == other:
            with pytest.raises(Invalid):
                following.follow(self.db, self.config, uid, self.model.logins[other])
            return
        following.follow(self.db, self.config, uid, self.model.logins[other])
        if other not in self.model.follows[uid]:
            self.model.follows[uid].append(other)
            self.model.tell(uid, "followed", uid, other)

    @rule(uid=members, other=members)
    def unfollow(self, uid: int, other: int) -> None:
        following.unfollow(self.db, self.config, uid, self.model.logins[other])
        if other in self.model.follows[uid]:
            self.model.follows[uid].remove(other)
            gone = {status for status, author in self.model.statuses.items() if author == other}
            self.model.delivered[uid] -= gone
            self.model.tell(uid, "unfollowed", uid, other)

    @rule(uid=members)
    def stay_away(self, uid: int) -> None:
        self.db.trip(("ZREM", keys.active(partition_of(uid)), uid), ("DEL", keys.home(uid)))

    @rule(uid=members, group=st.sampled_from(GROUPS), count=st.integers(1, 3), dies=st.booleans())
    def work(self, uid: int, group: str, count: int, dies: bool) -> None:
        """A worker takes one partition and applies a few of its events; it may die before it says so."""
        partition = partition_of(uid)
        box = self._owner(group, partition)
        reply = self._entries(box)
        if not reply:
            return
        entries = reply[0][1][:count]
        if dies:
            box._acknowledge = lambda done: None  # type: ignore[method-assign]
        box.apply([[reply[0][0], entries]], lambda: None)
        waiting = self.model.waiting[group, partition]
        for event in waiting[: len(entries)]:
            self.model.apply(group, *event)
        if dies:
            self.zombies.append((box, [[reply[0][0], entries]]))
        else:
            del waiting[: len(entries)]
            # What was read but not applied stays with the consumer, as after a death between two events.

    @precondition(lambda self: self.zombies)
    @rule(data=st.data())
    def return_from_the_dead(self, data: st.DataObject) -> None:
        """A worker that was thought dead goes on with what it had in hand."""
        box, reply = data.draw(st.sampled_from(self.zombies))
        try:
            box.apply(reply, lambda: None)
        except LeaseLost:
            return

    @rule()
    def settle(self) -> None:
        for partition in map(partition_of, self.model.logins):
            for group in GROUPS:
                self._expire(group, partition)
        worker.drain(self.db, self.config, f"settler-{self.generation}")
        for (group, _), events in self.model.waiting.items():
            for event in events:
                self.model.apply(group, *event)
            events.clear()
        for uid in self.model.logins:
            truth = self.model.home(uid)
            self.model.delivered[uid] = set(truth)
            assert home(self.db, self.config, uid)[: len(truth[:CAP])] == truth[:CAP]
            assert set(self.model.followers[uid]) == {
                other for other, all_ in self.model.follows.items() if uid in all_
            }
        assert self.model.public == set(self.model.statuses)

    @invariant()
    def homes_tell_the_truth(self) -> None:
        for uid in self.model.logins:
            if self.db.run(("ZSCORE", keys.active(partition_of(uid)), uid)) is None:
                self.model.delivered[uid] = set(self.model.home(uid))  # the visit builds it anew
            truth, shown = self.model.home(uid), home(self.db, self.config, uid)
            assert set(shown) <= set(truth)
            assert self.model.delivered[uid] & set(truth[:CAP]) <= set(shown)

    @invariant()
    def profiles_lists_and_counts_equal_the_model(self) -> None:
        for uid, login in self.model.logins.items():
            own = sorted((status for status, author in self.model.statuses.items() if author == uid), reverse=True)
            shown, _, _ = timelines.profile(self.db, self.config, login, None)
            assert (
                walk(lambda before, login=login: timelines.profile(self.db, self.config, login, None, before)[2], 2)
                == own
            )
            assert shown.statuses == len(own)
            assert self._people("following", uid) == self.model.follows[uid][::-1]
            assert shown.following == len(self.model.follows[uid])
            applied = set(self.model.followers[uid])
            truth = {other for other, followed in self.model.follows.items() if uid in followed}
            followers = set(self._people("followers", uid))
            # An event that is applied twice brings the list up to a newer truth, so either is right where they differ.
            assert applied & truth <= followers <= applied | truth
            assert shown.followers == len(followers)

    @invariant()
    def the_public_timeline_equals_the_model(self) -> None:
        shown = walk(lambda before: timelines.public(self.db, self.config, before), 2)
        assert shown == sorted(self.model.public & self.model.statuses.keys(), reverse=True)

    def teardown(self) -> None:
        self.settle()
        self.homes_tell_the_truth()
        self.profiles_lists_and_counts_equal_the_model()
        self.the_public_timeline_equals_the_model()
        self.db.close()

    def _owner(self, group: str, partition: int) -> Outbox:
        """A new worker that has just taken the partition's lease, since its last owner is silent."""
        self._expire(group, partition)
        self.generation += 1
        leases = LEASE([keys.lease(partition, group)], f"worker-{self.generation}", 10_000)
        return Outbox(self.db, self.config, group, partition, int(self.db.run(leases)))

    def _entries(self, box: Outbox) -> list[list[object]] | None:
        """What the box is handed: its predecessors' unfinished events first, then new ones."""
        for _ in range(3):
            reply = self.db.replies([box.command()])[0]
            if isinstance(reply, list) and reply and reply[0][1]:
                return reply
            box.apply(reply, lambda: None)
        return None

    def _expire(self, group: str, partition: int) -> None:
        self.db.run(("HSET", keys.lease(partition, group), "until", 0))

    def _people(self, kind: str, uid: int) -> list[int]:
        found: list[int] = []
        before = None
        while True:
            _, page, _ = following.people(self.db, kind, uid, before, 2, None)
            found += [member.uid for member in page.items]
            before = page.next
            if before is None:
                return found


@pytest.mark.parametrize("push_max", [1, 1_000])
def test_reading_equals_the_model(settings_: Config, push_max: int) -> None:
    machine = type("M", (Machine,), {"config": replace(settings_, push_max_followers=push_max, merged_seconds=0)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=False,
        ),
    )


@pytest.fixture
def settings_(request: pytest.FixtureRequest) -> Config:
    config: Config = request.getfixturevalue("settings")
    return replace(config, home_max=CAP, home_slack=SLACK, page_size=2, attempts_max=1_000)
