"""Invariants of notifications, preferences and votes."""

from hypothesis.stateful import invariant

from tests.models.notifications.machine import KINDS, POLL, NotificationsMachineBase
from tests.support.notified import notified
from webapp.core.store import partition_of
from webapp.notifications import store as notifications
from webapp.notifications.kinds import EVERYONE, kinds_in_tab
from webapp.statuses import keys as status_keys
from webapp.statuses.polls import keys as poll_keys


class NotificationChecks(NotificationsMachineBase):
    """Compare notifications, preferences and votes with the model."""

    @invariant()
    def notifications_equal_the_model(self) -> None:
        for uid in self.logins.keys() - self.deleted_members:
            assert set(notified(self.db, uid)) == self.expected_for(uid)
            stored = self.db.read(notifications.preferences(uid))
            expected = dict.fromkeys(KINDS, EVERYONE) | self.preferences.get(uid, {})
            assert {kind: stored[kind] for kind in KINDS} == expected

    @invariant()
    def deleted_members_are_notified_of_nothing_new(self) -> None:
        for uid, entries in self.left_over.items():
            assert set(notified(self.db, uid)) <= entries

    @invariant()
    def votes_count_once(self) -> None:
        polls = set(filter(self.has_poll, self.statuses))
        for status_id in polls:
            assert self.stored_votes(status_id) == self.counted.get(status_id, {})
        scheduled = self._polls_to_close()
        running = polls - self.announced
        assert scheduled & self.statuses.keys() == running
        assert self.deleted_members or scheduled == running, (
            "the polls of a deleted account may still exist"
        )

    def _polls_to_close(self) -> set[int]:
        """Return the polls that workers will close."""
        return {
            status_id
            for uid in self.logins
            for status_id in self.listed(poll_keys.poll_deadlines(partition_of(uid)))
        }

    def check(self) -> None:
        """Check the counts of polls, and the pages, when no event is waiting."""
        for status_id in filter(self.has_poll, self.statuses):
            votes = self.votes.get(status_id, {})
            tally = self.db.run(("HGET", status_keys.status(status_id), "tally")) or "0 0 0"
            chosen = list(votes.values())
            counts = [chosen.count(option) for option in range(len(POLL.options))]
            assert tally == " ".join(map(str, (*counts, len(votes))))
        for uid in self.visible_members:
            page = notifications.page(self.db, uid, kinds_in_tab("all"), None, 100, False)
            subjects = {group.status.id for group in page.items if group.status}
            assert subjects <= self.statuses.keys()
            actors = {member.uid for group in page.items for member in group.members}
            assert not actors & self.silenced(uid)
