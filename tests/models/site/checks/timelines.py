"""The public timeline, hashtags, what each member may open, mutes and notifications."""

from hypothesis.stateful import invariant

from tests.models.site.machine import SiteMachineBase
from tests.models.site.model.facts import TAGS
from tests.support.timelines import walk
from webapp.following.mutes import store as mutes
from webapp.notifications import store as notifications
from webapp.notifications.kinds import kinds_in_tab
from webapp.statuses import by_ids
from webapp.timelines import store as timelines


class TimelineChecks(SiteMachineBase):
    """Compare shared timelines and notifications with the model."""

    def read_public(self, viewer: int | None = None) -> list[int]:
        """Return the public timeline, page by page."""
        return walk(lambda before: timelines.public(self.site, before, viewer), 2)

    def read_tag(self, name: str) -> list[int]:
        """Return the page of a hashtag, page by page."""
        return walk(lambda before: timelines.tagged(self.site, name, before), 2)

    @invariant()
    def the_public_timeline_equals_the_model(self) -> None:
        existing = self.model.applied_public & self.model.statuses.keys()
        public = self.model.without_hidden(self.model.only_public(existing))
        assert self.read_public() == sorted(public, reverse=True)

    @invariant()
    def hashtags_equal_the_model(self) -> None:
        """Applying an event twice brings the index up to date, so both states are correct."""
        for name in TAGS:
            current = set(self.model.without_hidden(self.model.tagged_with(name)))
            shown = set(self.read_tag(name))
            assert self.model.applied_tags[name] & current <= shown <= current

    @invariant()
    def statuses_that_members_may_open_equal_the_model(self) -> None:
        for uid in self.model.active_members:
            authors = self.visible_members(uid)
            expected = [
                status
                for status, author in self.model.statuses.items()
                if author in authors and self.model.may_see(uid, status)
            ]
            expected.sort(reverse=True)
            found, _ = by_ids.fetch(self.db, dict.fromkeys(self.model.statuses, 0), uid)
            assert [status.id for status in found] == expected
            public = self.model.only_public(self.model.applied_public & set(expected))
            unmuted = self.model.without_hidden(public, uid)
            assert self.read_public(uid) == sorted(unmuted, reverse=True)

    @invariant()
    def mutes_equal_the_model(self) -> None:
        """Reading the list of mutes removes deleted accounts from it."""
        for uid in self.model.active_members:
            self.model.mutes[uid] -= self.model.deleted_members
            muted = {entry.member.uid for entry in mutes.page(self.db, uid).items}
            assert muted == self.model.mutes[uid]

    @invariant()
    def notifications_show_existing_statuses_and_visible_members(self) -> None:
        for uid in self.model.active_members:
            page = notifications.page(self.db, uid, kinds_in_tab("all"), None, 30, False)
            assert page.unread_count == self.db.read(notifications.unread_count(uid))
            of_others = [group for group in page.items if not group.kind.about_own]
            actors = {member.uid for group in of_others for member in group.members}
            assert actors <= self.visible_members(uid) - {uid}
            statuses = {group.status.id for group in page.items if group.status}
            assert statuses <= self.model.statuses.keys()
