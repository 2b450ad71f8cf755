"""Statuses, interactions and blocks, of which members are notified, and their preferences."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.models.notifications.machine import (
    POLL,
    NotificationsMachineBase,
    kinds_of_notifications,
    preferences,
)
from tests.support.state_machines.strategies import booleans, members, posts, visibilities
from webapp.following.blocks import store as blocks
from webapp.notifications import store as notifications
from webapp.statuses import Visibility
from webapp.statuses.interactions import boosts, likes

INTERACTIONS = {
    "like": likes.like,
    "unlike": likes.unlike,
    "boost": boosts.boost,
    "unboost": boosts.unboost,
}
ACTIONS = (
    *("post_poll", "mention", "reply", "quote", "delete", "block"),
    *INTERACTIONS,
    *INTERACTIONS,
)


class StatusRules(NotificationsMachineBase):
    """Let members write and interact."""

    @rule(
        uid=members,
        action=st.sampled_from(ACTIONS),
        other=members,
        back=posts,
        visibility=visibilities,
    )
    def write_or_interact(
        self, uid: int, action: str, other: int, back: int, visibility: Visibility
    ) -> None:
        """Post, delete, block, or interact with an earlier status."""
        status_id = self.pick(back)
        mention = f"@{self.logins[other]}"
        if action in INTERACTIONS:
            self.attempt(INTERACTIONS[action], uid, status_id)
        elif action == "post_poll":
            self.post_poll(uid, other, visibility)
        elif action == "mention":
            self.post(uid, f"hello {mention}", visibility=visibility)
        elif action == "delete":
            self.delete(status_id)
        elif action == "block":
            self._block_mentioned(status_id, author_blocks=bool(back % 2))
        elif action == "quote":
            self.post(uid, f"so it is {mention}", visibility=visibility, quote=status_id)
        else:
            self.post(uid, f"so it is {mention}", visibility=None, reply=status_id)

    def post_poll(self, uid: int, mentioned: int, visibility: Visibility) -> None:
        """Post a poll that mentions a member."""
        text = f"which, @{self.logins[mentioned]} ?"
        self.post(uid, text, visibility=visibility, poll=POLL)

    def _block_mentioned(self, status_id: int, author_blocks: bool) -> None:
        """Let the author block a member whom the status mentions, or the other way round."""
        status = self.statuses.get(status_id)
        if not status:
            return
        mentioned = [status.author, *status.mentioned][-1]
        pair = (status.author, mentioned) if author_blocks else (mentioned, status.author)
        self.relate(*pair, blocks.block)

    @rule(uid=members, kinds=kinds_of_notifications, preference=preferences, marks_read=booleans)
    def set_preferences(self, uid: int, kinds: set[str], preference: str, marks_read: bool) -> None:
        """Change a member's preferences; they may also mark all notifications as read."""
        if uid in self.deleted_members:
            return
        changed = dict.fromkeys(kinds, preference)
        notifications.set_preferences(self.db, uid, changed)
        self.preferences.setdefault(uid, {}).update(changed)
        if marks_read:
            notifications.mark_all(self.db, uid)
            assert self.db.read(notifications.unread_count(uid)) == 0
