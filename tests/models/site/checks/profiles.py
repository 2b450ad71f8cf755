"""Profiles: their statuses, boosts, pinned statuses, follow lists and counts."""

from functools import cache, partial
from typing import NamedTuple

import pytest
from hypothesis.stateful import invariant

from tests.models.site.machine import SiteMachineBase
from tests.support import paging
from tests.support.timelines import walk
from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import collect
from webapp.following.follow_lists import load_follow_page
from webapp.following.profiles import Profile
from webapp.timelines.profile import ProfileQuery, profile_page

VISITOR = 0


class Viewer(NamedTuple):
    """Who views a profile, and the members on either side of a block with them."""

    uid: int
    member: Member | None
    blocked: set[int]


class ProfileChecks(SiteMachineBase):
    """Compare profiles with the model, for visitors, their members and another member."""

    @invariant()
    def profiles_lists_and_counts_equal_the_model(self) -> None:
        viewers = self._viewers()
        for uid, login in self.model.logins.items():
            if not self.is_active(uid):
                with pytest.raises(Forbidden if uid in self.model.suspended else NotFound):
                    profile_page(self.site, ProfileQuery(login))
                continue
            profile = self._check_pages(uid, viewers[VISITOR])
            others = [other for other in self.model.active_members if other != uid]
            for viewer in (uid, *others[:1]):
                self._check_pages(uid, viewers[viewer])
            found = profile.statuses
            assert found == len(self.model.posted_unrestricted(self.model.written_by(uid)))
            self._check_follow_lists(uid, profile)

    def _viewers(self) -> dict[int, Viewer]:
        """Return everybody who views profiles, by uid."""
        uids = self.model.active_members
        members = self.db.read(collect(map(accounts.get_or_404, uids)))
        viewers = [Viewer(VISITOR, None, self.blocked_either_way(VISITOR))]
        for uid, member in zip(uids, members, strict=True):
            viewers.append(Viewer(uid, member, self.blocked_either_way(uid)))
        return {viewer.uid: viewer for viewer in viewers}

    def _check_pages(self, uid: int, viewer: Viewer) -> Profile:
        """Check both tabs of a profile as a viewer sees them, and its pinned statuses.

        Return the profile of its first page.
        """
        hides = uid in viewer.blocked
        login = self.model.logins[uid]
        query = partial(ProfileQuery, login, viewer.member)
        read = cache(lambda *args: profile_page(self.site, query(*args)))
        first_page = read(None, False)
        pinned = [
            status
            for status in self.model.pinned[uid]
            if not hides and self.model.may_see(viewer.uid, status)
        ]
        assert [status.id for status in first_page.timeline.pinned] == pinned[::-1]
        assert all(status.pinned for status in first_page.timeline.pinned)
        unpinned_posts = self.model.posts_of(uid) - set(pinned)
        boosted = self._visible_boosted(uid, viewer)
        for with_replies, written in ((False, unpinned_posts), (True, self.model.written_by(uid))):
            visible = set() if hides else self._visible(uid, viewer.uid, written)
            entries = walk(
                lambda before, with_replies=with_replies: read(before, with_replies).timeline, 2
            )
            boost_ids = set(self.model.boost_ids.values())
            statuses = [entry for entry in entries if entry not in boost_ids]
            assert statuses == sorted(visible, reverse=True)
            self._check_boosts_of_profile(
                uid, boosted, set(entries) & boost_ids, visible | set(pinned)
            )
        return first_page.profile

    def _visible(self, uid: int, viewer: int, written: set[int]) -> set[int]:
        """Return what a viewer sees. A block hides restricted statuses before it is applied."""
        visible = {status for status in written if self.model.may_see(viewer, status)}
        if viewer in self.model.blocks.get(uid, ()):
            visible &= self.model.only_unrestricted(visible)
        return visible

    def _check_boosts_of_profile(
        self, uid: int, boosted: list[int], shown: set[int], statuses: set[int]
    ) -> None:
        """Check that a profile shows all visible boosts, unless the status appears below them."""
        visible = {self.model.boost_ids[uid, status] for status in boosted}
        repeated = {
            self.model.boost_ids[uid, status]
            for status in statuses
            if status in self.model.boosted[uid]
        }
        assert visible - repeated <= shown <= visible

    def _visible_boosted(self, uid: int, viewer: Viewer) -> list[int]:
        """Return the statuses that a member boosted and a viewer may see."""
        may_see_profile = (
            uid not in self.model.protected
            or uid == viewer.uid
            or uid in self.model.follows.get(viewer.uid, ())
        )
        if uid in viewer.blocked or not may_see_profile:
            return []
        muted = self.model.mutes.get(viewer.uid, set())
        hidden = viewer.blocked | muted | self.model.suspended
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
        found = self._follow_list("following", uid)
        assert found == [other for other in follows[::-1] if other not in deleted]
        assert len(follows) - len(deleted) <= profile.following <= len(follows)
        followers = set(self._follow_list("followers", uid))
        applied = set(self.model.applied_followers[uid]) - hidden
        current = self.model.followers(uid) - hidden
        assert applied & current <= followers <= applied | current
        assert len(followers) <= profile.followers <= len(followers) + len(hidden)

    def _follow_list(self, kind: str, uid: int) -> list[int]:
        """Return a member's follows or followers, page by page, as that member sees them."""
        read = lambda before: load_follow_page(self.db, kind, uid, before, 2, uid).page
        return [member.uid for member in paging.items(read)]
