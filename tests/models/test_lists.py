"""Lists of members against a plain-Python model: who is on them, what they show to whom, and what they keep out of
homes, whatever those on them and those who read them do to each other meanwhile.

At any moment a list shows nobody anything that is not for them; once nothing waits it shows all that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from tests.statuses.interactions.test_boosts import Seen, pages
from tests.support.schema import live_keys
from tests.support.state_machines import (
    Society,
    Written,
    members,
    posts,
    run_machine,
    visibilities,
    yes,
)
from tests.support.timelines import home_timeline
from webapp.config import Config
from webapp.core.store.ids import partition_of
from webapp.errors import Forbidden, NotFound, Refused
from webapp.following import keys as following_keys
from webapp.following.blocks import store as blocks
from webapp.lists import keys as list_keys
from webapp.lists import lookup
from webapp.lists import store as lists
from webapp.lists.timeline import list_page
from webapp.statuses.interactions import boosts
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.items import Item
from webapp.statuses.visibility.visibility import Visibility
from webapp.timelines import store as timelines

LISTS, SIZE = 2, 3  # of one member; members of one
ALL = 400  # more than a list ever holds here
NAMES = ("Songs", "Reeds", "Hedge")
Name = tuple[int, int]  # the owner of a list, and its number


@dataclass
class Known:
    """A list: what it is, and who is on it, in the order of being put there."""

    name: str
    private: bool
    exclusive: bool
    members: list[int] = field(default_factory=list)


class Lists(Society):
    """Members make lists of each other and read them."""

    def __init__(self) -> None:
        super().__init__()
        self.lists: dict[Name, Known] = {}
        self.numbers: dict[int, int] = {}
        self.boosts: dict[tuple[int, int], int] = {}  # by whom, and which → the boost's id
        self.boosted = set[int]()  # the ids of all boosts that there ever were
        self.cap = ALL

    @initialize(
        pairs=st.sets(st.tuples(members, members), min_size=2, max_size=8),
        on=st.sets(members, min_size=1),
        kind=st.tuples(yes, yes),
        cap=st.sampled_from([2, ALL, ALL]),
        push_max=st.sampled_from([1, 1_000]),
        wrote=st.lists(
            st.tuples(members, visibilities, st.none() | members), min_size=3, max_size=6
        ),
    )
    def begin(
        self,
        pairs: set[tuple[int, int]],
        on: set[int],
        kind: tuple[bool, bool],
        cap: int,
        push_max: int,
        wrote: list[tuple[int, Visibility, int | None]],
    ) -> None:
        """The first member has a list, and some write something."""
        self.cap = cap
        self.config = replace(self.config, list_home_max=cap, push_max_followers=push_max)
        self.people(pairs)
        self.make(1, NAMES[0], *kind)
        for other in sorted(on):
            self.enlist(1, other, {1: True})
        self.settle()  # somebody looks at it, so that it is kept from here on
        for uid, visibility, other in wrote:
            number = self.write(uid, "hello", visibility=visibility)
            if other:
                self.write(other, "so it is", reply=number)

    @rule(
        data=st.data(),
        what=st.sampled_from(["make", *["change"] * 2, "drop", *["enlist"] * 4, "block", "leave"]),
        uid=members,
        name=st.sampled_from(NAMES),
        kind=st.tuples(yes, yes),
        wanted=st.tuples(yes, yes),
    )
    def tend(
        self,
        data: st.DataObject,
        what: str,
        uid: int,
        name: str,
        kind: tuple[bool, bool],
        wanted: tuple[bool, bool],
    ) -> None:
        """What owners do with their lists."""
        if what == "make" or not self.lists:
            self.make(uid, name, *kind)
            return
        own = data.draw(st.sampled_from(sorted(self.lists)))
        if what == "change":
            self.change(*own, name, *kind)
        elif what == "drop":
            self.drop(own)
        elif what == "enlist":
            for number in self.enlist(
                own[0], uid, dict(zip(self._own(own[0]), wanted, strict=False))
            ):
                if kind[0]:  # whatever waits, what these have written is there at once
                    self._look((own[0], number), own[0], True)
        elif what == "block":  # one who is on it, or by them
            pair = [own[0], *self.lists[own].members[:1]][:: 1 if kind[0] else -1]
            self.relate(pair[0], pair[-1], blocks.block)
        else:  # nobody looks at it for long
            active = list_keys.active_lists(partition_of(own[0]))
            self.db.trip(("ZREM", active, "{}:{}".format(*own)), ("DEL", list_keys.list_home(*own)))

    def make(self, uid: int, name: str, private: bool, exclusive: bool) -> None:
        own = self._own(uid)
        if (
            why := self.barred(uid)
            or self._named(uid, name)
            or ("lists_full" if len(own) == LISTS else None)
        ):
            with pytest.raises(Refused, match=why):
                lists.create(self.db, self.config, uid, name, private, exclusive)
            return
        number = lists.create(self.db, self.config, uid, name, private, exclusive)
        self.numbers[uid] = self.numbers.get(uid, 0) + 1
        assert number == self.numbers[uid], "a number is never used again"
        self.lists[uid, number] = Known(name, private, exclusive)

    def change(self, uid: int, number: int, name: str, private: bool, exclusive: bool) -> None:
        if self._named(uid, name, number):
            with pytest.raises(Refused, match="list_named"):
                lists.update(self.db, self.config, uid, number, name, private, exclusive)
            return
        lists.update(self.db, self.config, uid, number, name, private, exclusive)
        self.lists[uid, number] = replace(
            self.lists[uid, number], name=name, private=private, exclusive=exclusive
        )

    def drop(self, own: Name) -> None:
        lists.delete(self.db, self.config, *own)
        del self.lists[own]
        with pytest.raises(NotFound):
            lists.delete(self.db, self.config, *own)

    def enlist(self, uid: int, other: int, choice: dict[int, bool]) -> list[int]:
        """Puts a member on some of one's lists, and takes them off others; all or nothing. Gives those they are new
        on.
        """
        own = self._own(uid)
        on = [number for number, wanted in choice.items() if wanted]
        fresh = [number for number in on if other not in own[number].members]
        if why := self._unlistable(uid, other, on, fresh, own):
            with pytest.raises(Refused, match=why):
                lists.set_memberships(self.db, self.config, uid, self.logins[other], choice)
            return []
        lists.set_memberships(self.db, self.config, uid, self.logins[other], choice)
        for number, wanted in choice.items():
            if not wanted and other in own[number].members:
                own[number].members.remove(other)
        for number in fresh:
            own[number].members.append(other)
        return fresh

    @rule(
        uid=members,
        what=st.sampled_from(
            ["post", "name", "reply", "reply", "boost", "boost", "unboost", "delete"]
        ),
        other=members,
        back=posts,
        visibility=visibilities,
    )
    def say(self, uid: int, what: str, other: int, back: int, visibility: Visibility) -> None:
        """What members write, boost, and take back."""
        status_id = self.pick(back)
        if what in ("post", "name") or not status_id:
            text = f"hello @{self.logins[other]}" if what == "name" else "hello"
            self.write(uid, text, visibility=visibility)
        elif what == "reply":
            self.write(uid, "so it is", reply=status_id)
        elif what == "delete":
            self.delete(status_id)
        elif what == "unboost":
            boosts.unboost(self.db, self.config, uid, status_id)
            if status_id in self.statuses:
                self.boosts.pop((uid, status_id), None)
        elif self.does(boosts.boost, uid, status_id):
            author = self.statuses[status_id].author
            self.boosts[uid, status_id] = int(
                self.db.run(
                    ("ZSCORE", interaction_keys.member_boosts(uid), f"{status_id}:{author}")
                )
            )
            self.boosted.add(self.boosts[uid, status_id])

    @precondition(lambda self: self.lists)
    @rule(data=st.data(), viewer=members)
    def look(self, data: st.DataObject, viewer: int) -> None:
        self._look(data.draw(st.sampled_from(sorted(self.lists))), viewer, False)

    def left(self, uid: int) -> None:
        self.lists = {own: known for own, known in self.lists.items() if own[0] != uid}
        self.boosts = {pair: number for pair, number in self.boosts.items() if pair[0] != uid}

    def applied(self, group: str, kind: str, data: dict[str, str]) -> None:
        if group == "log" and kind == "blocked":
            uid, target = int(data["uid"]), int(data["target"])
            if target in self.ties(following_keys.blocks(uid)):
                self._part(uid, target)
                self._part(target, uid)
        elif group == "log" and kind in ("removed", "listed", "unlisted"):
            self.broken_off()

    def broken_off(self) -> None:
        """Who has gone, or is blocked, may have been taken off; nobody else was, and nobody was put anywhere."""
        for (uid, number), known in self.lists.items():
            there = self.listed(list_keys.list_members(uid, number))
            apart = {one for one in known.members if uid in self.ties(following_keys.blocks(one))}
            taken = set(known.members) - there
            assert there <= set(known.members)
            assert taken <= self.gone | apart | {*self.ties(following_keys.blocks(uid))}
            known.members = [one for one in known.members if one in there]

    @invariant()
    def who_is_on_lists_is_known_at_once(self) -> None:
        probe = next(iter(self.logins), 0)
        for uid in {owner for owner, _ in self.lists}:
            own = self._own(uid)
            found = {one.number: one for one in self.db.read(lookup.owned(uid, probe))}
            assert list(found) == sorted(own, reverse=True)
            for number, known in own.items():
                flags = (
                    known.name,
                    known.private,
                    known.exclusive,
                    len(known.members),
                    probe in known.members,
                )
                one = found[number]
                assert (one.name, one.private, one.exclusive, one.size, one.has_member) == flags
                assert self.db.read(lookup.member_uids(uid, number)) == known.members
            aside = {one for known in own.values() if known.exclusive for one in known.members}
            assert self.listed(list_keys.home_excluded(uid)) == aside

    def check(self) -> None:
        for own, known in self.lists.items():
            assert not self.gone & set(known.members)
            for viewer in (0, *self.here):
                self._look(own, viewer, True)
        for uid in self.logins:
            on = {
                f"{owner}:{number}"
                for (owner, number), known in self.lists.items()
                if uid in known.members
            }
            assert set(self.db.run(("ZRANGE", list_keys.listed_on(uid), 0, -1))) == on
        for uid in {owner for owner, _ in self.lists}.intersection(self.here) or self.here[:1]:
            self._check_home(uid)
        for uid in self.logins.keys() - {owner for owner, _ in self.lists}:
            assert not self.listed(list_keys.home_excluded(uid)) | self.listed(list_keys.lists(uid))
        left = {
            key
            for key in live_keys(self.db)
            if key.startswith(("list:", "list_members:", "list_home:"))
        }
        assert left <= {
            of(*own)
            for of in (list_keys.list_, list_keys.list_members, list_keys.list_home)
            for own in self.lists
        }

    # What is so

    def _look(self, own: Name, viewer: int, settled: bool) -> None:
        uid, known = own[0], self.lists[own]
        may = self._may_read(uid, known, viewer)
        assert self.db.read(lookup.may_read(*own, viewer or None)) == may

        def read(before: int | None) -> timelines.Timeline[Item]:
            return list_page(self.db, self.config, *own, viewer or None, before)[1]

        if not may:
            with pytest.raises((NotFound, Forbidden)):
                read(None)
            return
        people = lookup.members_page(self.db, *own, viewer or None, None, SIZE)[1]
        there = self.logins.keys() - self.gone if viewer == uid else self.here
        assert [one.uid for one in people.items] == [
            one for one in known.members[::-1] if one in there
        ]
        visit = self.db.run(
            ("ZSCORE", list_keys.active_lists(partition_of(uid)), f"{uid}:{own[1]}")
        )
        shown = list(pages(read, short=float(visit or 0) <= 0))  # as it may be while it is built
        allowed = self._items(known, uid, viewer)
        assert set(shown) <= {item for _, item in allowed} and len(shown) == len(set(shown))
        assert shown == [item for _, item in sorted(allowed, reverse=True) if item in shown]
        newest = sorted({*self.made, *self.boosted}, reverse=True)[
            : self.cap
        ]  # of which any may have had a place
        floor = newest[-1] if len(newest) == self.cap else 0
        must = {item for number, item in allowed if number >= floor and self._sure(uid, item)}
        assert not settled or must - self._again(allowed) <= set(shown)

    def _items(self, known: Known, uid: int, viewer: int) -> set[tuple[int, Seen]]:
        """What a list may show to a viewer, each with its place: of what its members wrote and boosted."""
        found: set[tuple[int, Seen]] = {
            (number, number)
            for number, one in self.statuses.items()
            if one.author in known.members and (not one.to or one.to in {uid, *known.members})
            if self._shown(viewer, one, {one.author})
        }
        for (by, status), number in self.boosts.items():
            one = self.statuses.get(status)
            if one and by in known.members and self._boost_shown(viewer, by, one):
                found.add((number, (self.logins[by], status)))
        return found

    def _shown(self, viewer: int, one: Written, people: set[int]) -> bool:
        """Whether a viewer is shown a status of which these people are a part, without asking for it."""
        hidden = (self.muted(viewer) | self.apart(viewer) if viewer else set()) - {viewer}
        return self.sees(viewer, one) and people <= set(self.here) - hidden

    def _boost_shown(self, viewer: int, by: int, one: Written) -> bool:
        theirs = by not in self.protected or by == viewer or by in self.follows(viewer)
        return (
            theirs
            and not self.seen_as(one).restricted
            and self._shown(viewer, one, {by, one.author})
        )

    def _sure(self, uid: int, item: Seen) -> bool:
        """Whether a list must have it: not what was for followers when its owner was none, or what the owner missed."""
        one = self.statuses[item] if isinstance(item, int) else None
        if one is None or not one.visibility.restricted or uid in one.named:
            return True
        since = self.follows(uid).get(one.author)
        return (
            one.visibility is Visibility.FOLLOWERS
            and since is not None
            and since == one.faithful.get(uid)
        )

    @staticmethod
    def _again(items: Iterable[tuple[int, Seen]]) -> set[Seen]:
        """The boosts of what may stand below them, too."""
        below = [(number, item[1] if isinstance(item, tuple) else item) for number, item in items]
        return {
            item
            for number, item in items
            if isinstance(item, tuple)
            and any(status == item[1] and at < number for at, status in below)
        }

    def _check_home(self, uid: int) -> None:
        aside = {
            one for known in self._own(uid).values() if known.exclusive for one in known.members
        }
        seen = {uid, *self.follows(uid)}
        truth = {
            number
            for number, one in self.statuses.items()
            if one.author in seen and (one.author == uid or not one.to or one.to in seen)
            if one.author not in aside and self._shown(uid, one, {one.author})
        }
        found = [one for page in self._home_pages(uid) for one in page]
        shown = {one for one in found if isinstance(one, int)}
        # Others' replies come as far as both were followed then.
        assert (
            {one for one in truth if self.statuses[one].author == uid or not self.statuses[one].to}
            <= shown
            <= truth
        )
        for by, status in (one for one in found if isinstance(one, tuple)):
            assert (
                not {
                    self.statuses[status].author,
                    *(one for one in self.logins if self.logins[one] == by),
                }
                & aside
            )

    def _home_pages(self, uid: int) -> Iterator[list[Seen]]:
        yield list(
            pages(lambda before: home_timeline(self.db, self.config, uid, before), short=True)
        )

    def _may_read(self, uid: int, known: Known, viewer: int) -> bool:
        if viewer == uid:
            return uid not in self.suspended
        shut = uid in self.protected and uid not in self.follows(viewer)
        return uid in self.here and not known.private and uid not in self.apart(viewer) and not shut

    def _own(self, uid: int) -> dict[int, Known]:
        return {number: known for (owner, number), known in self.lists.items() if owner == uid}

    def _named(self, uid: int, name: str, but: int = 0) -> str | None:
        taken = any(known.name == name for number, known in self._own(uid).items() if number != but)
        return "list_named" if taken else None

    def _unlistable(
        self, uid: int, other: int, on: list[int], fresh: list[int], own: dict[int, Known]
    ) -> str | None:
        if other in self.gone:
            return "no_member"
        if other == uid:
            return "list_yourself"
        if other in self.suspended and on:
            return "suspended"
        full = any(len(own[number].members) == SIZE for number in fresh)
        apart = "cannot_list" if fresh and other in self.apart(uid) else None
        return self.barred(uid) or apart or ("list_full" if full else None)

    def _part(self, uid: int, other: int) -> None:
        for known in self._own(uid).values():
            if other in known.members:
                known.members.remove(other)


def test_lists_equal_the_model(settings: Config) -> None:
    run_machine(Lists, settings, 50, lists_max=LISTS, list_members_max=SIZE)
