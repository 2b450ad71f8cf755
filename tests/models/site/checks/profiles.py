"""Profiles: their statuses, boosts, pinned statuses, follow lists and counts."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis.stateful import invariant

from tests.models.site.machine import SiteMachineBase
from tests.timelines.test_store import walk
from webapp.accounts import store as accounts
from webapp.errors import Forbidden, NotFound
from webapp.following.follow_lists import load_follow_page
from webapp.following.profiles import Profile
from webapp.timelines.profile import profile_page

VISITOR = 0


class ProfileChecks(SiteMachineBase):
    """Compare profiles with the model, for visitors, their members and another member."""

    @invariant()
    def profiles_lists_and_counts_equal_the_model(self) -> None:
        for uid, login in self.model.logins.items():
            if not self.is_active(uid):
                with pytest.raises(Forbidden if uid in self.model.suspended else NotFound):
                    profile_page(self.db, self.config, login, None)
                continue
            profile = profile_page(self.db, self.config, login, None).profile
            others = [other for other in self.model.active_members if other != uid]
            for viewer in (VISITOR, uid, others[0] if others else VISITOR):
                self._check_pages(uid, viewer)
            assert profile.statuses == len(
                self.model.posted_unrestricted(self.model.written_by(uid))
            )
            self._check_follow_lists(uid, profile)

    def _check_pages(self, uid: int, viewer: int) -> None:
        """Check both tabs of a profile as a viewer sees them, and its pinned statuses."""
        member = self.db.read(accounts.get_or_404(viewer)) if viewer else None
        hides = uid in self.blocked_either_way(viewer)
        read = partial(profile_page, self.db, self.config, self.model.logins[uid], member)
        first_page = read(None).timeline
        pinned = [
            status
            for status in self.model.pinned[uid]
            if not hides and self.model.may_see(viewer, status)
        ]
        assert [status.id for status in first_page.pinned] == pinned[::-1]
        assert all(status.pinned for status in first_page.pinned)
        unpinned_posts = self.model.posts_of(uid) - set(pinned)
        for with_replies, written in (
            (False, unpinned_posts),
            (True, self.model.written_by(uid)),
        ):
            visible = set() if hides else self._visible(uid, viewer, written)
            read_tab = partial(read, with_replies=with_replies)
            entries = walk(lambda before, read_tab=read_tab: read_tab(before).timeline, 2)
            boost_ids = set(self.model.boost_ids.values())
            statuses = [entry for entry in entries if entry not in boost_ids]
            assert statuses == sorted(visible, reverse=True)
            self._check_boosts_of_profile(
                uid, viewer, set(entries) & boost_ids, visible | set(pinned)
            )

    def _visible(self, uid: int, viewer: int, written: set[int]) -> set[int]:
        """Return what a viewer sees. A block hides restricted statuses before it is applied."""
        visible = {status for status in written if self.model.may_see(viewer, status)}
        if viewer in self.model.blocks.get(uid, ()):
            visible &= self.model.only_unrestricted(visible)
        return visible

    def _check_boosts_of_profile(
        self, uid: int, viewer: int, shown: set[int], statuses: set[int]
    ) -> None:
        """Check that a profile shows all visible boosts, unless the status appears below them."""
        visible = {
            self.model.boost_ids[uid, status] for status in self._visible_boosted(uid, viewer)
        }
        repeated = {
            self.model.boost_ids[uid, status]
            for status in statuses
            if status in self.model.boosted[uid]
        }
        assert visible - repeated <= shown <= visible

    def _visible_boosted(self, uid: int, viewer: int) -> list[int]:
        """Return the statuses that a member boosted and a viewer may see."""
        blocked = self.blocked_either_way(viewer)
        may_see_profile = (
            uid not in self.model.protected
            or uid == viewer
            or uid in self.model.follows.get(viewer, ())
        )
        if uid in blocked or not may_see_profile:
            return []
        hidden = blocked | self.model.mutes.get(viewer, set()) | self.model.suspended
        unrestricted = self.model.only_unrestricted(self.model.statuses)
        return [
            status
            for status in self.model.boosted[uid]
            if status in unrestricted and self.model.statuses[status] not in hidden - {uid}
        ]

    def _check_follow_lists(self, uid: int, profile: Profile) -> None:
        """Check lists and counts.

        Deleted accounts count until their deletion is applied, but are not shown. Suspended
        accounts are shown only to members who follow them. Applying an event twice brings the list
        up to date, so the applied and the current state are both correct.
        """
        deleted = self.model.deleted_members
        hidden = deleted | self.model.suspended
        follows = self.model.follows[uid]
        assert self._follow_list("following", uid) == [
            other for other in follows[::-1] if other not in deleted
        ]
        assert len(follows) - len(deleted) <= profile.following <= len(follows)
        followers = set(self._follow_list("followers", uid))
        applied = set(self.model.applied_followers[uid]) - hidden
        current = self.model.followers(uid) - hidden
        assert applied & current <= followers <= applied | current
        assert len(followers) <= profile.followers <= len(followers) + len(hidden)

    def _follow_list(self, kind: str, uid: int) -> list[int]:
        """Return a member's follows or followers, page by page, as that member sees them."""
        uids: list[int] = []
        before = None
        while True:
            page = load_follow_page(self.db, kind, uid, before, 2, uid).page
            uids += [member.uid for member in page.items]
            before = page.next
            if before is None:
                return uids
