"""The store against a plain-Python model: whatever members do and however workers die, reading tells what the model
tells.

While events wait, a home shows nothing the truth does not hold and everything that was delivered; followers and the
public timeline show exactly what was applied. Once nothing waits, all of them show exactly the truth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
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
from tests.schema import live_keys
from tests.test_likes import kept as bookmarked
from tests.test_likes import own
from tests.test_notifications import told
from tests.test_timelines import home, walk
from webapp import keys, worker
from webapp.accounts import standing
from webapp.accounts import store as accounts
from webapp.applying import Outbox
from webapp.config import Config
from webapp.connect import connect
from webapp.errors import Forbidden, Invalid, LeaseLost, NotFound
from webapp.events import GROUPS
from webapp.following import store as following
from webapp.ids import partition_of
from webapp.leases import LEASE
from webapp.notifications import store as notifications
from webapp.notifications.kinds import of_tab
from webapp.statuses import bookmarks, likes
from webapp.statuses import store as statuses
from webapp.text import parse
from webapp.timelines import store as timelines

CAP, SLACK = 3, 1
LIKED = 3  # likes of one member
NOTHING = 0  # what a post that was refused has made


class Model:
    """What is true, and what was applied of it so far."""

    def __init__(self) -> None:
        self.logins: dict[int, str] = {}
        self.statuses: dict[int, int] = {}  # id → author
        self.mentions: dict[int, int] = {}  # id → whom it names
        self.follows: dict[int, list[int]] = defaultdict(list)  # in the order of following
        self.followers: dict[int, list[int]] = defaultdict(list)  # as applied
        self.delivered: dict[int, set[int]] = defaultdict(set)
        self.liked: dict[int, list[int]] = defaultdict(list)  # by member, in the order of liking
        self.likes: dict[int, set[int]] = defaultdict(set)  # by status, as applied
        self.bookmarks: dict[int, list[int]] = defaultdict(list)  # in the order of keeping
        self.public: set[int] = set()  # as applied
        self.suspended: set[int] = set()
        self.gone: set[int] = set()  # members whose account is deleted
        self.marked: set[int] = set()  # those whose suspension was applied, and their restoration was not
        self.waiting: dict[tuple[str, int], list[tuple[str, int, int]]] = defaultdict(
            list
        )  # (group, partition) → events

    def tell(self, uid: int, kind: str, one: int, other: int) -> None:
        for group in GROUPS:
            self.waiting[group, partition_of(uid)].append((kind, one, other))

    @property
    def here(self) -> list[int]:
        """The members that anybody can see."""
        return [uid for uid in self.logins if uid not in self.suspended | self.gone]

    def visible(self, statuses: Iterable[int]) -> list[int]:
        """Those whose authors are not suspended."""
        return [status for status in statuses if self.statuses[status] not in self.suspended]

    def home(self, uid: int) -> list[int]:
        """The truth, with what suspended authors wrote."""
        seen = {uid, *self.follows[uid]}
        return sorted((status for status, author in self.statuses.items() if author in seen), reverse=True)

    def written(self, uid: int) -> set[int]:
        """What a member wrote."""
        return {status for status, author in self.statuses.items() if author == uid}

    def told(self, uid: int) -> set[tuple[str, int, int]]:
        """The notifications of a member once nothing waits: what is so of all that others did."""
        liked = {("like", by, status) for by, all_ in self.liked.items() for status in all_}
        mine = {one for one in liked if self.statuses.get(one[2]) == uid}
        follows = {("follow", by, 0) for by, all_ in self.follows.items() if uid in all_}
        named = {status for status, named in self.mentions.items() if named == uid and status in self.statuses}
        found = mine | follows | {("mention", self.statuses[status], status) for status in named}
        return {one for one in found if one[1] != uid}

    def remove(self, uid: int) -> None:
        self.gone.add(uid)
        self.suspended.discard(uid)
        self.bookmarks.pop(uid, None)
        for status in self.written(uid):
            del self.statuses[status]

    def dissolve(self, uid: int) -> None:
        for follower in self.followers.pop(uid, []):
            if uid in self.follows[follower]:
                self.follows[follower].remove(uid)
        for other in self.follows.pop(uid, []):
            self.followers[other] = [one for one in self.followers[other] if one != uid]

    def mirror_like(self, uid: int, status: int) -> None:
        (self.likes[status].add if status in self.liked[uid] else self.likes[status].discard)(uid)

    def apply(self, group: str, kind: str, one: int, other: int) -> None:
        if group == "log":
            if kind == "posted" and one in self.statuses:
                self.public.add(one)
            elif kind == "deleted":
                self.public.discard(one)
            elif kind in ("suspended", "restored"):
                self.public -= self.written(one)
                self.public |= self.written(one) if one not in self.suspended else set()
                (self.marked.add if one in self.suspended else self.marked.discard)(one)
            elif kind == "liked":
                self.mirror_like(one, other)
            elif kind == "removed":
                for status in self.liked.pop(one, []):
                    self.likes[status].discard(one)
        elif kind == "removed":
            self.dissolve(one)
        elif kind == "followed" and other in self.gone:
            self.follows[one] = [uid for uid in self.follows[one] if uid != other]
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
        self.zombies: list[tuple[Outbox, object, list[tuple[str, int, int]]]] = []

    @initialize(target=members)
    def first(self) -> int:
        return self.sign_up()

    @precondition(lambda self: len(self.model.logins) < 6)
    @rule(target=members)
    def sign_up(self) -> int:
        login = f"member{len(self.model.logins)}"
        uid = accounts.sign_up(self.db, self.config, login, login, PASSWORD).uid
        self.model.logins[uid] = login
        self.model.tell(uid, "joined", uid, uid)
        return uid

    @rule(target=posts, author=members, named=members, names=st.booleans())
    def post(self, author: int, named: int, names: bool) -> int:
        form = f"form-{len(self.model.statuses)}-{self.generation}"
        text = parse(f"hello @{self.model.logins[named]}" if names else "hello")
        self.generation += 1
        if author not in self.model.here:
            with pytest.raises(Forbidden if author in self.model.suspended else NotFound):
                statuses.post(self.db, self.config, author, text, form)
            return NOTHING
        status_id = statuses.post(self.db, self.config, author, text, form)
        assert statuses.post(self.db, self.config, author, text, form) == status_id
        self.model.statuses[status_id] = author
        if names:
            self.model.mentions[status_id] = named
        self.model.delivered[author].add(status_id)
        self.model.tell(author, "posted", status_id, author)
        return status_id

    @rule(status_id=posts, uid=members)
    def delete(self, status_id: int, uid: int) -> None:
        if uid not in self.model.here or status_id == NOTHING:
            return
        author = self.model.statuses.get(status_id)
        if author != uid:
            # What a deleted account wrote may not have been erased yet.
            refusals = Forbidden if author else (NotFound, Forbidden) if self.model.gone else NotFound
            with pytest.raises(refusals):
                statuses.delete(self.db, self.config, uid, status_id)
            return
        statuses.delete(self.db, self.config, uid, status_id)
        del self.model.statuses[status_id]
        self.model.tell(uid, "deleted", status_id, uid)

    @rule(uid=members, other=members)
    def follow(self, uid: int, other: int) -> None:
        if {uid, other} - set(self.model.here) and uid != other:
            with pytest.raises((NotFound, Forbidden)):
                following.follow(self.db, self.config, uid, self.model.logins[other])
            return
        if uid in self.model.gone:
            return
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
        if uid in self.model.gone:
            return
        if other in self.model.gone:
            with pytest.raises(NotFound):
                following.unfollow(self.db, self.config, uid, self.model.logins[other])
            return
        following.unfollow(self.db, self.config, uid, self.model.logins[other])
        if other in self.model.follows[uid]:
            self.model.follows[uid].remove(other)
            gone = {status for status, author in self.model.statuses.items() if author == other}
            self.model.delivered[uid] -= gone
            self.model.tell(uid, "unfollowed", uid, other)

    @rule(uid=members, status_id=posts)
    def like(self, uid: int, status_id: int) -> None:
        if status_id == NOTHING:
            return
        before = list(self.model.liked[uid])
        if uid not in self.model.here or self.model.statuses.get(status_id) not in self.model.here:
            with pytest.raises((NotFound, Forbidden)):
                likes.like(self.db, self.config, uid, status_id)
            return
        likes.like(self.db, self.config, uid, status_id)
        if status_id not in before:
            self.model.liked[uid].append(status_id)
            self.model.tell(uid, "liked", uid, status_id)
        if len(self.model.liked[uid]) > self.config.likes_max:
            self.model.tell(uid, "liked", uid, self.model.liked[uid].pop(0))

    @rule(uid=members, status_id=posts)
    def unlike(self, uid: int, status_id: int) -> None:
        if uid in self.model.gone or status_id == NOTHING:
            return
        likes.unlike(self.db, self.config, uid, status_id)
        if status_id in self.model.liked[uid]:
            self.model.liked[uid].remove(status_id)
            self.model.tell(uid, "liked", uid, status_id)

    @rule(uid=members, status_id=posts, wanted=st.booleans())
    def bookmark(self, uid: int, status_id: int, wanted: bool) -> None:
        if status_id == NOTHING or uid in self.model.gone:
            return
        kept = self.model.bookmarks[uid]
        if not wanted:
            bookmarks.unbookmark(self.db, uid, status_id)
            self.model.bookmarks[uid] = [one for one in kept if one != status_id]
        elif uid not in self.model.here or self.model.statuses.get(status_id) not in self.model.here:
            with pytest.raises((NotFound, Forbidden)):
                bookmarks.bookmark(self.db, self.config, uid, status_id)
        else:
            bookmarks.bookmark(self.db, self.config, uid, status_id)
            if status_id not in kept:
                kept.append(status_id)

    @rule(uid=members, wanted=st.booleans())
    def suspend(self, uid: int, wanted: bool) -> None:
        if uid in self.model.gone:
            with pytest.raises(NotFound):
                standing.suspend(self.db, self.config, uid, wanted)
            return
        changed = standing.suspend(self.db, self.config, uid, wanted)
        assert changed == (wanted != (uid in self.model.suspended))
        (self.model.suspended.add if wanted else self.model.suspended.discard)(uid)
        if changed:
            self.model.tell(uid, "suspended" if wanted else "restored", uid, uid)

    @precondition(lambda self: len(self.model.logins) > 1)
    @rule(uid=members, sure=st.integers(0, 2))
    def remove(self, uid: int, sure: int) -> None:
        if sure or uid in self.model.gone:
            return
        standing.remove(self.db, self.config, uid, None)
        self.model.remove(uid)
        self.model.tell(uid, "removed", uid, uid)

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
            self.zombies.append((box, [[reply[0][0], entries]], waiting[: len(entries)]))
        else:
            del waiting[: len(entries)]
            # What was read but not applied stays with the consumer, as after a death between two events.

    @precondition(lambda self: self.zombies)
    @rule(data=st.data())
    def return_from_the_dead(self, data: st.DataObject) -> None:
        """A worker that was thought dead goes on with what it had in hand."""
        box, reply, events = data.draw(st.sampled_from(self.zombies))
        try:
            box.apply(reply, lambda: None)
        except LeaseLost:
            return
        for event in events:  # which bring what they are about up to the truth of now
            self.model.apply(box.group, *event)

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
        for uid in self.model.here:
            truth = self.model.home(uid)
            self.model.delivered[uid] = set(truth)
            newest = self.model.visible(truth[:CAP])
            assert home(self.db, self.config, uid)[: len(newest)] == newest
        for uid in self.model.logins:
            assert set(self.model.followers[uid]) == {
                other for other, all_ in self.model.follows.items() if uid in all_
            }
            assert not self.model.gone & set(self.model.follows[uid])
        for status in self.model.statuses:
            assert self.model.likes[status] == {uid for uid, all_ in self.model.liked.items() if status in all_}
        for uid in self.model.gone:
            left = (keys.profile(uid), keys.followers(uid), keys.following(uid), keys.home(uid))
            left += (keys.liked(uid), keys.bookmarks(uid))
            left += (keys.notifications(uid), keys.unread(uid), keys.told(uid))
            assert not any(self.db.trip(*(("EXISTS", key) for key in left)))
        for uid in self.model.logins.keys() - self.model.gone:
            assert set(told(self.db, uid)) == self.model.told(uid)
        assert self.model.public & self.model.statuses.keys() == set(self.model.visible(self.model.statuses))

    @invariant()
    def homes_tell_the_truth(self) -> None:
        for uid in self.model.here:
            if self.db.run(("ZSCORE", keys.active(partition_of(uid)), uid)) is None:
                self.model.delivered[uid] = set(self.model.home(uid))  # the visit builds it anew
            truth, shown = self.model.home(uid), home(self.db, self.config, uid)
            assert set(shown) <= set(self.model.visible(truth))
            # A home keeps the newest, those of suspended authors among them.
            hidden = {status for status in truth if self.model.statuses[status] in self.model.marked - {uid}}
            assert self.model.delivered[uid] & set(self.model.visible(truth[:CAP])) - hidden <= set(shown)

    @invariant()
    def profiles_lists_and_counts_equal_the_model(self) -> None:
        for uid, login in self.model.logins.items():
            if uid not in self.model.here:
                with pytest.raises(Forbidden if uid in self.model.suspended else NotFound):
                    timelines.profile(self.db, self.config, login, None)
                continue
            own = sorted((status for status, author in self.model.statuses.items() if author == uid), reverse=True)
            shown, _, _ = timelines.profile(self.db, self.config, login, None)
            assert (
                walk(lambda before, login=login: timelines.profile(self.db, self.config, login, None, before)[2], 2)
                == own
            )
            assert shown.statuses == len(own)
            # Deleted accounts are counted until they are taken off the lists, and not shown; nor are suspended ones.
            gone, hidden = self.model.gone, self.model.gone | self.model.suspended
            assert self._people("following", uid) == [one for one in self.model.follows[uid][::-1] if one not in hidden]
            applied = set(self.model.followers[uid]) - hidden
            truth = {other for other, followed in self.model.follows.items() if uid in followed} - hidden
            followers = set(self._people("followers", uid))
            # An event that is applied twice brings the list up to a newer truth, so either is right where they differ.
            assert applied & truth <= followers <= applied | truth
            assert len(self.model.follows[uid]) - len(gone) <= shown.following <= len(self.model.follows[uid])
            assert len(followers) <= shown.followers <= len(followers) + len(hidden)

    @invariant()
    def the_public_timeline_equals_the_model(self) -> None:
        shown = walk(lambda before: timelines.public(self.db, self.config, before), 2)
        assert shown == sorted(self.model.visible(self.model.public & self.model.statuses.keys()), reverse=True)

    @invariant()
    def likes_and_bookmarks_equal_the_model(self) -> None:
        for status_id, author in self.model.statuses.items():
            uids, number = self.db.trip(
                ("ZRANGE", keys.likes(status_id), 0, -1), ("HGET", keys.status(status_id), "likes")
            )
            shown = set(map(int, uids))
            assert int(number or 0) == len(shown)
            truth = {uid for uid, all_ in self.model.liked.items() if status_id in all_}
            assert self.model.likes[status_id] & truth <= shown <= self.model.likes[status_id] | truth
            for uid in self.model.here if author in self.model.here else ():
                status, acts = statuses.seen(self.db, status_id, uid)
                assert (status_id in acts.liked) == (uid in truth)
                assert acts.likes(status_id, status.likes) == len(shown - {uid} | truth & {uid})
        lists = {key for key in live_keys(self.db) if key.startswith("likes:")}
        # What a deleted account wrote may not have been erased yet.
        assert self.model.gone or lists <= set(map(keys.likes, self.model.statuses))
        for uid in self.model.here:
            kept = [one for one in self.model.bookmarks[uid][::-1] if self.model.statuses.get(one) in self.model.here]
            assert bookmarked(self.db, uid) == kept and own(self.db, uid) == self.model.liked[uid]

    @invariant()
    def notifications_show_what_is_there_and_nobody_who_is_hidden(self) -> None:
        for uid in self.model.here:
            page = notifications.listed(self.db, uid, of_tab("all"), None, 30, False)
            assert page.left == self.db.run(notifications.unread_command(uid))
            assert {one.uid for group in page.items for one in group.people} <= set(self.model.here) - {uid}
            assert {group.status.id for group in page.items if group.status} <= self.model.statuses.keys()

    def teardown(self) -> None:
        self.settle()
        self.homes_tell_the_truth()
        self.profiles_lists_and_counts_equal_the_model()
        self.the_public_timeline_equals_the_model()
        self.likes_and_bookmarks_equal_the_model()
        self.notifications_show_what_is_there_and_nobody_who_is_hidden()
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
    return replace(config, home_max=CAP, home_slack=SLACK, likes_max=LIKED, page_size=2, attempts_max=1_000)
