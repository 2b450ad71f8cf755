"""Statuses and boosts, which lists show."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.models.lists.machine import ListsMachineBase
from tests.support.state_machines.strategies import members, posts, visibilities
from webapp.statuses import Visibility
from webapp.statuses.interactions import boosts, keys as interaction_keys

ACTIONS = ("post", "mention", "reply", "reply", "boost", "boost", "unboost", "delete")


class StatusRules(ListsMachineBase):
    """Let members write and boost."""

    @rule(
        uid=members,
        action=st.sampled_from(ACTIONS),
        other=members,
        back=posts,
        visibility=visibilities,
    )
    def write_or_boost(
        self, uid: int, action: str, other: int, back: int, visibility: Visibility
    ) -> None:
        """Post, reply, boost, unboost or delete."""
        status_id = self.pick(back)
        if action in ("post", "mention") or not status_id:
            text = f"hello @{self.logins[other]}" if action == "mention" else "hello"
            self.post(uid, text, visibility=visibility)
        elif action == "reply":
            self.post(uid, "so it is", reply=status_id)
        elif action == "delete":
            self.delete(status_id)
        elif action == "unboost":
            boosts.unboost(self.site, uid, status_id)
            if status_id in self.statuses:
                self.boosts.pop((uid, status_id), None)
        elif self.attempt(boosts.boost, uid, status_id):
            self._record_boost(uid, status_id)

    def _record_boost(self, uid: int, status_id: int) -> None:
        member = f"{status_id}:{self.statuses[status_id].author}"
        boost_id = int(self.db.run(("ZSCORE", interaction_keys.member_boosts(uid), member)))
        self.boosts[uid, status_id] = boost_id
        self.boost_ids.add(boost_id)
