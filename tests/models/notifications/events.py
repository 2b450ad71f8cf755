"""Events, and how they change the model of polls and notifications."""

from collections.abc import Mapping

from tests.models.notifications.machine import NotificationsMachineBase
from tests.support.notified import notified
from webapp.core.events.outbox import BULK
from webapp.following import keys as following_keys
from webapp.statuses import Visibility
from webapp.statuses.polls import keys as poll_keys

INTERACTION_EVENTS = {"liked": "like", "unliked": "like", "boosted": "boost", "unboosted": "boost"}
STATUS_EVENTS = ("posted", "edited", "deleted")
FOLLOW_EVENTS = ("followed", "unfollowed")
REQUEST_EVENTS = ("requested", "unrequested")


class NotificationEvents(NotificationsMachineBase):
    """Update the model after events."""

    def on_account_deleted(self, uid: int) -> None:
        self.expected.pop(uid, None)
        self.left_over[uid] = set(notified(self.db, uid))

    def on_event_applied(self, group: str, kind: str, data: Mapping[str, str]) -> None:
        if group == BULK:
            self._on_bulk_event(kind, data)
        elif group != "log":
            return
        elif kind in INTERACTION_EVENTS:
            self._on_interaction(INTERACTION_EVENTS[kind], data)
        elif kind in FOLLOW_EVENTS or kind in REQUEST_EVENTS:
            self._on_follow_event(kind, data)
        elif kind in STATUS_EVENTS:
            self._on_status_event(kind, data)
        elif kind == "voted":
            self._on_vote(data)
        elif kind == "blocked":
            self._on_block(data)

    def on_lease_lost(self) -> None:
        """Accept what partly applied events have added or removed, if it was theirs to change."""
        for uid in self.logins.keys() - self.deleted_members:
            stored = set(notified(self.db, uid))
            expected = self.expected_for(uid)
            unfounded = {entry for entry in stored - expected if not self.still_holds(entry, uid)}
            assert unfounded == set()
            removed = {entry for entry in expected - stored if self.still_holds(entry, uid)}
            actors = {actor for _, actor, _ in removed}
            assert actors <= self.blocked_with(uid) | self.deleted_members
            self.expected[uid] = stored
        for status_id in self.statuses:
            self.counted[status_id] = self.stored_votes(status_id)

    def _on_bulk_event(self, kind: str, data: Mapping[str, str]) -> None:
        if kind == "poll_ended":
            status_id, author = int(data["id"]), int(data["author"])
            for uid in {author, *self.counted.get(status_id, {})}:
                self.update("poll", author, uid, status_id)
        elif kind == "account_deleted":
            deleted = int(data["uid"])
            self.left_over[deleted] = set()
            for uid in self.expected:
                self.remove_notifications(uid, actor=deleted)
            for votes in self.counted.values():
                votes.pop(deleted, None)

    def _on_vote(self, data: Mapping[str, str]) -> None:
        """Count a vote. A deleted member's vote counts until the deletion is applied."""
        uid, status_id = int(data["uid"]), int(data["id"])
        if status_id in self.votes:
            own_votes = poll_keys.member_votes(uid)
            if self.db.run(("HEXISTS", own_votes, status_id)):
                self.counted.setdefault(status_id, {})[uid] = self.votes[status_id][uid]
        if status_id in self.announced:  # the event of the end may have missed this vote
            self.update("poll", int(data["author"]), uid, status_id)

    def _on_block(self, data: Mapping[str, str]) -> None:
        uid, target = int(data["uid"]), int(data["target"])
        if target in self.related(following_keys.blocks(uid)):
            self.remove_notifications(uid, actor=target)
            self.remove_notifications(target, actor=uid)

    def _on_interaction(self, kind: str, data: Mapping[str, str]) -> None:
        status_id = int(data["status"] if kind == "boost" else data["id"])
        if status_id in self.statuses:
            author = self.statuses[status_id].author
            self.update(kind, int(data["uid"]), author, status_id)

    def _on_follow_event(self, kind: str, data: Mapping[str, str]) -> None:
        """Update the notifications of a follow, and of the request before it."""
        uid, target = int(data["uid"]), int(data["target"])
        if kind in FOLLOW_EVENTS:
            self.update("follow", uid, target, 0)
        if kind in REQUEST_EVENTS or (kind == "followed" and "requested" in data):
            self.update("request", uid, target, 0)

    def _on_status_event(self, kind: str, data: Mapping[str, str]) -> None:
        status_id, author = int(data["id"]), int(data["author"])
        if kind == "deleted":
            of_status = {entry for entry in self.expected_for(author) if entry[2] == status_id}
            self.expected_for(author).difference_update(of_status)
        for notification_kind, uids in self._recipients(data).items():
            for uid in uids:
                self.update(notification_kind, author, uid, status_id)

    def _recipients(self, data: Mapping[str, str]) -> dict[str, set[int]]:
        """Return the members whom a status notifies, by the kind of notification.

        Nobody gets two notifications. Restricted statuses notify nobody of a quote.
        """
        reply_to = int(data.get("reply_to_uid") or 0)
        quoted = int(data.get("quoted_uid") or 0)
        if Visibility(data.get("visibility", "")).restricted or quoted == reply_to:
            quoted = 0
        logins = data.get("mentions", "").split()
        mentioned = {uid for uid, login in self.logins.items() if login in logins}
        return {
            "reply": {reply_to} - {0},
            "quote": {quoted} - {0},
            "mention": mentioned - {reply_to, quoted},
        }
