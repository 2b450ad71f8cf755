"""What the state machines share that hold the store against models of parts of it: members who act on each other, and
workers who apply what that tells others in any order, and die.

What lies between members (follows, blocks, mutes) these machines read from the members' own lists, which
test_model.py holds to a model of their own. What others learn by events, a machine is told when it happens (`applied`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.conftest import PASSWORD, connect_raw
from tests.support import worker
from tests.support.schema import check_schema
from webapp.accounts import lifecycle, registration
from webapp.accounts.quote_policy import QuotePolicy
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.consumer import PartitionConsumer
from webapp.core.events.leases import LEASE
from webapp.core.events.outbox import GROUPS
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.errors import LeaseLost, Refused
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.requests import store as requests
from webapp.statuses import store as statuses
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.visibility.reply_policy import REPLY_ERRORS, ReplyPolicy
from webapp.statuses.visibility.visibility import Visibility, allowed_for_reply

NOTHING = 0  # no status
PEOPLE = 4
members = st.integers(1, PEOPLE)  # their uids
posts = st.integers(0, 9)  # how many posts ago
yes = st.booleans()
visibilities = st.sampled_from([Visibility.PUBLIC, Visibility.PUBLIC, *Visibility])
HUSH = partial(mutes.mute, hide_notifications=True)
ACTS = (
    *(following.follow, following.follow, following.follow, following.unfollow),
    *(blocks.block, blocks.block, blocks.unblock, mutes.mute, HUSH, mutes.unmute),
)
Entries = list[tuple[str, list[str]]]

STANDING = (
    "accept",
    "accept",
    "protect",
    "open",
    "suspend",
    "restore",
    "restore",
    "remove",
    "remove",
)


@dataclass
class Written:
    """A status: who wrote it, how visible it was to be, whom it answers (0: nobody, or oneself), whom it is for by
    name (`named`, with whom it answers), whom it names; who may reply, by the rule of the thread's first post, and who
    quote; whether it asks something. `faithful`: who followed its author when it was written, since when.
    """

    author: int
    visibility: Visibility
    to: int = 0
    named: frozenset[int] = frozenset()
    names: frozenset[int] = frozenset()
    rule: tuple[ReplyPolicy, int, frozenset[int]] = (ReplyPolicy.EVERYBODY, 0, frozenset())
    quoting: QuotePolicy = QuotePolicy.EVERYONE
    asks: bool = False
    said: StatusOptions = field(default_factory=lambda: StatusOptions())
    text: str = ""
    faithful: Mapping[int, Any] = field(default_factory=dict)


class Workers:
    """Takes events from outboxes as workers do, one after the other and each as a new owner."""

    config: Config
    db: Db
    generation = 0

    def owner(self, group: str, partition: int) -> PartitionConsumer:
        """A new worker that has just taken the partition's lease, since its last owner is silent."""
        self.expire(group, partition)
        self.generation += 1
        leases = LEASE(
            lease=event_keys.lease(partition, group),
            owner=f"worker-{self.generation}",
            duration=10_000,
        )
        return worker.consumer(self.db, self.config, group, partition, int(self.db.run(leases)))

    def entries(self, box: PartitionConsumer) -> list[list[Any]] | None:
        """What the box is handed: its predecessors' unfinished events first, then new ones."""
        for _ in range(3):
            reply = self.db.trip_with_errors([box.command()])[0]
            if isinstance(reply, list) and reply and reply[0][1]:
                return reply
            box.apply(reply, lambda: None)
        return None

    def expire(self, group: str, partition: int) -> None:
        self.db.run(("HSET", event_keys.lease(partition, group), "until", 0))

    def listed(self, key: str) -> set[int]:
        """The members of a sorted set."""
        return set(map(int, self.db.run(("ZRANGE", key, 0, -1))))


