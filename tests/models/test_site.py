"""The store against a plain-Python model: whatever members do and however workers die, reading tells what the model
tells.

While events wait, a home shows nothing the truth does not hold and everything that was delivered; followers and the
public timeline show exactly what was applied. Once nothing waits, all of them show exactly the truth.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

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
from tests.notifications.test_store import told
from tests.statuses.edits.test_editing import told as versions
from tests.statuses.interactions.test_likes import kept as bookmarked
from tests.statuses.interactions.test_likes import own
from tests.statuses.quotes.test_quotes import quoting
from tests.statuses.threads.test_replies import answers, below, page, seen
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.state_machines import Workers
from tests.support.timelines import home_timeline
from tests.timelines.test_store import walk
from webapp.accounts import lifecycle, registration
from webapp.accounts import store as accounts
from webapp.config import Config
from webapp.core.events.consumer import PartitionConsumer
from webapp.core.events.outbox import GROUPS
from webapp.core.store.connection import connect
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, Invalid, LeaseLost, NotFound
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.follow_lists import load_follow_page
from webapp.following.mutes import store as mutes
from webapp.following.mutes.mute import FOREVER
from webapp.following.requests import store as requests
from webapp.notifications import keys as notification_keys
from webapp.notifications import store as notifications
from webapp.notifications.kinds import kinds_in_tab
from webapp.statuses import by_ids
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing, pins
from webapp.statuses.interactions import bookmarks, boosts, likes
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.items import Boost, Item
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.polls import voting
from webapp.statuses.polls.poll import Poll
from webapp.statuses.quotes import store as quotes
from webapp.statuses.visibility.visibility import Visibility, allowed_for_reply
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store as timelines
from webapp.timelines.profile import profile_page
from webapp.timelines.tags import store as tags

CAP, SLACK = 3, 1
LIKED = 3  # likes of one member
TEXTS = {
    "hello": (),
    "a #Bird": ("bird",),
    "#bird, #BIRD and #麻雀": ("bird", "麻雀"),
}  # and the names of their tags
TAGS = ("bird", "麻雀")
EDITED = 2  # edits of one status
PINNED = 2  # pins of one member
POLL = Poll(("reeds", "marsh"), 60)
NOTHING = 0  # what a post that was refused has made
Told = tuple[
    str, int, int, int
]  # an event: its type, who or what did it to whom, and which follow it is


class Model:
    """What is true, and what was applied of it so far."""

    def __init__(self) -> None:
        self.logins: dict[int, str] = {}
        self.statuses: dict[int, int] = {}  # id → author
        self.authors: dict[int, int] = {}  # the same, with the deleted ones
        self.texts: dict[int, str] = {}
        self.tagged: dict[str, set[int]] = defaultdict(set)  # as applied
        self.tags: dict[int, list[str]] = defaultdict(list)  # in the order of following
        self.parents: dict[int, int] = {}  # of replies, the deleted ones among them
        self.to: dict[int, int] = {}  # of replies to others: whom they answer
        self.replies: dict[int, set[int]] = defaultdict(set)  # by status, as applied
        self.mentions: dict[int, int] = {}  # id → whom it names
        self.quotes: dict[int, int] = {}  # of quotes, the deleted ones among them: what they quote
        self.quoted: dict[int, set[int]] = defaultdict(set)  # by status, as applied
        self.detached: set[int] = set()  # the quotes that what they quote was taken out of
        self.visibility: dict[int, Visibility] = {}
        self.quarrels: set[frozenset[int | None]] = set()  # of whom one has ever blocked the other
        self.said: dict[int, list[str]] = {}  # by status, the oldest first
        self.pinned: dict[int, list[int]] = defaultdict(list)  # in the order of pinning
        self.follows: dict[int, list[int]] = defaultdict(list)  # in the order of following
        self.begun: dict[
            tuple[int, int], int
        ] = {}  # the newest of all follows of one by another, counted
        self.protected: set[int] = set()
        self.were_protected: set[int] = set()  # at any time
        self.requested: dict[int, list[int]] = defaultdict(list)  # in the order of asking
        self.requests: dict[int, set[int]] = defaultdict(set)  # as applied
        self.blockers: dict[int, set[int]] = defaultdict(set)  # as applied
        self.followers: dict[int, list[int]] = defaultdict(list)  # as applied
        self.delivered: dict[int, set[int]] = defaultdict(set)
        self.liked: dict[int, list[int]] = defaultdict(list)  # by member, in the order of liking
        self.likes: dict[int, set[int]] = defaultdict(set)  # by status, as applied
        self.boosted: dict[int, list[int]] = defaultdict(
            list
        )  # by member, in the order of boosting
        self.boosters: dict[int, set[int]] = defaultdict(set)  # by status, as applied
        self.boost_ids: dict[tuple[int, int], int] = {}  # by who boosts, and which
        self.bookmarks: dict[int, list[int]] = defaultdict(list)  # in the order of keeping
        self.voted: dict[int, dict[int, int]] = defaultdict(
            dict
        )  # by status: what each member chose
        self.public: set[int] = set()  # as applied
        self.suspended: set[int] = set()
        self.gone: set[int] = set()  # members whose account is deleted
        self.mutes: dict[int, set[int]] = defaultdict(set)
        self.over: dict[int, set[int]] = defaultdict(set)  # whom a member muted until a moment ago
        self.blocks: dict[int, set[int]] = defaultdict(set)
        self.marked: set[int] = (
            set()
        )  # those whose suspension was applied, and their restoration was not
        self.waiting: dict[tuple[str, int], list[Told]] = defaultdict(
            list
        )  # (group, partition) → events

    def tell(self, uid: int, kind: str, one: int, other: int, number: int = 0) -> None:
        for group in GROUPS:
            self.waiting[group, partition_of(uid)].append((kind, one, other, number))

    @property
    def here(self) -> list[int]:
        """The members that anybody can see."""
        return [uid for uid in self.logins if uid not in self.suspended | self.gone]

    def visible(self, statuses: Iterable[int], viewer: int = 0) -> list[int]:
        """Those whose authors are not suspended, nor muted by the viewer."""
        hidden = self.suspended | self.mutes.get(viewer, set())
        return [status for status in statuses if self.statuses[status] not in hidden]

    def seen_as(self, status: int) -> Visibility:
        """How visible a status is now."""
        said = self.visibility[status]
        return (
            Visibility.FOLLOWERS
            if self.authors[status] in self.protected and not said.restricted
            else said
        )

    def for_all(self, statuses: Iterable[int]) -> set[int]:
        """Those that were posted for everybody."""
        return {status for status in statuses if not self.visibility[status].restricted}

    def open(self, statuses: Iterable[int]) -> set[int]:
        """Those that everybody may see."""
        return {status for status in statuses if not self.seen_as(status).restricted}

    def listed(self, statuses: Iterable[int]) -> set[int]:
        """Those that are public."""
        return {status for status in statuses if self.seen_as(status) is Visibility.PUBLIC}

    def named(self, status: int) -> set[int]:
        """Whom a status names or answers."""
        parent = self.parents.get(status)
        return {self.mentions.get(status, 0), self.authors[parent] if parent else 0} - {0}

    def sees(self, uid: int, status: int) -> bool:
        """Whether a status is for a member."""
        visibility, author = self.seen_as(status), self.authors[status]
        named = self.named(status) if self.visibility[status].restricted else set[int]()
        if not visibility.restricted or uid == author or uid in named:
            return True
        return visibility is Visibility.FOLLOWERS and author in self.follows.get(uid, ())

    def counted(self, reply: int) -> bool:
        """Whether a reply is for all who see what it answers."""
        narrow = (Visibility.FOLLOWERS, Visibility.MENTIONED)
        own, parent = self.seen_as(reply), self.visibility[self.parents[reply]]
        return not own.restricted or (
            parent.restricted and narrow.index(own) <= narrow.index(parent)
        )

    def has(self, name: str) -> set[int]:
        """What is public and has a hashtag, with what suspended authors wrote."""
        return {
            status for status in self.listed(self.statuses) if name in TEXTS[self.texts[status]]
        }

    def brought(self, uid: int) -> set[int]:
        """What a member's followed hashtags may bring home."""
        return set().union(*(self.has(name) for name in self.tags[uid]))

    def file(self, statuses: Iterable[int], new: bool = True) -> None:
        """`new`: with what was not filed before."""
        for status in statuses:
            for name in TAGS:
                shown = status in self.has(name) and self.statuses[status] not in self.suspended
                if shown and new:
                    self.tagged[name].add(status)
                elif not shown:
                    self.tagged[name].discard(status)

    def home(self, uid: int) -> list[int]:
        """The truth, with what suspended authors wrote."""
        seen = {uid, *self.follows[uid]}
        there = (
            one
            for one, author in self.statuses.items()
            if author == uid or {author, self.to.get(one, uid)} <= seen
        )
        return sorted((one for one in there if self.sees(uid, one)), reverse=True)

    def written(self, uid: int) -> set[int]:
        """What a member wrote."""
        return {status for status, author in self.statuses.items() if author == uid}

    def posts(self, uid: int) -> set[int]:
        """The same without replies to others."""
        return self.written(uid) - self.to.keys()

    def above(self, status: int) -> list[int]:
        """What a status answers, what that answers, and so on, the first first."""
        parent = self.parents.get(status)
        return [*self.above(parent), parent] if parent else []

    def told(self, uid: int) -> set[tuple[str, int, int]]:
        """The notifications of a member once nothing waits: what is so of all that others did."""
        liked = {("like", by, status) for by, all_ in self.liked.items() for status in all_}
        mine = {one for one in liked if self.statuses.get(one[2]) == uid}
        boosted = {("boost", by, status) for by, all_ in self.boosted.items() for status in all_}
        mine |= {one for one in boosted if self.statuses.get(one[2]) == uid}
        follows = {("follow", by, 0) for by, all_ in self.follows.items() if uid in all_}
        here = self.statuses
        answers = {
            ("reply", here[status], status)
            for status, to in self.to.items()
            if to == uid and status in here
        }
        named = {
            status for status, named in self.mentions.items() if named == uid and status in here
        }
        quotes = {
            one
            for one, about in self.quotes.items()
            if self.authors[about] == uid and one in self.for_all(here)
        }
        found = mine | follows | answers | {("mention", here[status], status) for status in named}
        found |= {("quote", here[status], status) for status in quotes}
        found |= {("request", by, 0) for by, all_ in self.requested.items() if uid in all_}
        return {one for one in found if one[1] != uid}

    def remove(self, uid: int) -> None:
        self.gone.add(uid)
        self.suspended.discard(uid)
        self.bookmarks.pop(uid, None)
        self.tags.pop(uid, None)
        self.pinned.pop(uid, None)
        for status in self.written(uid):
            del self.statuses[status]

    def dissolve(self, uid: int) -> None:
        for follower in self.followers.pop(uid, []):
            if uid in self.follows[follower]:
                self.follows[follower].remove(uid)
        for other in self.follows.pop(uid, []):
            self.followers[other] = [one for one in self.followers[other] if one != uid]
        for lists in (self.mutes, self.over, self.blocks, self.blockers):
            lists.pop(uid, None)
        for others in (self.blocks, self.blockers):
            for all_ in others.values():
                all_.discard(uid)

    def begin_follow(self, uid: int, other: int) -> None:
        kind = "asked" if other in self.requested[uid] else "followed"
        self.requested[uid] = [one for one in self.requested[uid] if one != other]
        self.follows[uid].append(other)
        self.begun[uid, other] = number = self.begun.get((uid, other), 0) + 1
        self.tell(uid, kind, uid, other, number)

    def end_follow(self, uid: int, other: int) -> None:
        if other in self.follows[uid]:
            self.follows[uid].remove(other)
            self.delivered[uid] -= self.written(other)
            self.tell(uid, "unfollowed", uid, other)

    def boosts(self, uid: int) -> dict[int, tuple[int, int]]:
        """The boosts that a member's home may hold, by their ids: by whom, and which; of what is gone as long as the
        boosters' lists have it, and of those who are hidden.
        """
        pairs = [(by, status) for by in {uid, *self.follows[uid]} for status in self.boosted[by]]
        return {self.boost_ids[pair]: pair for pair in pairs}

    def boosts_shown(self, uid: int) -> dict[int, tuple[int, int]]:
        """Those of them that the member may be shown."""
        hidden = self.suspended | self.mutes.get(uid, set()) - {uid}
        return {
            number: (by, status)
            for number, (by, status) in self.boosts(uid).items()
            if status in self.open(self.statuses) and not hidden & {by, self.statuses[status]}
        }

    def newest(self, uid: int) -> list[int]:
        """What has a place in a member's home: statuses and boosts."""
        return sorted([*self.home(uid), *self.boosts(uid)], reverse=True)[:CAP]

    def mirror_boost(self, uid: int, status: int) -> None:
        if status not in self.statuses:
            self.boosted[uid] = [one for one in self.boosted[uid] if one != status]
        (
            self.boosters[status].add
            if status in self.boosted[uid]
            else self.boosters[status].discard
        )(uid)

    def forget_boosts(self, gone: Iterable[int]) -> None:
        for status in gone:
            for uid in self.boosters.pop(status, set()):
                self.boosted[uid] = [one for one in self.boosted[uid] if one != status]

    def ask(self, uid: int, other: int) -> None:
        if other not in self.requested[uid]:
            self.requested[uid].append(other)
            self.tell(uid, "requested", uid, other)

    def end_request(self, uid: int, other: int) -> None:
        if other in self.requested[uid]:
            self.requested[uid].remove(other)
            self.tell(uid, "unrequested", uid, other)

    def settle_request(self, uid: int, other: int, granted: bool) -> None:
        apart = other in self.blocks[uid] | self.blockers[uid] or uid not in self.here
        if (
            granted
            and other in self.requested[uid]
            and not apart
            and other not in self.follows[uid]
        ):
            self.begin_follow(uid, other)
        else:
            self.end_request(uid, other)

    def mirror_request(self, uid: int, other: int) -> None:
        waits = self.requests[other]
        if other not in self.requested[uid]:
            waits.discard(uid)
        elif uid not in waits and (other not in self.here or uid in self.blocks[other]):
            self.settle_request(uid, other, False)
        elif uid not in waits and other not in self.protected:
            self.settle_request(uid, other, True)
        else:
            waits.add(uid)

    def mirror_follow(self, kind: str, uid: int, other: int, number: int) -> None:
        followers, follows = self.followers[other], other in self.follows[uid]
        this = kind != "unfollowed" and follows and number == self.begun[uid, other]
        if not follows or (uid not in followers and other in self.protected and not this):
            self.followers[other] = [one for one in followers if one != uid]
        elif uid not in followers and other in self.protected and kind == "followed":
            self.end_follow(uid, other)
            self.ask(uid, other)
        else:
            self.followers[other] = [*(one for one in followers if one != uid), uid]
            seen = [status for status in self.posts(other) if self.sees(uid, status)]
            self.delivered[uid] |= set(sorted(seen, reverse=True)[:CAP])

    def mirror_like(self, uid: int, status: int) -> None:
        (self.likes[status].add if status in self.liked[uid] else self.likes[status].discard)(uid)

    def apply(self, group: str, kind: str, one: int, other: int, number: int) -> None:
        if group == "log":
            if kind in ("posted", "deleted"):
                self.file([one])
                there = one in self.statuses
                if kind == "deleted":
                    self.forget_boosts([one])
                self.count_quote(one)
                self.count(one)
                public = there and one not in self.to and self.listed([one])
                (self.public.add if public else self.public.discard)(one)
            elif kind in ("suspended", "restored", "protected", "unprotected"):
                for asker in (
                    self.requests[one]
                    if kind == "unprotected" and one not in self.protected
                    else ()
                ):
                    self.settle_request(asker, one, True)
                self.file(self.written(one), kind in ("restored", "unprotected"))
                self.public -= self.written(one)
                self.public |= self.listed(self.posts(one)) if one not in self.suspended else set()
                (self.marked.add if one in self.suspended else self.marked.discard)(one)
                if kind == "suspended":
                    self.part(one)
                for status in self.written(one) if "protected" in kind else ():
                    self.count(status)
                    self.count_quote(status)
            elif kind in ("requested", "unrequested", "asked"):
                self.mirror_request(one, other)
            elif kind in ("accepted", "refused"):
                self.settle_request(other, one, kind == "accepted")
            elif kind == "blocked" and other in self.gone:
                self.blocks[one].discard(other)
            elif kind == "blocked" and other in self.blocks[one]:
                self.blockers[other].add(one)
                self.end_follow(other, one)
                self.end_request(other, one)
            elif kind == "blocked":
                self.blockers[other].discard(one)
            elif kind == "liked":
                self.mirror_like(one, other)
            elif kind == "boosted":
                self.mirror_boost(one, other)
            elif kind == "removed":
                for status in self.boosted.pop(one, []):
                    self.boosters[status].discard(one)
                self.forget_boosts(
                    [status for status, author in self.authors.items() if author == one]
                )
                for status in self.liked.pop(one, []):
                    self.likes[status].discard(one)
                for status in [reply for reply in self.parents if reply not in self.statuses]:
                    self.unlist(status)
                for quotes in self.quoted.values():
                    quotes &= self.statuses.keys()
                self.part(one)
        elif kind == "removed":
            self.dissolve(one)
        elif kind == "follower_removed":
            self.end_follow(other, one)
        elif kind in ("followed", "asked") and other in self.gone:
            self.follows[one] = [uid for uid in self.follows[one] if uid != other]
        elif kind == "posted" and one in self.statuses:
            for follower in self.followers[other]:
                if one in self.home(follower):
                    self.delivered[follower].add(one)
        elif kind in ("followed", "asked", "unfollowed"):
            self.mirror_follow(kind, one, other, number)

    def part(self, uid: int) -> None:
        """Requests by a member, and to them, end."""
        for other in list(self.requested[uid]):
            self.end_request(uid, other)
        for asker in self.requests[uid]:
            self.end_request(asker, uid)

    def count_quote(self, status: int) -> None:
        if status in self.quotes:
            listed = self.quoted[self.quotes[status]]
            (listed.add if self.open({status} & self.statuses.keys()) else listed.discard)(status)

    def count(self, status: int) -> None:
        if status in self.parents:
            there = status in self.statuses and self.counted(status)
            (self.replies[self.parents[status]].add if there else self.unlist)(status)

    def unlist(self, reply: int) -> None:
        self.replies[self.parents.get(reply, NOTHING)].discard(reply)


