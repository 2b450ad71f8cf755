"""Events, and how they change the model of lists."""

from collections.abc import Mapping

from tests.models.lists.machine import ListsMachineBase
from webapp.following import keys as following_keys
from webapp.lists import keys as list_keys

MEMBER_EVENTS = ("list_member_added", "list_member_removed")


class ListEvents(ListsMachineBase):
    """Update the model after events."""

    def on_account_deleted(self, uid: int) -> None:
        self.lists = {key: record for key, record in self.lists.items() if key[0] != uid}
        self.boosts = {pair: boost_id for pair, boost_id in self.boosts.items() if pair[0] != uid}

    def on_event_applied(self, group: str, kind: str, data: Mapping[str, str]) -> None:
        if group == "log" and kind == "blocked":
            uid, target = int(data["uid"]), int(data["target"])
            if target in self.related(following_keys.blocks(uid)):
                self.remove_from_lists(uid, target)
                self.remove_from_lists(target, uid)
        elif kind == "account_deleted" or (group == "log" and kind in MEMBER_EVENTS):
            self.on_lease_lost()

    def on_lease_lost(self) -> None:
        """Accept the removal of deleted and blocked members; no other member may change."""
        for (uid, number), record in self.lists.items():
            stored = self.listed(list_keys.list_members(uid, number))
            expected = set(record.members)
            blocked_by = {
                member
                for member in record.members
                if uid in self.related(following_keys.blocks(member))
            }
            blocks = {*self.related(following_keys.blocks(uid))}
            assert stored <= expected
            assert expected - stored <= self.deleted_members | blocked_by | blocks
            record.members = [member for member in record.members if member in stored]
