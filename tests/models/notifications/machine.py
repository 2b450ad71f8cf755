"""The state of the notifications machine, and what its rules share."""

from hypothesis import strategies as st

from tests.support.notified import Entry
from tests.support.state_machines.machine import MemberMachine
from webapp.following import keys as following_keys
from webapp.notifications.kinds import EVERYONE, FOLLOWED, NOBODY
from webapp.statuses import Poll
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.polls import keys as poll_keys

POLL = Poll(("reeds", "marsh"), 60)
INVALID_OPTION = len(POLL.options)
OPTION_OF_BITS = {1 << option: option for option in range(len(POLL.options))}
KINDS = ("mention", "reply", "quote", "like", "boost", "request", "follow", "poll")
preferences = st.sampled_from([EVERYONE, FOLLOWED, NOBODY])
kinds_of_notifications = st.sets(st.sampled_from(KINDS), min_size=1)


class NotificationsMachineBase(MemberMachine):
    """A store and its model.

    `votes` has the option that each member chose, by status; `counted` the same, as applied.
    `announced` are the polls whose end the worker has published. `left_over` are the notifications
    that deleted members had, until the deletion is applied.
    """

    def __init__(self) -> None:
        super().__init__()
        self.expected: dict[int, set[Entry]] = {}
        self.left_over: dict[int, set[Entry]] = {}
        self.preferences: dict[int, dict[str, str]] = {}
        self.votes: dict[int, dict[int, int]] = {}
        self.counted: dict[int, dict[int, int]] = {}
        self.ended_polls: set[int] = set()
        self.announced: set[int] = set()

    # Polls

    def has_poll(self, status_id: int) -> bool:
        """Return True for a status that exists and has a poll."""
        return status_id in self.statuses and self.statuses[status_id].has_poll

    def stored_votes(self, status_id: int) -> dict[int, int]:
        """Return the option that each member chose, as stored: one bit, and no other."""
        flat = self.db.run(("HGETALL", poll_keys.votes(status_id)))
        pairs = zip(flat[::2], flat[1::2], strict=True)
        return {int(uid): OPTION_OF_BITS[int(bits)] for uid, bits in pairs}

    # Expected notifications

    def expected_for(self, uid: int) -> set[Entry]:
        """Return the notifications that a member must have."""
        return self.expected.get(uid, set())

    def update(self, kind: str, actor: int, uid: int, subject: int) -> None:
        """Add or remove a member's notification of what another did, by what holds now."""
        if actor == uid and kind != "poll":
            return
        entry = (kind, actor, subject)
        if not self.still_holds(entry, uid):
            self.expected_for(uid).discard(entry)
        elif uid not in self.deleted_members and self._wants(kind, actor, uid):
            self.expected.setdefault(uid, set()).add(entry)

    def remove_notifications(self, uid: int, actor: int) -> None:
        """Remove a member's notifications of what another did."""
        if uid not in self.deleted_members:
            self.expected[uid] = {entry for entry in self.expected_for(uid) if entry[1] != actor}

    def still_holds(self, entry: Entry, uid: int) -> bool:
        """Return True if what a member is notified of is still so, and they may see it."""
        kind, actor, subject = entry
        if actor in self.deleted_members:
            return False
        if kind == "follow":
            return uid in self.related(following_keys.following(actor))
        if kind == "request":
            return uid in self.related(following_keys.sent_follow_requests(actor))
        if subject not in self.statuses:
            return False
        if kind == "like":
            return subject in self.related(interaction_keys.member_likes(actor))
        if kind == "boost":
            boosts = interaction_keys.member_boosts(actor)
            return self.db.run(("ZSCORE", boosts, f"{subject}:{uid}")) is not None
        return self._passes_protection(entry, uid)

    def _passes_protection(self, entry: Entry, uid: int) -> bool:
        """Return False for a post of a protected member whom the notified one does not follow.

        Restricted posts name who may see them.
        """
        _, actor, subject = entry
        if self.statuses[subject].visibility.restricted or actor not in self.protected:
            return True
        return actor == uid or uid in self.related(following_keys.followers(actor))

    def _wants(self, kind: str, actor: int, uid: int) -> bool:
        """Return True if a member's preferences, blocks and mutes allow a notification."""
        preference = self.preferences.get(uid, {}).get(kind, EVERYONE)
        if preference == NOBODY or actor == uid:
            return preference != NOBODY
        if actor in self.silenced(uid):
            return False
        return preference == EVERYONE or actor in self.follows(uid)

    def silenced(self, uid: int) -> set[int]:
        """Return the members whose acts a member is not notified of."""
        return {*self.blocked_with(uid), *self.related(following_keys.muted_notifications(uid))}
