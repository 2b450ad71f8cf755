"""Polls and what members are told against a plain-Python model: each vote counts once and none after the end, the end
is told once, and every notification is there that should be and no other, by what each chose to hear of and from whom.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from tests.notifications.test_store import Told, told
from tests.statuses.polls.test_voting import end
from tests.support.state_machines import (
    HUSH,
    Society,
    members,
    posts,
    run_machine,
    visibilities,
    yes,
)
from webapp.config import Config
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.errors import Refused
from webapp.following import keys as following_keys
from webapp.following.blocks import store as blocks
from webapp.notifications import store as notifications
from webapp.notifications.kinds import EVERYONE, FOLLOWED, NOBODY, kinds_in_tab
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.polls import voting
from webapp.statuses.polls.poll import Poll
from webapp.statuses.visibility.visibility import Visibility

POLL = Poll(("reeds", "marsh"), 60)
KINDS = ("mention", "reply", "quote", "like", "boost", "request", "follow", "poll")
VERBS = {
    "like": likes.like,
    "unlike": likes.unlike,
    "boost": boosts.boost,
    "unboost": boosts.unboost,
}
ACTS = {"liked": "like", "unliked": "like", "boosted": "boost", "unboosted": "boost"}
TIES = {
    "followed": ("follow", following_keys.following),
    "unfollowed": ("follow", following_keys.following),
}
choices = st.sampled_from([EVERYONE, FOLLOWED, NOBODY])
ASKS = ("requested", "unrequested")


class Hearing(Society):
    """Members ask and vote, and are told of what others do."""

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[int, set[Told]] = {}
        self.choices: dict[int, dict[str, str]] = {}
        self.votes: dict[int, dict[int, int]] = {}  # by status: the option that each member chose
        self.counted: dict[int, dict[int, int]] = {}  # the same, as applied
        self.over: set[int] = set()  # the polls whose time is over
        self.rung: set[int] = set()  # those of whose end the worker has told

    @initialize(
        pairs=st.sets(st.tuples(members, members), min_size=2, max_size=8),
        wrote=st.lists(st.tuples(members, members, visibilities), min_size=2, max_size=5),
        chosen=st.dictionaries(
            members, st.tuples(st.sets(st.sampled_from(KINDS), min_size=1), choices)
        ),
        hushed=st.sets(st.tuples(members, members), max_size=4),
        shy=st.sets(members),
    )
    def begin(
        self,
        pairs: set[tuple[int, int]],
        wrote: list[tuple[int, int, Visibility]],
        chosen: dict[int, tuple[set[str], str]],
        hushed: set[tuple[int, int]],
        shy: set[int],
    ) -> None:
        """Some have asked others something already, and some protect what they will write."""
        self.people(pairs)
        for uid, other, visibility in wrote:
            self.write(uid, f"which, @{self.logins[other]} ?", visibility=visibility, poll=POLL)
        self.settle()
        for uid, (kinds, choice) in chosen.items():
            self.choose(uid, kinds, choice, False)
        for uid, other in sorted(hushed):
            self.relate(uid, other, HUSH)
        for uid in sorted(shy):
            self.stand(uid, "protect", False)

    @rule(
        uid=members,
        what=st.sampled_from(["ask", "name", "reply", "quote", "delete", "block", *VERBS, *VERBS]),
        other=members,
        back=posts,
        visibility=visibilities,
    )
    def say(self, uid: int, what: str, other: int, back: int, visibility: Visibility) -> None:
        """What members write, and do with what others wrote."""
        status_id, named = self.pick(back), f"@{self.logins[other]}"
        if what in VERBS:
            self.does(VERBS[what], uid, status_id)
        elif what == "ask":
            self.write(uid, f"which, {named} ?", visibility=visibility, poll=POLL)
        elif what == "name":
            self.write(uid, f"hello {named}", visibility=visibility)
        elif what == "delete":
            self.delete(status_id)
        elif (
            what == "block" and status_id in self.statuses
        ):  # one whom it names, or the other way round
            pair = [self.statuses[status_id].author, *self.statuses[status_id].names][
                :: 1 if back % 2 else -1
            ]
            self.relate(pair[0], pair[-1], blocks.block)
        else:
            about: dict[str, Any] = {what: status_id}
            self.write(
                uid,
                f"so it is {named}",
                visibility=None if what == "reply" else visibility,
                **about,
            )

    @precondition(lambda self: self.made)
    @rule(uid=members, back=posts, option=st.sampled_from([0, 0, 1, 1, 2]), dies=yes)
    def vote(self, uid: int, back: int, option: int, dies: bool) -> None:
        """Votes, in what is a poll for the most part; the worker that is to count it may die of it."""
        asking = [one for one in self.made if one in self.statuses and self.statuses[one].asks]
        self._vote(
            uid, asking[-1 - back % len(asking)] if asking and back else self.pick(back), option
        )
        if dies:
            self._step(uid, "log", 1_000, True)

    @rule(back=posts, works=yes, uid=members)
    def time_passes(self, back: int, works: bool, uid: int) -> None:
        """The time of a poll is over, and somebody is late; the worker may see it at once, and looks twice."""
        status_id = self.pick(back)
        if (
            status_id in self.statuses
            and self.statuses[status_id].asks
            and status_id not in self.over
        ):
            end(self.db, status_id)
            self.over.add(status_id)
            self._vote(uid, status_id, 0)
        for _ in "12" if works else "":
            voting.close_due(self.db, self.config, range(PARTITIONS))
        self.rung |= self.over & self.statuses.keys() if works else set()

    @rule(uid=members, kinds=st.sets(st.sampled_from(KINDS), min_size=1), choice=choices, reads=yes)
    def choose(self, uid: int, kinds: set[str], choice: str, reads: bool) -> None:
        """From whom a member hears of what, from now on; they may have read what they were told so far."""
        if uid not in self.gone:
            notifications.set_preferences(self.db, uid, dict.fromkeys(kinds, choice))
            self.choices.setdefault(uid, {}).update(dict.fromkeys(kinds, choice))
            if reads:
                notifications.mark_all(self.db, uid)
                assert self.db.read(notifications.unread_count(uid)) == 0

    def left(self, uid: int) -> None:
        self.told.pop(uid, None)

    # What events tell

    def applied(self, group: str, kind: str, data: Mapping[str, str]) -> None:
        if group == "fanout":
            if kind == "poll_ended":
                status_id, author = int(data["id"]), int(data["author"])
                for to in {author, *self.counted.get(status_id, {})}:
                    self._tell("poll", author, to, status_id)
        elif kind in ACTS:
            self._act(ACTS[kind], data)
        elif kind in TIES or kind in ASKS:
            self._tie(kind, data)
        elif kind in ("posted", "revised", "deleted"):
            self._status(kind, data)
        elif kind == "voted":
            uid, status_id = int(data["uid"]), int(data["id"])
            # Of who has gone, too, until that is applied: then there is nothing of it.
            if status_id in self.votes and self.db.run(
                ("HEXISTS", poll_keys.member_votes(uid), status_id)
            ):
                self.counted.setdefault(status_id, {})[uid] = self.votes[status_id][uid]
            if status_id in self.rung:  # those that ring it may not have known of this vote
                self._tell("poll", int(data["author"]), uid, status_id)
        elif kind == "blocked":
            uid, target = int(data["uid"]), int(data["target"])
            if target in self.ties(following_keys.blocks(uid)):
                self._forget(uid, by=target)
                self._forget(target, by=uid)
        elif kind == "removed":
            for to in self.told:
                self._forget(to, by=int(data["uid"]))
            for votes in self.counted.values():
                votes.pop(int(data["uid"]), None)

    def broken_off(self) -> None:
        """What an event told of may have been told, or taken back, as far as it went: of what is so and what is not."""
        for uid in self.told.keys() | (self.logins.keys() - self.gone):
            there = set(told(self.db, uid))
            assert {
                one for one in there - self.told.get(uid, set()) if not self._so(one, uid)
            } == set()
            gone = {one for one in self.told.get(uid, set()) - there if self._so(one, uid)}
            assert {by for _, by, _ in gone} <= self.apart(uid) | self.gone
            self.told[uid] = there
        for status_id in self.statuses:
            listed = self.db.run(("HGETALL", poll_keys.votes(status_id)))
            self.counted[status_id] = {
                int(uid): int(bits) - 1 for uid, bits in zip(listed[::2], listed[1::2], strict=True)
            }

    @invariant()
    def each_is_told_what_the_model_tells(self) -> None:
        for uid in self.logins.keys() - self.gone:
            assert set(told(self.db, uid)) == self.told.get(uid, set())
            chosen = self.db.read(notifications.preferences(uid))
            assert {kind: chosen[kind] for kind in KINDS} == dict.fromkeys(
                KINDS, EVERYONE
            ) | self.choices.get(uid, {})

    @invariant()
    def votes_count_once(self) -> None:
        for status_id, one in self.statuses.items():
            if one.asks:
                votes = self.counted.get(status_id, {})
                listed = self.db.run(("HGETALL", poll_keys.votes(status_id)))
                assert dict(zip(map(int, listed[::2]), listed[1::2], strict=True)) == {
                    uid: str(1 << option) for uid, option in votes.items()
                }
        partitions = map(partition_of, self.logins)
        waiting = {
            int(one)
            for p in partitions
            for one in self.db.run(("ZRANGE", poll_keys.poll_deadlines(p), 0, -1))
        }
        running = {status_id for status_id, one in self.statuses.items() if one.asks} - self.rung
        assert waiting & self.statuses.keys() == running
        assert self.gone or waiting == running, (
            "what a deleted account asked may not have been erased yet"
        )

    def check(self) -> None:
        for status_id, one in self.statuses.items():
            votes = self.votes.get(status_id, {})
            tally = self.db.run(("HGET", status_keys.status(status_id), "tally")) or "0 0 0"
            if one.asks:
                assert (
                    tally
                    == f"{[*votes.values()].count(0)} {[*votes.values()].count(1)} {len(votes)}"
                )
        for uid in self.here:
            page = notifications.page(self.db, uid, kinds_in_tab("all"), None, 100, False)
            assert {one.status.id for one in page.items if one.status} <= self.statuses.keys()
            hushed = {*self.ties(following_keys.muted_notifications(uid)), *self.apart(uid)}
            assert not {one.uid for group in page.items for one in group.members} & hushed

    # What is so

    def _vote(self, uid: int, status_id: int, option: int) -> None:
        if why := self._no_vote(uid, status_id, option):
            with pytest.raises(Refused) as refusal:
                voting.vote(self.db, self.config, uid, status_id, {option})
            assert refusal.value.code == why
            return
        voting.vote(self.db, self.config, uid, status_id, {option})
        self.votes.setdefault(status_id, {})[uid] = option

    def _no_vote(self, uid: int, status_id: int, option: int) -> str | None:
        """Why a member may not vote so."""
        if why := self.aim(uid, status_id, "cannot_vote"):
            return why
        one, before = self.statuses[status_id], self.votes.get(status_id, {}).get(uid)
        if not one.asks or one.author == uid or option == 2:
            return "no_poll" if not one.asks else "own_poll" if one.author == uid else "bad_vote"
        if why := self.barred(uid):
            return why
        if before is not None:
            return None if before == option else "voted"
        if one.author in self.apart(uid):
            return "cannot_vote"
        return "poll_ended" if status_id in self.over else None

    def _act(self, kind: str, data: Mapping[str, str]) -> None:
        by, status_id = int(data["uid"]), int(data["target"] if kind == "boost" else data["id"])
        if status_id in self.statuses:
            self._tell(kind, by, self.statuses[status_id].author, status_id)

    def _tie(self, kind: str, data: Mapping[str, str]) -> None:
        by, to = int(data["uid"]), int(data["target"])
        if kind in TIES:
            self._tell("follow", by, to, 0)
        if kind in ASKS or (kind == "followed" and "asked" in data):
            self._tell("request", by, to, 0)

    def _status(self, kind: str, data: Mapping[str, str]) -> None:
        status_id, author = int(data["id"]), int(data["author"])
        if kind == "deleted":
            for entry in [one for one in self.told.get(author, set()) if one[2] == status_id]:
                self.told[author].discard(entry)
        to, quoted = int(data.get("to") or 0), int(data.get("quoted") or 0)
        if Visibility(data.get("vis", "")).restricted or quoted == to:
            quoted = 0
        named = {
            uid for uid, login in self.logins.items() if login in data.get("mentions", "").split()
        }
        for name, heard in (
            ("reply", {to} - {0}),
            ("quote", {quoted} - {0}),
            ("mention", named - {to, quoted}),
        ):
            for uid in heard:
                self._tell(name, author, uid, status_id)

    def _tell(self, kind: str, by: int, to: int, subject: int) -> None:
        """Brings what a member was told up to what is so by now."""
        if by == to and kind != "poll":
            return
        entry = (kind, by, subject)
        if not self._so(entry, to):
            self.told.get(to, set()).discard(entry)
        elif to not in self.gone and self._wants(kind, by, to):
            self.told.setdefault(to, set()).add(entry)

    def _so(self, entry: Told, to: int) -> bool:
        kind, by, subject = entry
        if by in self.gone:
            return False
        if kind in ("follow", "request"):
            return to in self.ties(
                (
                    following_keys.following
                    if kind == "follow"
                    else following_keys.sent_follow_requests
                )(by)
            )
        if subject not in self.statuses:
            return False
        if kind == "like":
            return subject in self.ties(interaction_keys.member_likes(by))
        if kind == "boost":
            return (
                self.db.run(("ZSCORE", interaction_keys.member_boosts(by), f"{subject}:{to}"))
                is not None
            )
        limited = (
            self.statuses[subject].visibility.restricted or by not in self.protected or by == to
        )
        return limited or to in self.ties(following_keys.followers(by))

    def _wants(self, kind: str, by: int, to: int) -> bool:
        choice = self.choices.get(to, {}).get(kind, EVERYONE)
        if choice == NOBODY or by == to:
            return choice != NOBODY
        if by in {*self.apart(to), *self.ties(following_keys.muted_notifications(to))}:
            return False
        return choice == EVERYONE or by in self.follows(to)

    def _forget(self, uid: int, by: int) -> None:
        self.told[uid] = {one for one in self.told.get(uid, set()) if one[1] != by}


def test_what_members_are_told_equals_the_model(settings: Config) -> None:
    run_machine(Hearing, settings, 60)