class Society(Workers, RuleBasedStateMachine):
    """Members act, workers apply and die, in any order."""

    def __init__(self) -> None:
        super().__init__()
        raw = connect_raw(self.config)
        raw.on_every_primary("FLUSHALL")
        raw.close()
        self.db = connect(self.config)
        self.logins: dict[int, str] = {}
        self.suspended: set[int] = set()
        self.gone: set[int] = set()
        self.protected: set[int] = set()
        self.statuses: dict[int, Written] = {}  # those that are there
        self.made = list[int]()  # all that there ever were, in their order
        self.zombies: list[tuple[PartitionConsumer, str, Entries]] = []
        self._ties: dict[str, dict[int, str]] = {}

    def applied(self, group: str, kind: str, data: Mapping[str, str]) -> None:
        """An event was applied, wholly."""

    def broken_off(self) -> None:
        """Some events were applied in part."""

    def check(self) -> None:
        """What must be so once nothing waits."""

    # Members

    @initialize(pairs=st.sets(st.tuples(members, members), min_size=2, max_size=8))
    def begin(self, pairs: set[tuple[int, int]]) -> None:
        self.people(pairs)

    def people(self, pairs: set[tuple[int, int]]) -> None:
        """Members, of whom some follow each other from the start."""
        for number in range(1, PEOPLE + 1):
            login = f"bird{number}"
            assert registration.sign_up(self.db, self.config, login, login, PASSWORD).uid == number
            self.logins[number] = login
        for pair in sorted(pairs):
            self.relate(*pair, following.follow)

    @rule(uid=members, other=members, act=st.sampled_from(ACTS))
    def relate(self, uid: int, other: int, act: Callable[..., object]) -> None:
        """What one member does to another."""
        self.does(act, uid, self.logins[other])

    @rule(uid=members, what=st.sampled_from(STANDING), sure=yes)
    def stand(self, uid: int, what: str, sure: bool) -> None:
        """What becomes of a member themselves."""
        if what == "accept" and uid not in self.gone:
            for asker in self.listed(following_keys.follow_requests(uid)) - self.gone:
                self.does(requests.answer, uid, self.logins[asker], True)
        elif what in ("protect", "open") and self.does(lifecycle.protect, uid, what == "protect"):
            (self.protected.add if what == "protect" else self.protected.discard)(uid)
        elif what in ("suspend", "restore") and self.does(
            lifecycle.suspend, uid, what == "suspend"
        ):
            (self.suspended.add if what == "suspend" else self.suspended.discard)(uid)
        elif what == "remove" and sure and uid not in self.gone:
            self.does(lifecycle.delete_account, uid, None)
            self.gone.add(uid)
            self.suspended.discard(uid)
            self.left(uid)
            self.statuses = {
                number: one for number, one in self.statuses.items() if one.author != uid
            }

    def left(self, uid: int) -> None:
        """A member has deleted their account."""

    def delete(self, status_id: int) -> None:
        one = self.statuses.get(status_id)
        if one and self.does(statuses.delete, one.author, status_id):
            del self.statuses[status_id]

    def pick(self, back: int) -> int:
        """The status that was posted so many posts ago, or as near to it as there is; it may be gone."""
        return self.made[-1 - back % len(self.made)] if self.made else NOTHING

    def does(self, act: Callable[..., object], uid: int, *given: object) -> bool:
        """A member does something, unless it is refused."""
        self._ties.clear()
        try:
            act(self.db, self.config, uid, *given)
        except Refused:
            return False
        return True

    def write(self, uid: int, text: str, form: str = "", **said: Any) -> int:
        """Posts, if it may be; otherwise it is refused for the right reason."""
        self.generation += 1
        meant = cast("StatusOptions", said)
        why = self.refusal(uid, meant)
        try:
            number = statuses.post(
                self.db, self.config, uid, parse(text), form or f"form-{self.generation}", **meant
            )
        except Refused as refusal:
            assert refusal.code == why, "another reason"
            return NOTHING
        assert why is None, "posted"
        self.note(uid, number, text, meant)
        return number

    def note(self, uid: int, number: int, text: str, said: StatusOptions) -> None:
        """A status was posted."""
        parent = self.statuses.get(said.get("reply") or NOTHING)
        visibility = said.get("visibility") or (
            self.seen_as(parent) if parent else Visibility.PUBLIC
        )
        names = frozenset(one for one, login in self.logins.items() if f"@{login}" in text.split())
        rule = (
            parent.rule
            if parent
            else (said.get("answerers", ReplyPolicy.EVERYBODY), uid, names - {uid})
        )
        named = names | {parent.author} if parent else names
        to = parent.author if parent and parent.author != uid else 0
        faithful = {one: since for one in self.logins if (since := self.follows(one).get(uid))}
        quoting, asks = said.get("quoting", QuotePolicy.EVERYONE), bool(said.get("poll"))
        self.statuses[number] = Written(
            uid, visibility, to, named, names, rule, quoting, asks, said, text, faithful
        )
        self.made.append(number)

    # What is so

    @property
    def here(self) -> list[int]:
        """The members that anybody can see."""
        return [uid for uid in self.logins if uid not in self.suspended | self.gone]

    def ties(self, key: str) -> dict[int, str]:
        """Whom one of a member's own lists names, with scores; read once until somebody does something."""
        if key not in self._ties:
            flat = self.db.run(("ZRANGE", key, 0, -1, "WITHSCORES"))
            self._ties[key] = dict(zip(map(int, flat[::2]), flat[1::2], strict=True))
        return self._ties[key]

    def follows(self, uid: int) -> dict[int, str]:
        return self.ties(following_keys.following(uid)) if uid else {}

    def apart(self, uid: int) -> set[int]:
        """Whom a member blocks, and who blocks them as far as they have heard."""
        return (
            {*self.ties(following_keys.blocks(uid)), *self.ties(following_keys.blockers(uid))}
            if uid
            else set()
        )

    def muted(self, uid: int) -> set[int]:
        return {*self.ties(following_keys.mutes(uid))} if uid else set()

    def seen_as(self, one: Written) -> Visibility:
        """How visible a status is now."""
        limited = one.visibility.restricted or one.author not in self.protected
        return one.visibility if limited else Visibility.FOLLOWERS

    def sees(self, uid: int, one: Written) -> bool:
        """Whether a status is for a member (0: a visitor)."""
        visibility = self.seen_as(one)
        named = one.named if one.visibility.restricted else frozenset[int]()
        if not visibility.restricted or (uid and uid in {one.author, *named}):
            return True
        return visibility is Visibility.FOLLOWERS and bool(uid) and one.author in self.follows(uid)

    def aim(self, uid: int, status_id: int, apart: str) -> str | None:
        """Why a member may do nothing with a status."""
        one = self.statuses.get(status_id)
        if one is None or not self.sees(uid, one):
            return "no_status"
        if one.author in self.suspended:
            return "suspended"
        blocked = uid in self.ties(following_keys.blocks(one.author)) or one.author in self.ties(
            following_keys.blocks(uid)
        )
        return apart if blocked else None

    def refusal(self, uid: int, said: StatusOptions) -> str | None:
        """Why a member may not post this; None where they may."""
        reply, quote = said.get("reply") or NOTHING, said.get("quote") or NOTHING
        if reply and (why := self.aim(uid, reply, "cannot_reply") or self.not_asked(uid, reply)):
            return why
        if quote and (why := self.aim(uid, quote, "cannot_quote") or self.not_quotable(uid, quote)):
            return why
        wanted = said.get("visibility")
        if reply and wanted and wanted not in allowed_for_reply(self.seen_as(self.statuses[reply])):
            return "too_visible"
        return self.barred(uid) or (
            "cannot_reply" if reply and self.statuses[reply].author in self.apart(uid) else None
        )

    def barred(self, uid: int) -> str | None:
        return "no_member" if uid in self.gone else "suspended" if uid in self.suspended else None

    def not_asked(self, uid: int, status_id: int) -> str | None:
        who, author, named = self.statuses[status_id].rule
        asked = who is ReplyPolicy.EVERYBODY or uid in {author, *named}
        asked = asked or (who is ReplyPolicy.FOLLOWED and uid in self.follows(author))
        return None if asked else REPLY_ERRORS[who]

    def not_quotable(self, uid: int, status_id: int) -> str | None:
        one = self.statuses[status_id]
        if self.seen_as(one).restricted:
            return "not_for_quotes"
        if uid == one.author or one.quoting is QuotePolicy.EVERYONE:
            return None
        if one.quoting is QuotePolicy.NOBODY:
            return "quoted_by_nobody"
        return None if one.author in self.follows(uid) else "quoted_by_followers"

    # Workers

    @rule(at=st.integers(0, 2 * PEOPLE - 1), count=st.integers(1, 3), dies=yes)
    def work(self, at: int, count: int, dies: bool) -> None:
        """A worker takes one partition and applies a few of its events; it may die before it says so."""
        waiting = [(uid, group) for uid in self._waiting() for group in GROUPS]
        if waiting:
            self._step(*waiting[at % len(waiting)], count, dies)

    @precondition(lambda self: self.zombies)
    @rule(data=st.data())
    def return_from_the_dead(self, data: st.DataObject) -> None:
        """A worker that was thought dead goes on with what it had in hand."""
        box, stream, entries = data.draw(st.sampled_from(self.zombies))
        try:
            self._apply(box, stream, entries)
        except LeaseLost:
            self.broken_off()

    @rule()
    def settle(self) -> None:
        """Everything is applied."""
        while waiting := self._waiting():
            for uid in waiting:
                boxes = [self._step(uid, group, 1_000, False) for group in GROUPS]
                boxes[0].sweep()
        self.check()

    def teardown(self) -> None:
        self.settle()
        check_schema(self.db)
        self.db.close()

    def _waiting(self) -> list[int]:
        """The members in whose partitions there may be events to apply."""
        lengths = self.db.trip(
            *(("XLEN", event_keys.outbox(partition_of(uid))) for uid in self.logins)
        )
        return [uid for uid, length in zip(self.logins, lengths, strict=True) if length]

    def _step(self, uid: int, group: str, count: int, dies: bool) -> PartitionConsumer:
        box = self.owner(group, partition_of(uid))
        reply = self.entries(box)
        if reply:
            stream, entries = reply[0][0], reply[0][1][:count]
            if dies:
                box._acknowledge = lambda done: None  # type: ignore[method-assign]
                self.zombies.append((box, stream, entries))
            self._apply(box, stream, entries)
        return box

    def _apply(self, box: PartitionConsumer, stream: str, entries: Entries) -> None:
        """One by one, so that what is so when one of them is applied is so when the machine is told of it."""
        for entry in entries:
            self._ties.clear()
            assert box.apply([[stream, [entry]]], lambda: None), "it failed"
            data = dict(zip(entry[1][::2], entry[1][1::2], strict=True))
            self.applied(box.group, data["type"], data)


def run_machine(machine: type[Society], config: Config, examples: int, **changes: Any) -> None:
    """Runs a machine so often, with these settings of the site."""
    small = replace(config, merged_seconds=0, page_size=2, attempts_max=1_000, **changes)
    run_state_machine_as_test(
        type(machine.__name__, (machine,), {"config": small}),
        settings=settings(
            max_examples=examples,
            stateful_step_count=50,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=False,
        ),
    )
