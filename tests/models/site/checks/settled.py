"""The state when no event is waiting: the store shows what is true, and nothing else."""

from hypothesis.stateful import rule

from tests.models.site.checks.homes import HomeChecks
from tests.models.site.checks.timelines import TimelineChecks
from tests.models.site.model.facts import TAGS
from tests.models.site.rules.workers import WorkerRules
from tests.support.notified import notified
from webapp.accounts import keys as account_keys
from webapp.following import keys as following_keys
from webapp.notifications import keys as notification_keys
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.edits import keys as edit_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.polls import keys as poll_keys
from webapp.timelines import keys as timeline_keys

MEMBER_KEYS = (
    status_keys.profile_statuses,
    status_keys.profile_replies,
    following_keys.followers,
    following_keys.following,
    following_keys.mutes,
    following_keys.blocks,
    following_keys.blockers,
    following_keys.sent_follow_requests,
    following_keys.follow_requests,
    account_keys.home,
    timeline_keys.followed_tags,
    timeline_keys.tag_index,
    poll_keys.member_votes,
    interaction_keys.member_likes,
    interaction_keys.member_boosts,
    interaction_keys.bookmarks,
    edit_keys.pinned_statuses,
    notification_keys.notifications,
    notification_keys.unread_notifications,
    notification_keys.notified_members,
)


class SettledChecks(HomeChecks, TimelineChecks, WorkerRules):
    """Apply all events, and compare with the model."""

    @rule()
    def apply_events(self) -> None:
        """Apply all events and compare everything that they bring up to date."""
        self.apply_all_events()
        for uid in self.model.active_members:
            self.check_home(uid)
            self._check_restricted_index(uid)
        for uid in self.model.logins:
            self._check_relationships(uid)
        for uid in self.model.logins.keys() - self.model.deleted_members:
            self._check_notifications(uid)
        for uid in self.model.deleted_members:
            self._check_erased(uid)
        for status in self.model.statuses:
            self._check_status(status)
        self._check_shared_timelines()

    def _check_relationships(self, uid: int) -> None:
        """Check that both sides of each relationship agree."""
        followers = set(self.model.applied_followers[uid])
        assert followers == self.model.followers(uid)
        assert not self.model.deleted_members & set(self.model.follows[uid])
        sent = self.listed(following_keys.sent_follow_requests(uid))
        assert sent == set(self.model.requested[uid])
        received = self.listed(following_keys.follow_requests(uid))
        assert received == self.model.requesters(uid) == self.model.applied_requests[uid]
        assert not received or (uid in self.model.protected and self.is_active(uid))
        assert self.listed(following_keys.blocks(uid)) == self.model.blocks.get(uid, set())
        assert self.listed(following_keys.blockers(uid)) == self.model.blockers(uid)

    def _check_status(self, status: int) -> None:
        """Check what was applied to a status, and the tally of its poll."""
        assert self.model.applied_likers[status] == self.model.likers(status)
        assert self.model.applied_boosters[status] == self.model.boosters(status)
        assert self.model.applied_replies[status] == self.model.counted_replies(status)
        assert self.model.applied_quotes[status] == self.model.unrestricted_quotes(status)
        votes = self.model.votes[status]
        choices = list(votes.values())
        tally, flat = self.db.trip(
            ("HGET", status_keys.status(status), "tally"), ("HGETALL", poll_keys.votes(status))
        )
        assert (tally or "0 0 0") == f"{choices.count(1)} {choices.count(2)} {len(votes)}"
        stored = dict(zip(map(int, flat[::2]), map(int, flat[1::2]), strict=True))
        assert stored == {
            uid: bits for uid, bits in votes.items() if uid not in self.model.deleted_members
        }

    def _check_erased(self, uid: int) -> None:
        """Check that nothing is stored of a deleted account."""
        keys = [key(uid) for key in MEMBER_KEYS]
        keys += [status_keys.restricted_statuses(uid, audience) for audience in self._audiences()]
        assert not any(self.db.trip(*(("EXISTS", key) for key in keys)))

    def _check_shared_timelines(self) -> None:
        for name in TAGS:
            current = self.model.without_hidden(self.model.tagged_with(name))
            applied = self.model.applied_tags[name] & self.model.statuses.keys()
            assert applied == set(current)
            assert self.read_tag(name) == sorted(current, reverse=True)
        posts = self.model.statuses.keys() - self.model.reply_to_uid.keys()
        public = self.model.without_hidden(self.model.only_public(posts))
        assert self.model.applied_public & self.model.statuses.keys() == set(public)

    def _check_notifications(self, uid: int) -> None:
        """Check a member's notifications.

        A block removes those of either side for good. Restricted statuses of a protected member
        notify followers only.
        """
        expected = self.model.notifications(uid)
        shown = set(notified(self.db, uid))
        pairs = [pair for pair in self.model.ever_blocked if uid in pair]
        blocked = {other for pair in pairs for other in pair}
        required = {
            (kind, actor, status)
            for kind, actor, status in expected
            if actor not in blocked
            and (kind in ("like", "follow", "request") or actor not in self.model.ever_protected)
        }
        assert required <= shown <= expected
        assert not {actor for _, actor, _ in shown} & self.blocked_either_way(uid)

    def _check_restricted_index(self, uid: int) -> None:
        """Check that a member's restricted statuses are indexed for each audience."""
        written = self.model.written_by(uid)
        restricted = written - self.model.posted_unrestricted(written)
        for audience in self._audiences():
            key = status_keys.restricted_statuses(uid, audience)
            scores = self.db.run(("ZRANGE", key, 0, -1, "WITHSCORES"))[1::2]
            assert set(map(int, scores)) == {
                status for status in restricted if self._is_indexed_for(status, audience)
            }

    def _audiences(self) -> list[int | str]:
        """Return the audiences of restricted statuses: followers, or one member."""
        return [status_keys.FOLLOWERS_AUDIENCE, *self.model.logins]

    def _is_indexed_for(self, status: int, audience: int | str) -> bool:
        if audience == status_keys.FOLLOWERS_AUDIENCE:
            return self.model.visibilities[status] is Visibility.FOLLOWERS
        return audience == self.model.authors[status] or audience in self.model.addressed(status)
