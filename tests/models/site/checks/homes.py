"""Homes: which statuses and boosts they show while events wait, and afterwards."""

from hypothesis.stateful import invariant

from tests.models.site.machine import SiteMachineBase
from tests.models.site.model.timelines import HOME_MAX
from tests.support.timelines import home_timeline, walk
from webapp.accounts import keys as account_keys
from webapp.core.store import partition_of
from webapp.statuses import Item
from webapp.statuses.items import Boost
from webapp.timelines import store as timelines
from webapp.timelines.tags import store as tags


class HomeChecks(SiteMachineBase):
    """Compare homes with the model."""

    def read_home(self, uid: int) -> tuple[list[int], dict[int, tuple[int, int]]]:
        """Return the statuses on all pages of a home, and the boosts by their ids."""
        items: list[Item] = []

        def read_page(before: int | None) -> timelines.Timeline[Item]:
            page = home_timeline(self.site, uid, before)
            items.extend(page.items)
            return page

        walk(read_page, self.config.page_size)
        boosts = {
            item.id: (item.booster.uid, item.status.id) for item in items if isinstance(item, Boost)
        }
        return [item.id for item in items if not isinstance(item, Boost)], boosts

    @invariant()
    def homes_equal_the_model(self) -> None:
        """A home shows only what its member may see, and all that was delivered to it."""
        for uid in self.model.active_members:
            home = self.model.home(uid)
            if self._is_inactive(uid):
                self.model.delivered[uid] = set(home)  # this visit builds it again
            shown, boosts = self.read_home(uid)
            assert boosts.items() <= self.visible_boosts(uid).items()
            allowed = {*self.model.without_hidden(home, uid), *self.statuses_from_tags(uid)}
            assert set(shown) <= allowed
            assert self.db.read(tags.followed(uid)) == self.model.followed_tags[uid][::-1]
            # Statuses of suspended authors keep their places among the newest.
            suspended = self.model.applied_suspended - {uid}
            hidden = {status for status in home if self.model.statuses[status] in suspended}
            newest = set(self._newest_visible(uid)) - hidden
            assert self.required_in_home(uid) & newest <= set(shown)

    def check_home(self, uid: int) -> None:
        """Check a home when no event is waiting."""
        home = self.model.home(uid)
        # A rebuilt home may show replies from before both authors were followed.
        optional = {status for status in home if status in self.model.reply_to_uid}
        optional -= self.required_in_home(uid)
        self.model.delivered[uid] = set(home) - optional
        shown, boosts = self.read_home(uid)
        self._check_statuses_of_home(
            uid, [status for status in shown if status not in optional], optional
        )
        self._check_boosts_of_home(uid, boosts)

    def _check_statuses_of_home(self, uid: int, shown: list[int], optional: set[int]) -> None:
        """Check that a home begins with the newest statuses and those of followed hashtags."""
        kept = self.model.newest_in_home(uid)
        is_full = len(self.model.home(uid)) + len(self.model.home_boosts(uid)) > HOME_MAX
        oldest = min(kept) if is_full else 0
        newest = set(self._newest_visible(uid))
        newest |= {status for status in self.statuses_from_tags(uid) if status > oldest}
        expected = sorted(newest - optional, reverse=True)
        assert shown[: len(expected)] == expected

    def _check_boosts_of_home(self, uid: int, shown: dict[int, tuple[int, int]]) -> None:
        """Check that a home shows the newest boosts that it may show, and no others.

        A boost of a protected status leaves a home on reading; a rebuild restores it.
        """
        visible = self.visible_boosts(uid)
        required = set()
        for boost_id in self.model.newest_in_home(uid):
            if boost_id in visible and self.shows_boost(uid, boost_id):
                author = self.model.authors[visible[boost_id][1]]
                if author not in self.model.ever_protected:
                    required.add(boost_id)
        assert required <= shown.keys()
        assert shown.items() <= visible.items()

    def _newest_visible(self, uid: int) -> list[int]:
        """Return the statuses among the newest entries of a home, without hidden authors."""
        newest = self.model.newest_in_home(uid)
        return self.model.without_hidden(
            [entry for entry in newest if entry in self.model.statuses], uid
        )

    def _is_inactive(self, uid: int) -> bool:
        active = account_keys.active_members(partition_of(uid))
        return self.db.run(("ZSCORE", active, uid)) is None
