"""The state of the site machine, and what its rules share."""

from typing import Any

from hypothesis.stateful import Bundle, RuleBasedStateMachine

from tests.conftest import empty_store
from tests.models.site.model.events import Model
from tests.models.site.model.facts import NOTHING, Event
from tests.support.state_machines.workers import Workers
from webapp.core.events.consumer import PartitionConsumer
from webapp.core.store.connection import connect
from webapp.following import keys as following_keys
from webapp.statuses import Visibility

members = Bundle("members")  # uids, also of suspended members and deleted accounts
posts = Bundle("posts")  # ids of statuses, also of deleted ones, and NOTHING


class SiteMachineBase(Workers, RuleBasedStateMachine):
    """A store and its model.

    `dead_workers` are consumers whose lease expired, each with the reply that it had read and the
    same events of the model. `held` are the posts that moderators have not decided about, by their
    authors and forms: the words of the model, and who is to see them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        empty_store(self.config)
        self.db = connect(self.config)
        self.reported = set[tuple[int, int]]()  # who reported which status
        self.held: dict[tuple[int, str], tuple[str, Visibility]] = {}
        self.dead_workers: list[tuple[PartitionConsumer, Any, list[Event]]] = []

    def is_active(self, *uids: int | None) -> bool:
        """Return True if these members are neither suspended nor deleted."""
        return set(uids) <= set(self.model.active_members)

    def blocked_either_way(self, uid: int) -> set[int]:
        """Return the members on either side of a block, as far as it was applied."""
        return self.model.blocks.get(uid, set()) | self.listed(following_keys.blockers(uid))

    def visible_members(self, uid: int) -> set[int]:
        """Return the members whose statuses a member may open."""
        return set(self.model.active_members) - self.blocked_either_way(uid)

    def is_refused(self, uid: int, status_id: int, is_new: bool) -> bool:
        """Return True if a member may not act on a status.

        A block by the author refuses every act, any other block only a new one.
        """
        author = self.model.statuses.get(status_id)
        if author is None or not self.is_active(uid, author):
            return True
        if not self.model.may_see(uid, status_id):
            return True
        blocked_by_author = uid in self.model.blocks.get(author, ())
        blocked = blocked_by_author or author in self.blocked_either_way(uid)
        return blocked and (is_new or blocked_by_author)

    def statuses_from_tags(self, uid: int) -> set[int]:
        """Return the statuses that followed hashtags bring to a home, without hidden authors."""
        authors = self.visible_members(uid)
        found = self.model.without_hidden(self.model.from_followed_tags(uid), uid)
        return {status for status in found if self.model.statuses[status] in authors}

    def required_in_home(self, uid: int) -> set[int]:
        """Return the newest statuses that a home must contain, without replies of pull authors."""
        delivered = self.model.delivered[uid]
        if self.config.push_max_followers != 1:
            return set(delivered)
        replies_of_others = {
            reply for reply in self.model.reply_to_uid if self.model.statuses.get(reply) != uid
        }
        return delivered - replies_of_others

    def visible_boosts(self, uid: int) -> dict[int, tuple[int, int]]:
        """Return the boosts that a member may see: the id with the booster and the status."""
        blocked = self.blocked_either_way(uid)
        return {
            boost_id: (booster, status)
            for boost_id, (booster, status) in self.model.visible_home_boosts(uid).items()
            if not blocked & {booster, self.model.statuses[status]}
        }

    def shows_boost(self, uid: int, boost_id: int) -> bool:
        """Return False if the same status may be shown below a boost, which is then left out."""
        boosts = self.visible_boosts(uid)
        status = boosts[boost_id][1]
        if status in {*self.model.home(uid), *self.statuses_from_tags(uid)}:
            return False
        return not any(
            other_id < boost_id and other_status == status
            for other_id, (_, other_status) in boosts.items()
        )


def exists(status_id: int) -> bool:
    """Return False for the result of a post that was refused."""
    return status_id != NOTHING
