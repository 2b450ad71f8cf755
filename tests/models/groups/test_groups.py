"""Compare groups with a model: who belongs to them, who sees their posts, and votes.

Sight and votes must be right at every step, whatever events wait. When none waits, the timelines
and the members' own lists must be right too. Workers may die between any two events.
"""

from collections.abc import Callable, Mapping

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from tests.community.groups.reading import shown
from tests.conftest import long
from tests.support.state_machines.machine import MemberMachine, run_machine
from tests.support.state_machines.strategies import MEMBERS, members, posts
from webapp.chat import keys as chat_keys
from webapp.community.groups import chat, keys, store, voting
from webapp.community.groups.invitations import store as invitations
from webapp.community.groups.models import Voting
from webapp.community.groups.posts import PINNED_MAX, drop_post, pin_post
from webapp.config import Config
from webapp.core.errors import NotFound, Refused
from webapp.core.text.parser import parse
from webapp.notifications.store import entries_of
from webapp.statuses import store as statuses
from webapp.statuses.visibility import keys as group_keys
from webapp.statuses.visibility.groups import GroupKind

CLOSED, OPEN, OTHER = 1, 2, 3  # numbers of groups, each owned by the member of the same number
gids = st.sampled_from([CLOSED, CLOSED, OPEN, OTHER])
TARGETS = st.sampled_from(
    [(CLOSED,), (CLOSED,), (OPEN,), (OPEN, OTHER), (OTHER, OPEN), (OPEN, CLOSED)]
)
ACTS = ("remove", "ban", "unban", "accept", "accept", "refuse")
DIRECTIONS = st.sampled_from(sorted(voting.DIRECTIONS))