class Machine(Workers, RuleBasedStateMachine):
    """Members act, workers apply and die, in any order."""

    members = Bundle("members")
    posts = Bundle("posts")

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        raw = connect_raw(self.config)
        raw.on_every_primary("FLUSHALL")
        raw.close()
        self.db = connect(self.config)
        self.zombies: list[tuple[PartitionConsumer, object, list[Told]]] = []

    @initialize(target=members)
    def first(self) -> int:
        return self.sign_up()

    @precondition(lambda self: len(self.model.logins) < 6)
    @rule(target=members)
    def sign_up(self) -> int:
        login = f"member{len(self.model.logins)}"
        uid = registration.sign_up(self.db, self.config, login, login, PASSWORD).uid
        self.model.logins[uid] = login
        self.model.tell(uid, "joined", uid, uid)
        return uid

    @rule(
        target=posts,
        author=members,
        words=st.sampled_from(sorted(TEXTS)),
        named=members,
        names=st.booleans(),
        visibility=st.sampled_from(Visibility),
    )
    def post(self, author: int, words: str, named: int, names: bool, visibility: Visibility) -> int:
        text = f"{words} @{self.model.logins[named]}" if names else words
        form = f"form-{len(self.model.statuses)}-{self.generation}"
        self.generation += 1
        if author not in self.model.here:
            with pytest.raises(Forbidden if author in self.model.suspended else NotFound):
                statuses.post(self.db, self.config, author, parse(text), form)
            return NOTHING
        write = partial(
            statuses.post,
            self.db,
            self.config,
            author,
            parse(text),
            form,
            visibility=visibility,
            poll=POLL,
        )
        status_id = write()
        assert write() == status_id
        self.model.visibility[status_id] = visibility
        self.model.statuses[status_id] = self.model.authors[status_id] = author
        self.model.texts[status_id] = words
        if names:
            self.model.mentions[status_id] = named
        self.model.said[status_id] = [text]
        self.model.delivered[author].add(status_id)
        self.model.tell(author, "posted", status_id, author)
        return status_id

    @rule(
        target=posts,
        author=members,
        parent=posts,
        text=st.sampled_from(sorted(TEXTS)),
        wanted=st.sampled_from([None, *Visibility]),
    )
    def reply(self, author: int, parent: int, text: str, wanted: Visibility | None) -> int:
        if parent == NOTHING:
            return NOTHING
        self.generation += 1
        form, answered = f"reply-{self.generation}", self.model.statuses.get(parent)
        if (
            frozenset((author, answered)) in self.model.quarrels
        ):  # whether it may depends on what was applied
            return NOTHING
        write = partial(
            statuses.post,
            self.db,
            self.config,
            author,
            parse(text),
            form,
            reply=parent,
            visibility=wanted,
        )
        here = author in self.model.here and answered in self.model.here
        if not here or not self.model.sees(author, parent):
            with pytest.raises((Forbidden, NotFound)):
                write()
            return NOTHING
        visible = self.model.seen_as(parent)
        if wanted and wanted not in allowed_for_reply(visible):
            with pytest.raises(Forbidden):
                write()
            return NOTHING
        status_id = write()
        assert status_id > parent
        self.model.visibility[status_id] = wanted or visible
        self.model.statuses[status_id] = self.model.authors[status_id] = author
        self.model.texts[status_id] = text
        self.model.said[status_id] = [text]
        self.model.parents[status_id] = parent
        if answered != author:
            self.model.to[status_id] = answered
        self.model.delivered[author].add(status_id)
        self.model.tell(author, "posted", status_id, author)
        return status_id

    @rule(target=posts, author=members, about=posts, visibility=st.sampled_from(Visibility))
    def quote(self, author: int, about: int, visibility: Visibility) -> int:
        self.generation += 1
        form, quoted = f"quote-{self.generation}", self.model.statuses.get(about)
        if about == NOTHING or frozenset((author, quoted)) in self.model.quarrels:
            return NOTHING
        write = partial(
            statuses.post, self.db, self.config, author, parse("hello"), form, visibility=visibility
        )
        if not {author, quoted} <= set(self.model.here) or not self.model.open([about]):
            with pytest.raises((Forbidden, NotFound)):
                write(quote=about)
            return NOTHING
        status_id = write(quote=about)
        assert write(quote=about) == status_id
        self.model.visibility[status_id] = visibility
        self.model.statuses[status_id] = self.model.authors[status_id] = author
        self.model.texts[status_id], self.model.said[status_id] = "hello", ["hello"]
        self.model.quotes[status_id] = about
        self.model.delivered[author].add(status_id)
        self.model.tell(author, "posted", status_id, author)
        return status_id

    @rule(uid=members, quote=posts, wanted=st.booleans())
    def detach(self, uid: int, quote: int, wanted: bool) -> None:
        if uid not in self.model.here or quote == NOTHING:
            return
        about = self.model.quotes.get(quote, NOTHING)
        act = partial(
            quotes.detach if wanted else quotes.reattach, self.db, self.config, uid, quote
        )
        there = quote in self.model.statuses and self.model.statuses.get(about) == uid
        if not there or not self.model.sees(uid, quote):
            with pytest.raises(NotFound):
                act()
            return
        act()
        if wanted != (quote in self.model.detached):
            (self.model.detached.add if wanted else self.model.detached.discard)(quote)
            self.model.tell(uid, "detached", about, quote)

    @rule(status_id=posts, uid=members)
    def delete(self, status_id: int, uid: int) -> None:
        if uid not in self.model.here or status_id == NOTHING:
            return
        author = self.model.statuses.get(status_id)
        if author != uid:
            # What a deleted account wrote may not have been erased yet.
            seen = author and self.model.open([status_id])
            refusals = Forbidden if seen else (NotFound, Forbidden) if self.model.gone else NotFound
            with pytest.raises(refusals):
                statuses.delete(self.db, self.config, uid, status_id)
            return
        statuses.delete(self.db, self.config, uid, status_id)
        del self.model.statuses[status_id]
        self.model.pinned[uid] = [one for one in self.model.pinned[uid] if one != status_id]
        self.model.tell(uid, "deleted", status_id, uid)

    @rule(
        status_id=posts,
        uid=members,
        more=st.sampled_from(["", " at dusk", " at dawn"]),
        stale=st.booleans(),
    )
    def edit(self, status_id: int, uid: int, more: str, stale: bool) -> None:
        if status_id == NOTHING or uid in self.model.gone:
            return
        now = (
            "1" if stale else self.db.run(("HGET", status_keys.status(status_id), "edited")) or "0"
        )
        text = self.model.said[status_id][0] + more  # with the tags and names that it has
        edit = (self.db, self.config, uid, status_id, parse(text), "", now)
        said = self.model.said[status_id]
        if self.model.statuses.get(status_id) != uid or uid in self.model.suspended:
            with pytest.raises((NotFound, Forbidden)):
                editing.edit(*edit)
        elif text == said[-1]:
            assert not editing.edit(*edit)
        elif stale or len(said) > EDITED:
            with pytest.raises(Conflict):
                editing.edit(*edit)
        else:
            assert editing.edit(*edit)
            said.append(text)
            self.model.tell(uid, "revised", status_id, uid)

    @rule(status_id=posts, uid=members, wanted=st.booleans())
    def pin(self, status_id: int, uid: int, wanted: bool) -> None:
        if status_id == NOTHING or uid in self.model.gone:
            return
        pinned = self.model.pinned[uid]
        if not wanted:
            pins.unpin(self.db, self.config, uid, status_id)
            if status_id in pinned:
                pinned.remove(status_id)
                self.model.tell(uid, "unpinned", status_id, uid)
        elif self.model.statuses.get(status_id) != uid or uid in self.model.suspended:
            with pytest.raises((NotFound, Forbidden)):
                pins.pin(self.db, self.config, uid, status_id)
        elif status_id not in pinned and len(pinned) == PINNED:
            with pytest.raises(Conflict):
                pins.pin(self.db, self.config, uid, status_id)
        else:
            pins.pin(self.db, self.config, uid, status_id)
            if status_id not in pinned:
                pinned.append(status_id)
                self.model.tell(uid, "pinned", status_id, uid)

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
        asks = other in self.model.protected
        so = other in self.model.follows[uid] or (asks and other in self.model.requested[uid])
        if not so and other in self._blocks_around(uid):
            with pytest.raises(Forbidden):
                following.follow(self.db, self.config, uid, self.model.logins[other])
            return
        following.follow(self.db, self.config, uid, self.model.logins[other])
        if not so:
            (self.model.ask if asks else self.model.begin_follow)(uid, other)

    @rule(uid=members, wanted=st.booleans())
    def protect(self, uid: int, wanted: bool) -> None:
        if uid not in self.model.here:
            with pytest.raises((NotFound, Forbidden)):
                lifecycle.protect(self.db, self.config, uid, wanted)
            return
        changed = lifecycle.protect(self.db, self.config, uid, wanted)
        assert changed == (wanted != (uid in self.model.protected))
        (self.model.protected.add if wanted else self.model.protected.discard)(uid)
        self.model.were_protected |= self.model.protected
        if changed:
            self.model.tell(uid, "protected" if wanted else "unprotected", uid, uid)
        for (
            filed
        ) in self.model.tagged.values():  # whoever looks takes off a tag what is not for them
            filed -= self.model.written(uid) if wanted else set()

    @rule(uid=members, other=members, accepts=st.booleans())
    def answer(self, uid: int, other: int, accepts: bool) -> None:
        """Answers one who waits, if anybody does."""
        waiting = sorted(self.model.requests[uid] - self.model.gone)
        if uid in self.model.gone or not waiting:
            return
        asker = waiting[other % len(waiting)]
        assert requests.answer(self.db, self.config, uid, self.model.logins[asker], accepts)
        assert not requests.answer(self.db, self.config, uid, self.model.logins[asker], accepts)
        self.model.requests[uid].discard(asker)
        self.model.tell(uid, "accepted" if accepts else "refused", uid, asker)

    @rule(uid=members, other=members)
    def remove_follower(self, uid: int, other: int) -> None:
        if {uid, other} & self.model.gone:
            return
        listed = other in self.listed(following_keys.followers(uid))
        removed = requests.remove_follower(self.db, self.config, uid, self.model.logins[other])
        assert removed == listed
        if removed:
            self.model.followers[uid] = [one for one in self.model.followers[uid] if one != other]
            self.model.tell(uid, "follower_removed", uid, other)

    @rule(uid=members, other=members)
    def unfollow(self, uid: int, other: int) -> None:
        if uid in self.model.gone:
            return
        if other in self.model.gone:
            with pytest.raises(NotFound):
                following.unfollow(self.db, self.config, uid, self.model.logins[other])
            return
        following.unfollow(self.db, self.config, uid, self.model.logins[other])
        self.model.end_request(uid, other)
        self.model.end_follow(uid, other)

    @rule(uid=members, other=members, wanted=st.booleans())
    def block(self, uid: int, other: int, wanted: bool) -> None:
        act, login, kept = (
            blocks.block if wanted else blocks.unblock,
            self.model.logins[other],
            self.model.blocks[uid],
        )
        if uid in self.model.gone or (uid == other and not wanted):
            return
        if other in self.model.gone or uid == other or (wanted and uid in self.model.suspended):
            with pytest.raises((NotFound, Invalid, Forbidden)):
                act(self.db, self.config, uid, login)
            return
        act(self.db, self.config, uid, login)
        if wanted and other not in kept:
            kept.add(other)
            self.model.quarrels.add(frozenset((uid, other)))
            self.model.end_follow(uid, other)
            self.model.end_request(uid, other)
            self.model.tell(uid, "blocked", uid, other)
        elif not wanted and other in kept:
            kept.remove(other)
            self.model.tell(uid, "blocked", uid, other)

    @rule(uid=members, other=members, seconds=st.sampled_from([3_600, FOREVER]))
    def mute(self, uid: int, other: int, seconds: int) -> None:
        login, over = self.model.logins[other], self.model.over[uid]
        if uid not in self.model.here or other in self.model.gone or uid == other:
            with pytest.raises((NotFound, Invalid, Forbidden)):
                mutes.mute(self.db, self.config, uid, login, seconds)
            return
        mutes.mute(self.db, self.config, uid, login, seconds)
        over.clear()
        self.model.mutes[uid].add(other)
        self.model.tell(uid, "muted", uid, other)

    @rule(uid=members, other=members)
    def unmute(self, uid: int, other: int) -> None:
        if {uid, other} & self.model.gone:
            return
        mutes.unmute(self.db, self.config, uid, self.model.logins[other])
        if other in self.model.mutes[uid] | self.model.over[uid]:
            self.model.mutes[uid].discard(other)
            self.model.over[uid].discard(other)
            self.model.tell(uid, "unmuted", uid, other)

    @rule(uid=members, other=members)
    def a_mute_ends(self, uid: int, other: int) -> None:
        if other in self.model.mutes[uid]:
            self.db.run(
                ("ZADD", following_keys.mutes(uid), "XX", int(time.time()) - 1 - other, other)
            )
            self.model.mutes[uid].remove(other)
            self.model.over[uid].add(other)

    @rule(uid=members, status_id=posts)
    def like(self, uid: int, status_id: int) -> None:
        if status_id == NOTHING:
            return
        before = list(self.model.liked[uid])
        author = self.model.statuses.get(status_id)
        blocked = author in self._blocks_around(uid) or uid in self.model.blocks.get(
            author or 0, ()
        )
        fresh = status_id not in before or uid in self.model.blocks.get(author or 0, ())
        here = (
            uid in self.model.here and author in self.model.here and self.model.sees(uid, status_id)
        )
        if not here or (blocked and fresh):
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

    @rule(uid=members, status_id=posts)
    def boost(self, uid: int, status_id: int) -> None:
        if status_id == NOTHING:
            return
        before, author = list(self.model.boosted[uid]), self.model.statuses.get(status_id)
        blocked = author in self._blocks_around(uid) or uid in self.model.blocks.get(
            author or 0, ()
        )
        fresh = status_id not in before or uid in self.model.blocks.get(author or 0, ())
        here = (
            uid in self.model.here
            and author in self.model.here
            and not self.model.seen_as(status_id).restricted
        )
        if not here or (blocked and fresh):
            with pytest.raises((NotFound, Forbidden)):
                boosts.boost(self.db, self.config, uid, status_id)
            return
        boosts.boost(self.db, self.config, uid, status_id)
        if status_id not in before:
            self.model.boosted[uid].append(status_id)
            names = (interaction_keys.member_boosts(uid), f"{status_id}:{author}")
            self.model.boost_ids[uid, status_id] = int(self.db.run(("ZSCORE", *names)))
            self.model.tell(uid, "boosted", uid, status_id)
        if self.db.run(("ZCARD", interaction_keys.member_boosts(uid))) < len(
            self.model.boosted[uid]
        ):
            self.model.tell(uid, "boosted", uid, self.model.boosted[uid].pop(0))

    @rule(uid=members, status_id=posts)
    def unboost(self, uid: int, status_id: int) -> None:
        if uid in self.model.gone or status_id == NOTHING:
            return
        boosts.unboost(self.db, self.config, uid, status_id)
        if status_id in self.model.boosted[uid] and status_id in self.model.statuses:
            self.model.boosted[uid].remove(status_id)
            self.model.tell(uid, "boosted", uid, status_id)

    @rule(uid=members, status_id=posts, option=st.integers(0, 2))
    def vote(self, uid: int, status_id: int, option: int) -> None:
        author = self.model.statuses.get(status_id)
        blocked = author in self._blocks_around(uid) or uid in self.model.blocks.get(
            author or 0, ()
        )
        here = (
            uid in self.model.here and author in self.model.here and self.model.sees(uid, status_id)
        )
        before = self.model.voted[status_id].get(uid)
        unasked = status_id in self.model.parents or status_id in self.model.quotes
        another = unasked or option == 2 or before not in (None, 1 << option)
        if (
            not here
            or author == uid
            or another
            or (blocked and (before is None or uid in self.model.blocks[author]))
        ):
            with pytest.raises((NotFound, Forbidden, Invalid, Conflict)):
                voting.vote(self.db, self.config, uid, status_id, {option})
            return
        voting.vote(self.db, self.config, uid, status_id, {option})
        if before is None:
            self.model.voted[status_id][uid] = 1 << option
            self.model.tell(uid, "voted", uid, status_id)

    @rule(uid=members, status_id=posts, wanted=st.booleans())
    def bookmark(self, uid: int, status_id: int, wanted: bool) -> None:
        if status_id == NOTHING or uid in self.model.gone:
            return
        kept, author = self.model.bookmarks[uid], self.model.statuses.get(status_id)
        if not wanted:
            bookmarks.unbookmark(self.db, uid, status_id)
            self.model.bookmarks[uid] = [one for one in kept if one != status_id]
        elif (
            uid not in self.model.here
            or author not in self._seen_by(uid)
            or not self.model.sees(uid, status_id)
        ):
            with pytest.raises((NotFound, Forbidden)):
                bookmarks.bookmark(self.db, self.config, uid, status_id)
        else:
            bookmarks.bookmark(self.db, self.config, uid, status_id)
            if status_id not in kept:
                kept.append(status_id)

    @rule(uid=members, name=st.sampled_from(TAGS), wanted=st.booleans())
    def follow_tag(self, uid: int, name: str, wanted: bool) -> None:
        if uid in self.model.gone:
            return
        followed = self.model.tags[uid]
        if not wanted:
            tags.unfollow(self.db, self.config, uid, name)
            self.model.tags[uid] = [one for one in followed if one != name]
            if name in followed:
                self.model.tell(uid, "retagged", uid, uid)
        elif uid in self.model.suspended:
            with pytest.raises(Forbidden):
                tags.follow(self.db, self.config, uid, name)
        else:
            tags.follow(self.db, self.config, uid, name)
            if name not in followed:
                followed.append(name)
                self.model.tell(uid, "retagged", uid, uid)

    @rule(uid=members, wanted=st.booleans())
    def suspend(self, uid: int, wanted: bool) -> None:
        if uid in self.model.gone:
            with pytest.raises(NotFound):
                lifecycle.suspend(self.db, self.config, uid, wanted)
            return
        changed = lifecycle.suspend(self.db, self.config, uid, wanted)
        assert changed == (wanted != (uid in self.model.suspended))
        (self.model.suspended.add if wanted else self.model.suspended.discard)(uid)
        if changed:
            self.model.tell(uid, "suspended" if wanted else "restored", uid, uid)

    @precondition(lambda self: len(self.model.logins) > 1)
    @rule(uid=members, sure=st.integers(0, 2))
    def remove(self, uid: int, sure: int) -> None:
        if sure or uid in self.model.gone:
            return
        lifecycle.delete_account(self.db, self.config, uid, None)
        self.model.remove(uid)
        self.model.tell(uid, "removed", uid, uid)

    @rule(uid=members)
    def stay_away(self, uid: int) -> None:
        self.db.trip(
            ("ZREM", timeline_keys.active_members(partition_of(uid)), uid),
            ("DEL", timeline_keys.home(uid)),
        )

    @rule(uid=members, group=st.sampled_from(GROUPS), count=st.integers(1, 3), dies=st.booleans())
    def work(self, uid: int, group: str, count: int, dies: bool) -> None:
        """A worker takes one partition and applies a few of its events; it may die before it says so."""
        partition = partition_of(uid)
        box = self.owner(group, partition)
        reply = self.entries(box)
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
            events = [
                event
                for event in events
                if event[0] == "blocked" and not self._follows(event[2], event[1])
            ]
            self._catch_up()
        for event in events:  # which bring what they are about up to the truth of now
            self.model.apply(box.group, *event)

    @rule()
    def settle(self) -> None:
        for partition in map(partition_of, self.model.logins):
            for group in GROUPS:
                self.expire(group, partition)
        worker.drain(self.db, self.config, f"settler-{self.generation}")
        while waiting := [key for key, events in self.model.waiting.items() if events]:
            for group, partition in waiting:
                events, self.model.waiting[group, partition] = (
                    self.model.waiting[group, partition],
                    [],
                )
                for event in events:
                    self.model.apply(group, *event)
        for uid in self.model.here:
            truth = self.model.home(uid)
            # What others had answered to somebody before they were followed may be there, once the home is built anew.
            maybe = {status for status in truth if status in self.model.to} - self.required(uid)
            self.model.delivered[uid] = set(truth) - maybe
            kept = self.model.newest(uid)
            newest = set(
                self.model.visible([one for one in kept if one in self.model.statuses], uid)
            )
            floor = min(kept) if len(truth) + len(self.model.boosts(uid)) > CAP else 0
            newest |= {status for status in self._brought(uid) if status > floor}
            expected = sorted(newest - maybe, reverse=True)
            posts, boosted = self._home(uid)
            shown = [status for status in posts if status not in maybe]
            assert shown[: len(expected)] == expected
            # A boost is shown unless the same status is shown below it.
            there = self._boosts_shown(uid)
            first = {number for number in kept if number in there and not self._again(uid, number)}
            # What shows a protected member leaves a home that is looked at, and comes back when it is built anew.
            first = {
                one
                for one in first
                if self.model.authors[there[one][1]] not in self.model.were_protected
            }
            assert first <= boosted.keys() and boosted.items() <= there.items()
        for uid in self.model.logins:
            assert set(self.model.followers[uid]) == {
                other for other, all_ in self.model.follows.items() if uid in all_
            }
            assert not self.model.gone & set(self.model.follows[uid])
            assert self.listed(following_keys.sent_follow_requests(uid)) == set(
                self.model.requested[uid]
            )
            asking = {other for other, all_ in self.model.requested.items() if uid in all_}
            assert (
                self.listed(following_keys.follow_requests(uid))
                == asking
                == self.model.requests[uid]
            )
            assert not asking or uid in self.model.protected & set(self.model.here)
        for status in self.model.statuses:
            assert self.model.likes[status] == {
                uid for uid, all_ in self.model.liked.items() if status in all_
            }
            assert self.model.boosters[status] == {
                uid for uid, all_ in self.model.boosted.items() if status in all_
            }
            assert self.model.replies[status] == self.answers(status)
            votes = self.model.voted[status]
            tally, listed = self.db.trip(
                ("HGET", status_keys.status(status), "tally"), ("HGETALL", poll_keys.votes(status))
            )
            assert (
                tally or "0 0 0"
            ) == f"{[*votes.values()].count(1)} {[*votes.values()].count(2)} {len(votes)}"
            left = {uid: bits for uid, bits in votes.items() if uid not in self.model.gone}
            assert dict(zip(map(int, listed[::2]), map(int, listed[1::2]), strict=True)) == left
            assert self.model.quoted[status] == self.quotes(status)
        for uid in self.model.gone:
            left = (
                status_keys.profile_statuses(uid),
                status_keys.profile_replies(uid),
                following_keys.followers(uid),
                following_keys.following(uid),
                timeline_keys.home(uid),
            )
            left += (
                poll_keys.member_votes(uid),
                interaction_keys.member_likes(uid),
                interaction_keys.member_boosts(uid),
                interaction_keys.bookmarks(uid),
                status_keys.pinned_statuses(uid),
                timeline_keys.followed_tags(uid),
                timeline_keys.tag_index(uid),
            )
            left += (
                following_keys.mutes(uid),
                following_keys.blocks(uid),
                following_keys.blockers(uid),
                following_keys.sent_follow_requests(uid),
                following_keys.follow_requests(uid),
            )
            left += (
                notification_keys.notifications(uid),
                notification_keys.unread_notifications(uid),
                notification_keys.notified_members(uid),
            )
            left += tuple(
                status_keys.restricted_statuses(uid, audience)
                for audience in (status_keys.FOLLOWERS_AUDIENCE, *self.model.logins)
            )
            assert not any(self.db.trip(*(("EXISTS", key) for key in left)))
        for name in TAGS:
            assert self.model.tagged[name] & self.model.statuses.keys() == set(
                self.model.visible(self.model.has(name))
            )
            pages = walk(
                lambda before, name=name: timelines.tagged(self.db, self.config, name, before), 2
            )
            assert pages == sorted(self.model.visible(self.model.has(name)), reverse=True)
        for uid in self.model.logins:
            blockers = {other for other, blocked in self.model.blocks.items() if uid in blocked}
            assert self.listed(following_keys.blocks(uid)) == self.model.blocks.get(uid, set())
            assert self.listed(following_keys.blockers(uid)) == blockers
        for uid in self.model.logins.keys() - self.model.gone:
            # A block takes off both lists what was told, and it does not come back.
            were = self.model.were_protected
            apart = {other for pair in self.model.quarrels if uid in pair for other in pair}
            truth, shown = self.model.told(uid), set(told(self.db, uid))
            must = {one for one in truth if one[1] not in apart}
            # What a protected member says is told to followers alone.
            must = {
                one for one in must if one[0] in ("like", "follow", "request") or one[1] not in were
            }
            assert must <= shown <= truth
            assert not {by for _, by, _ in shown} & self._blocks_around(uid)
        for uid in self.model.here:
            limited = self.model.written(uid) - self.model.for_all(self.model.written(uid))
            for audience in {status_keys.FOLLOWERS_AUDIENCE, *self.model.logins}:
                listed = self.db.run(
                    ("ZRANGE", status_keys.restricted_statuses(uid, audience), 0, -1, "WITHSCORES")
                )[1::2]
                assert set(map(int, listed)) == {
                    one for one in limited if self._filed(one, audience)
                }
        posts = self.model.listed(self.model.statuses.keys() - self.model.to.keys())
        assert self.model.public & self.model.statuses.keys() == set(self.model.visible(posts))

    @invariant()
    def homes_tell_the_truth(self) -> None:
        for uid in self.model.here:
            if (
                self.db.run(("ZSCORE", timeline_keys.active_members(partition_of(uid)), uid))
                is None
            ):
                self.model.delivered[uid] = set(self.model.home(uid))  # the visit builds it anew
            truth, (shown, boosted) = self.model.home(uid), self._home(uid)
            assert boosted.items() <= self._boosts_shown(uid).items()
            assert set(shown) <= set({*self.model.visible(truth, uid), *self._brought(uid)})
            assert self.db.read(tags.followed(uid)) == self.model.tags[uid][::-1]
            # A home keeps the newest, those of suspended authors among them.
            hidden = {
                status
                for status in truth
                if self.model.statuses[status] in self.model.marked - {uid}
            }
            newest = [status for status in self.model.newest(uid) if status in self.model.statuses]
            assert self.required(uid) & set(self.model.visible(newest, uid)) - hidden <= set(shown)

    @invariant()
    def profiles_lists_and_counts_equal_the_model(self) -> None:
        for uid, login in self.model.logins.items():
            if uid not in self.model.here:
                with pytest.raises(Forbidden if uid in self.model.suspended else NotFound):
                    profile_page(self.db, self.config, login, None)
                continue
            shown = profile_page(self.db, self.config, login, None).profile
            viewer = next((one for one in self.model.here if one != uid), 0)
            for reader in (0, uid, viewer):
                member = self.db.read(accounts.get_or_404(reader)) if reader else None
                hides = uid in self._blocks_around(reader)
                first = profile_page(self.db, self.config, login, member).timeline
                pinned = [
                    one
                    for one in self.model.pinned[uid]
                    if not hides and self.model.sees(reader, one)
                ]
                assert [status.id for status in first.pinned] == pinned[::-1]
                assert all(status.pinned for status in first.pinned)
                for replies, wrote in (
                    (False, self.model.posts(uid) - set(pinned)),
                    (True, self.model.written(uid)),
                ):
                    read = partial(
                        profile_page, self.db, self.config, login, member, with_replies=replies
                    )
                    seen = {one for one in wrote if not hides and self.model.sees(reader, one)}
                    if reader in self.model.blocks.get(
                        uid, ()
                    ):  # which what is not for everybody knows at once
                        seen &= self.model.open(seen)
                    shown_there = walk(lambda before, read=read: read(before=before).timeline, 2)
                    posts = [one for one in shown_there if one not in self.model.boost_ids.values()]
                    assert posts == sorted(seen, reverse=True)
                    self._check_boosts(
                        uid, reader, hides, set(shown_there) - set(posts), seen | set(pinned)
                    )
            assert shown.statuses == len(self.model.for_all(self.model.written(uid)))
            # Deleted accounts are counted until they are taken off the lists, and not shown; nor are suspended ones,
            # but to who follows them.
            gone, hidden = self.model.gone, self.model.gone | self.model.suspended
            assert self._people("following", uid) == [
                one for one in self.model.follows[uid][::-1] if one not in gone
            ]
            applied = set(self.model.followers[uid]) - hidden
            truth = {
                other for other, followed in self.model.follows.items() if uid in followed
            } - hidden
            followers = set(self._people("followers", uid))
            # An event that is applied twice brings the list up to a newer truth, so either is right where they differ.
            assert applied & truth <= followers <= applied | truth
            assert (
                len(self.model.follows[uid]) - len(gone)
                <= shown.following
                <= len(self.model.follows[uid])
            )
            assert len(followers) <= shown.followers <= len(followers) + len(hidden)

    @invariant()
    def the_public_timeline_equals_the_model(self) -> None:
        shown = walk(lambda before: timelines.public(self.db, self.config, before), 2)
        there = self.model.listed(self.model.public & self.model.statuses.keys())
        assert shown == sorted(self.model.visible(there), reverse=True)

    @invariant()
    def hashtags_equal_the_model(self) -> None:
        for name in TAGS:
            shown = walk(
                lambda before, name=name: timelines.tagged(self.db, self.config, name, before), 2
            )
            applied, truth = self.model.tagged[name], set(self.model.visible(self.model.has(name)))
            # An event that is applied twice brings what is filed up to a newer truth.
            assert applied & truth <= set(shown) <= truth

    @invariant()
    def what_each_member_is_shown_equals_the_model(self) -> None:
        written = self.model.statuses
        for uid in self.model.here:
            seen = self._seen_by(uid)
            shown, _ = by_ids.fetch(self.db, dict.fromkeys(written, 0), uid)
            wanted = [
                status
                for status, author in written.items()
                if author in seen and self.model.sees(uid, status)
            ]
            wanted.sort(reverse=True)
            assert [status.id for status in shown] == wanted
            public = walk(
                lambda before, uid=uid: timelines.public(self.db, self.config, before, uid), 2
            )
            unmuted = self.model.visible(self.model.listed(self.model.public & set(wanted)), uid)
            assert public == sorted(unmuted, reverse=True)
            muted = {one.member.uid for one in mutes.page(self.db, uid).items}
            assert muted == self.model.mutes[uid] - self.model.gone
            self.model.mutes[uid] -= self.model.gone  # whom the look at the list took off it

    @invariant()
    def likes_and_bookmarks_equal_the_model(self) -> None:
        for status_id, author in self.model.statuses.items():
            uids, number, boosters, boosted = self.db.trip(
                ("ZRANGE", interaction_keys.likers(status_id), 0, -1),
                ("HGET", status_keys.status(status_id), "likes"),
                ("ZRANGE", interaction_keys.boosters(status_id), 0, -1),
                ("HGET", status_keys.status(status_id), "boosts"),
            )
            shown, boosting = set(map(int, uids)), set(map(int, boosters))
            assert int(boosted or 0) == len(boosting)
            boosts_of = {uid for uid, all_ in self.model.boosted.items() if status_id in all_}
            applied = self.model.boosters[status_id]
            assert applied & boosts_of <= boosting <= applied | boosts_of
            assert int(number or 0) == len(shown)
            truth = {uid for uid, all_ in self.model.liked.items() if status_id in all_}
            assert (
                self.model.likes[status_id] & truth <= shown <= self.model.likes[status_id] | truth
            )
            for uid in [
                one
                for one in self.model.here
                if author in self._seen_by(one) and self.model.sees(one, status_id)
            ]:
                status, acts = statuses.get_with_state(self.db, status_id, uid)
                assert acts.votes.get(status_id) == self.model.voted[status_id].get(uid)
                assert (status_id in acts.liked) == (uid in truth)
                assert acts.like_count(status_id, status.likes) == len(
                    shown - {uid} | truth & {uid}
                )
                assert acts.boost_count(status_id, status.boosts) == len(
                    boosting - {uid} | boosts_of & {uid}
                )
        lists = {
            key for key in live_keys(self.db) if key.split(":")[0] in ("likes", "replies", "thread")
        }
        own_lists = {
            of(status)
            for of in (interaction_keys.likers, status_keys.replies, status_keys.thread)
            for status in self.model.statuses
        }
        # What a deleted account wrote may not have been erased yet.
        assert self.model.gone or lists <= own_lists
        for uid in self.model.here:
            seen = self._seen_by(uid)
            kept = [
                one
                for one in self.model.bookmarks[uid][::-1]
                if self.model.statuses.get(one) in seen
            ]
            kept = [one for one in kept if self.model.sees(uid, one)]
            assert bookmarked(self.db, uid) == kept and own(self.db, uid) == self.model.liked[uid]

    @invariant()
    def threads_equal_the_model(self) -> None:
        for status_id, author in self.model.statuses.items():
            if author not in self.model.here or not self.model.open([status_id]):
                continue
            listed = answers(self.db, status_id)
            applied, truth = self.model.replies[status_id], self.answers(status_id)
            assert applied & truth <= listed <= applied | truth
            part = page(self.db, status_id)
            assert [seen(one) for one in part.ancestors] == [
                self._look(one) for one in self.model.above(status_id)
            ]
            shown = {one for one, _ in below(self.db, status_id, 2) if isinstance(one, int)}
            under = self.model.open(
                one for one in self.model.statuses if status_id in self.model.above(one)
            )
            assert shown <= set(self.model.visible(under))
            assert set(self.model.visible(listed & truth)) <= shown

    @invariant()
    def quotes_equal_the_model(self) -> None:
        for status_id in self.model.statuses:
            found = set(quoting(self.db, status_id))
            applied = self.model.quoted[status_id]
            assert applied & self.quotes(status_id) <= found <= applied | self.quotes(status_id)
        for quote in self.model.open(self.model.quotes.keys() & self.model.statuses.keys()):
            if self.model.statuses[quote] in self.model.here:
                about = self.model.quotes[quote]
                there = (
                    self.model.statuses.get(about) in self.model.here
                    and quote not in self.model.detached
                )
                there = there and self.model.open([about])
                card = page(self.db, quote).viewer_state.quote_cards[quote]
                assert (card.status.id if card.status else NOTHING) == (about if there else NOTHING)
        lists = {key for key in live_keys(self.db) if key.split(":")[0] in ("quotes", "detached")}
        own_lists = {
            of(status)
            for of in (status_keys.quotes, status_keys.detached_quotes)
            for status in self.model.statuses
        }
        assert self.model.gone or lists <= own_lists

    @invariant()
    def notifications_show_what_is_there_and_nobody_who_is_hidden(self) -> None:
        for uid in self.model.here:
            page = notifications.page(self.db, uid, kinds_in_tab("all"), None, 30, False)
            assert page.unread_count == self.db.read(notifications.unread_count(uid))
            people = {one.uid for group in page.items for one in group.members}
            assert people <= set(self.model.here) - {uid} - self._blocks_around(uid)
            assert {
                group.status.id for group in page.items if group.status
            } <= self.model.statuses.keys()

    @invariant()
    def histories_equal_the_model(self) -> None:
        for status_id, author in self.model.statuses.items():
            if author in self.model.here:
                assert [
                    text for text, _ in versions(self.db, status_id, author)
                ] == self.model.said[status_id][::-1]
        kept = {key for key in live_keys(self.db) if key.startswith("versions:")}
        assert self.model.gone or kept <= set(map(status_keys.status_versions, self.model.statuses))

    def teardown(self) -> None:
        self.settle()
        self.homes_tell_the_truth()
        self.profiles_lists_and_counts_equal_the_model()
        self.the_public_timeline_equals_the_model()
        self.hashtags_equal_the_model()
        self.what_each_member_is_shown_equals_the_model()
        self.likes_and_bookmarks_equal_the_model()
        self.threads_equal_the_model()
        self.quotes_equal_the_model()
        for status_id, author in self.model.statuses.items():
            under = self.model.open(
                one for one in self.model.statuses if status_id in self.model.above(one)
            )
            if author in self.model.here and self.model.open([status_id]):
                shown = {one for one, _ in below(self.db, status_id, 2) if isinstance(one, int)}
                assert shown == set(self.model.visible(under))
        self.notifications_show_what_is_there_and_nobody_who_is_hidden()
        self.histories_equal_the_model()
        self.db.close()

    def answers(self, status_id: int) -> set[int]:
        """The replies to a status that are there, and for all who see it."""
        found = (one for one in self.model.statuses if self.model.parents.get(one) == status_id)
        return {one for one in found if self.model.counted(one)}

    def quotes(self, status_id: int) -> set[int]:
        """The quotes of a status that are there, and for everybody."""
        return self.model.open(
            one for one in self.model.statuses if self.model.quotes.get(one) == status_id
        )

    def required(self, uid: int) -> set[int]:
        """What a home must hold of the newest. Of authors who are merged only the newest replies are looked at."""
        merged = self.config.push_max_followers == 1
        return self.model.delivered[uid] - {
            one for one in self.model.to if merged and self.model.statuses.get(one) != uid
        }

    def _home(self, uid: int) -> tuple[list[int], dict[int, tuple[int, int]]]:
        """The statuses on all pages of a home, and the boosts."""
        found: list[Item] = []

        def read(before: int | None) -> timelines.Timeline[Item]:
            page = home_timeline(self.db, self.config, uid, before)
            found.extend(page.items)
            return page

        walk(read, self.config.page_size)
        boosted = {
            one.id: (one.booster.uid, one.status.id) for one in found if isinstance(one, Boost)
        }
        return [one.id for one in found if not isinstance(one, Boost)], boosted

    def _boosts_shown(self, uid: int) -> dict[int, tuple[int, int]]:
        """The boosts a member may be shown: none of whom blocks keep apart from them."""
        apart = self._blocks_around(uid)
        return {
            number: (by, status)
            for number, (by, status) in self.model.boosts_shown(uid).items()
            if not apart & {by, self.model.statuses[status]}
        }

    def _check_boosts(
        self, uid: int, reader: int, hides: bool, shown: set[int], posts: set[int]
    ) -> None:
        """The boosts on a profile: all that the reader may be shown, but for what stands below them already."""
        apart = (
            self._blocks_around(reader) | self.model.mutes.get(reader, set()) | self.model.suspended
        )
        truth = {
            self.model.boost_ids[uid, status]
            for status in self.model.boosted[uid]
            if not hides and status in self.model.open(self.model.statuses)
            if self.model.statuses[status] not in apart - {uid}
            if uid not in self.model.protected
            or uid == reader
            or uid in self.model.follows.get(reader, ())
        }
        own = {
            self.model.boost_ids[uid, status]
            for status in posts
            if status in self.model.boosted[uid]
        }
        assert truth - own <= shown <= truth

    def _again(self, uid: int, number: int) -> bool:
        """Whether something below a boost may show the same status to a member."""
        boosts = self._boosts_shown(uid)
        status = boosts[number][1]
        below = any(one < number and pair[1] == status for one, pair in boosts.items())
        return below or status in {*self.model.home(uid), *self._brought(uid)}

    def _look(self, status_id: int) -> int | str:
        author = self.model.statuses.get(status_id)
        if author is None:
            return "deleted"
        hidden = author in self.model.suspended or not self.model.open([status_id])
        return "hidden" if hidden else status_id

    def _catch_up(self) -> None:
        """Takes what a worker has done to requests, until it found that its lease was lost, as it is in the store."""
        for uid in self.model.logins:
            left, follows = (
                self.listed(following_keys.sent_follow_requests(uid)),
                self.listed(following_keys.following(uid)),
            )
            for other in [one for one in self.model.requested[uid] if one not in left]:
                (self.model.begin_follow if other in follows else self.model.end_request)(
                    uid, other
                )
            for other in left - set(self.model.requested[uid]):  # instead of the follow that it was
                self.model.end_follow(uid, other)
                self.model.ask(uid, other)
            self.model.requests[uid] = self.listed(following_keys.follow_requests(uid))
            self.model.blockers[uid] = self.listed(following_keys.blockers(uid))

    def _follows(self, uid: int, other: int) -> bool:
        return self.db.run(("ZSCORE", following_keys.following(uid), other)) is not None

    def _blocks_around(self, uid: int) -> set[int]:
        """Whom a member blocks, and who blocks the member as far as it was applied."""
        return self.model.blocks.get(uid, set()) | self.listed(following_keys.blockers(uid))

    def _brought(self, uid: int) -> set[int]:
        """What a member's followed hashtags bring home: of everybody who is not hidden from them."""
        seen, found = self._seen_by(uid), self.model.visible(self.model.brought(uid), uid)
        return {status for status in found if self.model.statuses[status] in seen}

    def _filed(self, status: int, audience: int | str) -> bool:
        """Whether a status that not everybody may see is filed for this audience."""
        if audience == status_keys.FOLLOWERS_AUDIENCE:
            return self.model.visibility[status] is Visibility.FOLLOWERS
        return audience == self.model.authors[status] or audience in self.model.named(status)

    def _seen_by(self, uid: int) -> set[int]:
        """The members whose statuses a member is shown who asks for them."""
        return set(self.model.here) - self._blocks_around(uid)

    def _people(self, kind: str, uid: int) -> list[int]:
        found: list[int] = []
        before = None
        while True:
            page = load_follow_page(self.db, kind, uid, before, 2, uid).page
            found += [member.uid for member in page.items]
            before = page.next
            if before is None:
                return found


@pytest.mark.parametrize("push_max", [1, 1_000])
def test_reading_equals_the_model(settings_: Config, push_max: int) -> None:
    machine = type(
        "M",
        (Machine,),
        {"config": replace(settings_, push_max_followers=push_max, merged_seconds=0)},
    )
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=15,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=False,
        ),
    )


@pytest.fixture
def settings_(request: pytest.FixtureRequest) -> Config:
    config: Config = request.getfixturevalue("settings")
    return replace(
        config,
        home_max=CAP,
        home_slack=SLACK,
        likes_max=LIKED,
        edits_max=EDITED,
        pinned_max=PINNED,
        page_size=2,
        attempts_max=1_000,
    )
