"""Interactions with statuses: likes, boosts, votes and bookmarks."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.models.site.machine import SiteMachineBase, exists, members, posts
from webapp.core.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.reports import store as reports
from webapp.statuses.interactions import bookmarks, boosts, keys as interaction_keys, likes
from webapp.statuses.polls import voting

LIKES_MAX = 3  # of one member


class InteractionRules(SiteMachineBase):
    """Let members like, boost, bookmark and vote."""

    @rule(uid=members, status_id=posts)
    def like(self, uid: int, status_id: int) -> None:
        """Like a status. A member's oldest like goes when there are too many."""
        if not exists(status_id):
            return
        is_new = status_id not in self.model.liked[uid]
        if self.is_refused(uid, status_id, is_new):
            with pytest.raises((NotFound, Forbidden)):
                likes.like(self.site, uid, status_id)
            return
        likes.like(self.site, uid, status_id)
        if is_new:
            self.model.liked[uid].append(status_id)
            self.model.emit(uid, "liked", uid, status_id)
        if len(self.model.liked[uid]) > self.config.likes_max:
            self.model.emit(uid, "liked", uid, self.model.liked[uid].pop(0))

    @rule(uid=members, status_id=posts)
    def report(self, uid: int, status_id: int) -> None:
        """Report a status: once, and none that the member may not see."""
        if not exists(status_id) or not self.is_active(uid):
            return
        author = self.model.statuses.get(status_id, 0)
        is_blocked = uid in self.model.blocks.get(author, ())
        if is_blocked and author not in self.model.applied_blockers[uid]:
            return  # the member may still see the status, or not any more
        if self.is_refused(uid, status_id, is_new=True):
            with pytest.raises((NotFound, Forbidden)):
                reports.report_status(self.site, uid, status_id, "hm")
        elif self.model.statuses[status_id] == uid:
            with pytest.raises(Invalid):
                reports.report_status(self.site, uid, status_id, "hm")
        else:
            is_new = reports.report_status(self.site, uid, status_id, "hm")
            assert is_new is ((uid, status_id) not in self.reported)
            self.reported.add((uid, status_id))

    @rule(uid=members, status_id=posts)
    def unlike(self, uid: int, status_id: int) -> None:
        if uid in self.model.deleted_members or not exists(status_id):
            return
        likes.unlike(self.site, uid, status_id)
        if status_id in self.model.liked[uid]:
            self.model.liked[uid].remove(status_id)
            self.model.emit(uid, "liked", uid, status_id)

    @rule(uid=members, status_id=posts)
    def boost(self, uid: int, status_id: int) -> None:
        """Boost a status. A member's oldest boost goes when there are too many."""
        if not exists(status_id):
            return
        boosted = self.model.boosted[uid]
        is_new = status_id not in boosted
        is_restricted = self.model.effective_visibility(status_id).restricted
        if is_restricted or self.is_refused(uid, status_id, is_new):
            with pytest.raises((NotFound, Forbidden)):
                boosts.boost(self.site, uid, status_id)
            return
        boosts.boost(self.site, uid, status_id)
        stored = interaction_keys.member_boosts(uid)
        if is_new:
            boosted.append(status_id)
            entry = f"{status_id}:{self.model.statuses[status_id]}"
            self.model.boost_ids[uid, status_id] = int(self.db.run(("ZSCORE", stored, entry)))
            self.model.emit(uid, "boosted", uid, status_id)
        if self.db.run(("ZCARD", stored)) < len(boosted):
            self.model.emit(uid, "boosted", uid, boosted.pop(0))

    @rule(uid=members, status_id=posts)
    def unboost(self, uid: int, status_id: int) -> None:
        if uid in self.model.deleted_members or not exists(status_id):
            return
        boosts.unboost(self.site, uid, status_id)
        if status_id in self.model.boosted[uid] and status_id in self.model.statuses:
            self.model.boosted[uid].remove(status_id)
            self.model.emit(uid, "boosted", uid, status_id)

    @rule(uid=members, status_id=posts, option=st.integers(0, 2))
    def vote(self, uid: int, status_id: int, option: int) -> None:
        """Vote in the poll of a post. A vote is final; replies and quotes have no poll."""
        previous = self.model.votes[status_id].get(uid)
        has_poll = status_id not in self.model.parents and status_id not in self.model.quoted_ids
        is_valid = has_poll and option < 2 and previous in (None, 1 << option)
        is_own = self.model.statuses.get(status_id) == uid
        if not is_valid or is_own or self.is_refused(uid, status_id, previous is None):
            with pytest.raises((NotFound, Forbidden, Invalid, Conflict)):
                voting.vote(self.site, uid, status_id, {option})
            return
        voting.vote(self.site, uid, status_id, {option})
        if previous is None:
            self.model.votes[status_id][uid] = 1 << option
            self.model.emit(uid, "voted", uid, status_id)

    @rule(uid=members, status_id=posts)
    def bookmark(self, uid: int, status_id: int) -> None:
        if not exists(status_id) or uid in self.model.deleted_members:
            return
        author = self.model.statuses.get(status_id)
        is_visible = author in self.visible_members(uid) and self.model.may_see(uid, status_id)
        if not self.is_active(uid) or not is_visible:
            with pytest.raises((NotFound, Forbidden)):
                bookmarks.bookmark(self.site, uid, status_id)
            return
        bookmarks.bookmark(self.site, uid, status_id)
        if status_id not in self.model.bookmarks[uid]:
            self.model.bookmarks[uid].append(status_id)

    @rule(uid=members, status_id=posts)
    def unbookmark(self, uid: int, status_id: int) -> None:
        if not exists(status_id) or uid in self.model.deleted_members:
            return
        bookmarks.unbookmark(self.site, uid, status_id)
        if status_id in self.model.bookmarks[uid]:
            self.model.bookmarks[uid].remove(status_id)
