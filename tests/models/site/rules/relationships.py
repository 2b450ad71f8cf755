"""Relationships: follows, follow requests, blocks, mutes and followed hashtags."""

import time

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.models.site.machine import SiteMachineBase, members
from tests.models.site.model.facts import TAGS
from webapp.core.errors import Forbidden, Invalid, NotFound
from webapp.following import keys as following_keys, store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.mutes.store import FOREVER
from webapp.following.requests import store as requests
from webapp.timelines.tags import store as tags


class RelationshipRules(SiteMachineBase):
    """Let members follow, block and mute each other."""

    @rule(uid=members, other=members)
    def follow(self, uid: int, other: int) -> None:
        """Follow a member, or ask a protected one."""
        login = self.model.logins[other]
        if uid == other:
            if uid not in self.model.deleted_members:
                with pytest.raises(Invalid):
                    following.follow(self.site, uid, login)
            return
        if not self.is_active(uid, other):
            with pytest.raises((NotFound, Forbidden)):
                following.follow(self.site, uid, login)
            return
        asks = other in self.model.protected
        is_new = other not in self.model.follows[uid] and not (
            asks and other in self.model.requested[uid]
        )
        if is_new and other in self.blocked_either_way(uid):
            with pytest.raises(Forbidden):
                following.follow(self.site, uid, login)
            return
        following.follow(self.site, uid, login)
        if is_new and asks:
            self.model.begin_request(uid, other)
        elif is_new:
            self.model.begin_follow(uid, other)

    @rule(uid=members, other=members)
    def unfollow(self, uid: int, other: int) -> None:
        if uid in self.model.deleted_members:
            return
        login = self.model.logins[other]
        if other in self.model.deleted_members:
            with pytest.raises(NotFound):
                following.unfollow(self.site, uid, login)
            return
        following.unfollow(self.site, uid, login)
        self.model.end_request(uid, other)
        self.model.end_follow(uid, other)

    @rule(uid=members, index=members, accepts=st.booleans())
    def answer_request(self, uid: int, index: int, accepts: bool) -> None:
        """Answer one of the requests to a member, if there is any, twice."""
        requesters = sorted(self.model.applied_requests[uid] - self.model.deleted_members)
        if uid in self.model.deleted_members or not requesters:
            return
        requester = requesters[index % len(requesters)]
        login = self.model.logins[requester]
        assert requests.answer(self.site, uid, login, accepts)
        assert not requests.answer(self.site, uid, login, accepts)
        self.model.applied_requests[uid].discard(requester)
        self.model.emit(uid, "accepted" if accepts else "refused", uid, requester)

    @rule(uid=members, other=members)
    def remove_follower(self, uid: int, other: int) -> None:
        if {uid, other} & self.model.deleted_members:
            return
        is_follower = other in self.listed(following_keys.followers(uid))
        removed = requests.remove_follower(self.site, uid, self.model.logins[other])
        assert removed == is_follower
        if removed:
            followers = self.model.applied_followers[uid]
            self.model.applied_followers[uid] = [one for one in followers if one != other]
            self.model.emit(uid, "follower_removed", uid, other)

    @rule(uid=members, other=members)
    def block(self, uid: int, other: int) -> None:
        if uid in self.model.deleted_members:
            return
        login = self.model.logins[other]
        is_impossible = uid == other or uid in self.model.suspended
        if is_impossible or other in self.model.deleted_members:
            with pytest.raises((NotFound, Invalid, Forbidden)):
                blocks.block(self.site, uid, login)
            return
        blocks.block(self.site, uid, login)
        if other not in self.model.blocks[uid]:
            self.model.blocks[uid].add(other)
            self.model.ever_blocked.add(frozenset((uid, other)))
            self.model.end_follow(uid, other)
            self.model.end_request(uid, other)
            self.model.emit(uid, "blocked", uid, other)

    @rule(uid=members, other=members)
    def unblock(self, uid: int, other: int) -> None:
        if uid in self.model.deleted_members or uid == other:
            return
        login = self.model.logins[other]
        if other in self.model.deleted_members:
            with pytest.raises((NotFound, Invalid, Forbidden)):
                blocks.unblock(self.site, uid, login)
            return
        blocks.unblock(self.site, uid, login)
        if other in self.model.blocks[uid]:
            self.model.blocks[uid].remove(other)
            self.model.emit(uid, "blocked", uid, other)

    @rule(uid=members, other=members, seconds=st.sampled_from([3_600, FOREVER]))
    def mute(self, uid: int, other: int, seconds: int) -> None:
        login = self.model.logins[other]
        if not self.is_active(uid) or other in self.model.deleted_members or uid == other:
            with pytest.raises((NotFound, Invalid, Forbidden)):
                mutes.mute(self.site, uid, login, seconds)
            return
        mutes.mute(self.site, uid, login, seconds)
        self.model.expired_mutes[uid].clear()
        self.model.mutes[uid].add(other)
        self.model.emit(uid, "muted", uid, other)

    @rule(uid=members, other=members)
    def unmute(self, uid: int, other: int) -> None:
        if {uid, other} & self.model.deleted_members:
            return
        mutes.unmute(self.site, uid, self.model.logins[other])
        if other in self.model.mutes[uid] | self.model.expired_mutes[uid]:
            self.model.mutes[uid].discard(other)
            self.model.expired_mutes[uid].discard(other)
            self.model.emit(uid, "unmuted", uid, other)

    @rule(uid=members, other=members)
    def expire_mute(self, uid: int, other: int) -> None:
        if other in self.model.mutes[uid]:
            expired_at = int(time.time()) - 1 - other
            self.db.run(("ZADD", following_keys.mutes(uid), "XX", expired_at, other))
            self.model.mutes[uid].remove(other)
            self.model.expired_mutes[uid].add(other)

    @rule(uid=members, name=st.sampled_from(TAGS))
    def follow_tag(self, uid: int, name: str) -> None:
        if uid in self.model.deleted_members:
            return
        if uid in self.model.suspended:
            with pytest.raises(Forbidden):
                tags.follow(self.site, uid, name)
            return
        tags.follow(self.site, uid, name)
        if name not in self.model.followed_tags[uid]:
            self.model.followed_tags[uid].append(name)
            self.model.emit(uid, "tags_changed", uid, uid)

    @rule(uid=members, name=st.sampled_from(TAGS))
    def unfollow_tag(self, uid: int, name: str) -> None:
        if uid in self.model.deleted_members:
            return
        tags.unfollow(self.site, uid, name)
        if name in self.model.followed_tags[uid]:
            self.model.followed_tags[uid].remove(name)
            self.model.emit(uid, "tags_changed", uid, uid)