class GroupsMachine(MemberMachine):
    """Let members join, post, vote and leave, and owners let them in and ban them."""

    def relate(self, uid: int, other: int, act: Callable[..., object]) -> None:
        """Nobody follows or blocks anybody: other tests do that."""

    def change_account(self, uid: int, action: str, deletes: bool) -> None:
        """No account changes."""

    @initialize()
    def begin(self) -> None:
        """Make a closed group and two open ones."""
        self.sign_up_all(set())
        self.members = {gid: {gid} for gid in (CLOSED, OPEN, OTHER)}
        self.banned = {gid: set[int]() for gid in self.members}
        self.invited = {gid: dict[int, int]() for gid in self.members}  # who is, and by whom
        # The newest link, and how many may still use it.
        self.links: dict[int, tuple[str, int]] = dict.fromkeys(self.members, ("none", 0))
        self.pinned = {gid: list[int]() for gid in self.members}  # the newest pin first
        self.requests = set[int]()
        self.talking = {gid: {gid} for gid in self.members}  # who is in its chat
        self.posts = dict[int, tuple[tuple[int, ...], int]]()  # id -> groups and author
        self.placed = set[tuple[int, int]]()  # id and group, once it was there
        self.dropped = set[tuple[int, int]]()
        self.is_exact = True  # no worker applied a part of something
        self.own = dict[tuple[int, int], dict[int, int]]()  # id and group -> who voted, and how
        for gid in self.members:
            slug, kind = f"group-{gid}", GroupKind.CLOSED if gid == CLOSED else GroupKind.OPEN
            assert store.create(self.site, gid, slug, slug, "", kind, Voting.BOTH) == gid
            chat.start(self.site, gid, gid)
            for uid in {CLOSED, OPEN, OTHER} - {gid}:
                self.join(uid, gid)
                self.run_group(uid, gid, "accept", gid) if gid == CLOSED else None

    @rule(uid=members, gid=gids)
    def join(self, uid: int, gid: int) -> None:
        """Join the open group; ask to join the closed one, unless invited."""
        inviter = self.invited[gid].get(uid)
        comes_in = gid != CLOSED or uid in self.members[gid] or inviter == gid
        try:
            assert store.join(self.site, uid, gid) is comes_in
        except Refused:
            assert uid in self.banned[gid]
            return
        if comes_in:
            self._forget(gid, uid)
            self.members[gid].add(uid)
        elif uid not in self.members[gid]:
            self.requests.add(uid)

    @rule(uid=members, other=members, gid=gids)
    def invite(self, uid: int, other: int, gid: int) -> None:
        """Invite somebody, as the owner or a member of the open group, or without the right."""
        may_invite = uid == gid or (gid != CLOSED and uid in self.members[gid])
        done = self.attempt(invitations.invite, uid, gid, [self.logins[other]])
        assert done is (may_invite and other not in self.banned[gid])
        if done and other not in self.members[gid]:
            self.invited[gid].setdefault(other, uid)

    @rule(uid=members, other=members, gid=gids)
    def end_invitation(self, uid: int, other: int, gid: int) -> None:
        """Decline an invitation, or take one back."""
        inviter = self.invited[gid].get(other)
        done = self.attempt(invitations.end, uid, gid, f"@{other}")
        assert done is (inviter is None or uid in (other, inviter, gid))
        if done:
            self.invited[gid].pop(other, None)

    @rule(uid=members, gid=gids, uses=st.sampled_from([0, 0, 1, 2]))
    def follow_link(self, uid: int, gid: int, uses: int) -> None:
        """Follow a link into a group, which counts for those whom it lets in; or make a new one."""
        secret, left = self.links[gid]
        if uses and not left:
            token = invitations.make_link(self.site, gid, gid, uses, 1)
            self.links[gid] = invitations.parse_token(token)[1], uses
            return
        is_member = uid in self.members[gid]
        done = self.attempt(store.join, uid, gid, secret)
        assert done is (is_member or (left > 0 and uid not in self.banned[gid]))
        if done and not is_member:
            self.links[gid] = secret, left - 1
            self._forget(gid, uid)
            self.members[gid].add(uid)

    @rule(uid=members, gid=gids)
    def leave(self, uid: int, gid: int) -> None:
        """Leave a group, unless one owns it."""
        if self.attempt(store.leave, uid, gid):
            assert uid != gid
            invitation = self.invited[gid].get(uid)
            self.talking[gid].discard(uid)
            self._forget(gid, uid)
            self.invited[gid] |= {uid: invitation} if invitation else {}

    @rule(uid=members, gid=gids)
    def enter_chat(self, uid: int, gid: int) -> None:
        """Enter the chat of a group, as one of its members."""
        done = self.attempt(chat.enter, uid, gid)
        assert done is (uid in self.members[gid])
        self.talking[gid] |= {uid} if done else set()

    @rule(other=members, gid=gids, act=st.sampled_from(ACTS), actor=st.sampled_from([0, 0, 0, 3]))
    def run_group(self, other: int, gid: int, act: str, actor: int) -> None:
        """Answer a request, remove, ban or let back, as the owner or as somebody else."""
        uid = actor or gid
        if act in ("accept", "refuse"):
            done = self.attempt(store.answer, uid, gid, other, act == "accept")
            assert done is (uid == gid == CLOSED and other in self.requests)
        else:
            done = self.attempt(store.remove, uid, gid, other, act)
            assert done is (uid == gid and other != gid)
        if not done:
            return
        if act == "accept":
            self._forget(gid, other)
            self.members[gid].add(other)
        elif act == "unban":
            self.banned[gid].discard(other)
        else:
            self._forget(gid, other) if act != "refuse" else self.requests.discard(other)
            self.banned[gid] |= {other} if act == "ban" else set()
            self.talking[gid] &= self.members[gid]

    def _forget(self, gid: int, uid: int) -> None:
        self.members[gid].discard(uid)
        self.invited[gid].pop(uid, None)
        if gid == CLOSED:
            self.requests.discard(uid)

    @rule(index=st.integers(0, MEMBERS), into=TARGETS)
    def post_to(self, index: int, into: tuple[int, ...]) -> None:
        """Post to one group or several: mostly as a member of the first."""
        candidates = [*sorted(self.members[into[0]]), 4]
        uid = candidates[index % len(candidates)]
        self.generation += 1
        key = f"form-of-group-{self.generation}"
        may_post = all(uid in self.members[gid] for gid in into)
        try:
            status_id = statuses.post(self.site, uid, parse(f"hm {key}"), key, groups=into)
        except Refused:
            assert not may_post or (len(into) > 1 and CLOSED in into)
            return
        assert may_post and (len(into) == 1 or CLOSED not in into)
        self.posts[status_id] = into, uid
        self.own |= {(status_id, gid): {} for gid in into}

    def _chosen(self, back: int) -> tuple[int, int, int]:
        """Return a post, one of its groups, and its author; zeros without posts."""
        if not self.posts:
            return 0, 0, 0
        status_id = sorted(self.posts)[-1 - back % len(self.posts)]
        targets, author = self.posts[status_id]
        return status_id, targets[back % len(targets)], author

    @rule(back=posts)
    def delete_post(self, back: int) -> None:
        """Delete a post as its author."""
        if self.posts:
            status_id = sorted(self.posts)[-1 - back % len(self.posts)]
            if self.attempt(statuses.delete, self.posts[status_id][1], status_id):
                del self.posts[status_id]

    @rule(uid=members, back=posts, direction=DIRECTIONS)
    def vote(self, uid: int, back: int, direction: str) -> None:
        """Vote on a post, as a member of its group."""
        status_id, gid, author = self._chosen(back)
        if gid and self.attempt(voting.vote, uid, gid, status_id, direction):
            assert uid in self.members[gid] and uid != author
            self.own[status_id, gid][uid] = voting.DIRECTIONS[direction]

    @rule(back=posts, pin=st.booleans(), actor=st.sampled_from([0, 0, 0, 3]))
    def pin(self, back: int, pin: bool, actor: int) -> None:
        """Pin a post or unpin it, as the owner of its group or as somebody else."""
        status_id, gid, _ = self._chosen(back)
        if gid and self.attempt(pin_post, actor or gid, gid, status_id, pin):
            assert actor in (0, gid)
            others = [one for one in self.pinned[gid] if one != status_id]
            if not pin:
                self.pinned[gid] = others
            elif len(others) == len(self.pinned[gid]):
                self.pinned[gid] = [status_id, *others]

    @rule(back=posts, actor=st.sampled_from([0, 0, 0, 3]))
    def drop(self, back: int, actor: int) -> None:
        """Take a post off one of its groups."""
        status_id, gid, _ = self._chosen(back)
        if gid and self.attempt(drop_post, actor or gid, gid, status_id):
            assert actor in (0, gid)
            self.dropped.add((status_id, gid))
            self.own[status_id, gid] = {}
            self.pinned[gid] = [one for one in self.pinned[gid] if one != status_id]

    def on_event_applied(self, group: str, kind: str, data: Mapping[str, str]) -> None:
        """Note a post that was placed: its author is a member at this moment."""
        if (group, kind) != ("log", "posted") or "group" not in data:
            return
        for gid in map(int, [data["group"], *data.get("more_groups", "").split()]):
            if int(data["author"]) in self.members[gid]:
                self.placed.add((int(data["id"]), gid))

    def on_lease_lost(self) -> None:
        """Some posts may have been placed."""
        self.is_exact = False

    @invariant()
    def members_see_posts(self) -> None:
        """Compare who sees each post at this moment."""
        for status_id, (targets, author) in getattr(self, "posts", {}).items():
            for viewer in (None, *range(1, MEMBERS + 1)):
                is_open = CLOSED not in targets
                expected = is_open or viewer == author or viewer in self.members[CLOSED]
                assert self._sees(viewer, status_id) is expected, (status_id, viewer)

    @invariant()
    def members_are_in_chats(self) -> None:
        """Compare who is in the chat of each group at this moment."""
        for gid, talking in getattr(self, "talking", {}).items():
            cid = self.db.run(("HGET", group_keys.group(gid), "chat"))
            stored = self.db.run(("ZRANGE", chat_keys.chat_members(cid), 0, -1))
            assert set(map(int, stored)) == talking

    def _sees(self, viewer: int | None, status_id: int) -> bool:
        try:
            return statuses.get(self.db, status_id, viewer).id == status_id
        except NotFound:
            return False

    def check(self) -> None:
        """Compare timelines, votes and the members' own lists."""
        for gid in self.members:
            placed = set(shown(self.site, gid, gid))
            expected = {one for one, (targets, _) in self.posts.items() if gid in targets}
            there = self.placed - self.dropped
            sure = {one for one in expected if (one, gid) in there}
            assert placed == sure if self.is_exact else sure <= placed <= expected
            assert not self.dropped & {(one, gid) for one in placed}
            self.placed |= {(one, gid) for one in placed}
            pins = self.pinned[gid] = [one for one in self.pinned[gid] if one in placed]
            newest = sorted(placed.difference(pins), reverse=True)
            assert shown(self.site, gid, gid, is_top=False) == [*pins, *newest]
            stored_pins = self.db.run(("ZRANGE", keys.group_pinned(gid), 0, -1, "REV"))
            assert [int(pin.split(":")[0]) for pin in stored_pins] == pins
            assert len(pins) <= PINNED_MAX
            for status_id in placed:
                entry = f"{status_id}:{self.posts[status_id][1]}"
                count = self.db.run(("ZSCORE", keys.group_votes(gid), entry))
                assert int(float(count)) == 1 + sum(self.own[status_id, gid].values())
            stored = self.db.run(("ZRANGE", group_keys.group_members(gid), 0, -1))
            assert set(map(int, stored)) == self.members[gid]
        self.is_exact = True
        listed = self.db.run(("ZRANGE", keys.group_directory(), 0, -1, "WITHSCORES"))
        sizes = {int(gid): int(size) for gid, size in zip(listed[::2], listed[1::2], strict=True)}
        assert sizes == {gid: len(uids) for gid, uids in self.members.items()}
        for uid in range(1, MEMBERS + 1):
            own = self.db.run(("ZRANGE", group_keys.groups(uid), 0, -1))
            assert set(map(int, own)) == {gid for gid in self.members if uid in self.members[gid]}
            invited = {gid: one[uid] for gid, one in self.invited.items() if uid in one}
            assert set(map(int, self._all_of(keys.invited_to(uid)))) == set(invited)
            by = {
                f"{gid}:{who}"
                for gid, one in self.invited.items()
                for who in one
                if one[who] == uid
            }
            assert set(self._all_of(keys.group_invited(uid))) == by
            notices = (one for one in self.db.read(entries_of(uid)) if one.kind.name == "invited")
            assert {int(one.own): one.actor for one in notices} == invited

    def _all_of(self, key: str) -> list[str]:
        return list(self.db.run(("ZRANGE", key, 0, -1)))


@pytest.mark.parametrize("examples", [8, long(100)])
def test_groups_equal_the_model(settings: Config, examples: int) -> None:
    run_machine(GroupsMachine, settings, examples)
