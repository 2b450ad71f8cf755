"""Homes, hashtags and notifications of the model."""

from collections.abc import Iterable

from tests.models.site.model.facts import TAGS, Facts

HOME_MAX = 3  # entries of a home
Notification = tuple[str, int, int]  # kind, actor, status


class Timelines(Facts):
    """The expected contents of homes, hashtags and notifications."""

    def home(self, uid: int) -> list[int]:
        """Return the statuses for a home, newest first, those of suspended authors included."""
        followed = {uid, *self.follows[uid]}
        entries = (
            status
            for status, author in self.statuses.items()
            if author == uid or {author, self.reply_to_uid.get(status, uid)} <= followed
        )
        return sorted((status for status in entries if self.may_see(uid, status)), reverse=True)

    def from_followed_tags(self, uid: int) -> set[int]:
        """Return the statuses that a member's followed hashtags may bring to their home."""
        return set().union(*(self.tagged_with(name) for name in self.followed_tags[uid]))

    def home_boosts(self, uid: int) -> dict[int, tuple[int, int]]:
        """Return the boosts that a member's home may hold: the id with the booster and the status.

        They include boosts of hidden members, and of deleted statuses until that is applied.
        """
        pairs = [
            (booster, status) for booster in self.follows[uid] for status in self.boosted[booster]
        ]
        return {self.boost_ids[pair]: pair for pair in pairs}

    def visible_home_boosts(self, uid: int) -> dict[int, tuple[int, int]]:
        """Return those of the boosts that the member may see."""
        hidden = self.suspended | self.mutes.get(uid, set()) - {uid}
        unrestricted = self.only_unrestricted(self.statuses)
        return {
            boost_id: (booster, status)
            for boost_id, (booster, status) in self.home_boosts(uid).items()
            if status in unrestricted and not hidden & {booster, self.statuses[status]}
        }

    def newest_in_home(self, uid: int) -> list[int]:
        """Return the newest statuses and boosts of a member's home, as many as it keeps."""
        return sorted([*self.home(uid), *self.home_boosts(uid)], reverse=True)[:HOME_MAX]

    def index_tags(self, statuses: Iterable[int], adds: bool = True) -> None:
        """Apply the hashtags of statuses. Without `adds`, only remove statuses from the index."""
        for status in statuses:
            for name in TAGS:
                is_shown = (
                    status in self.tagged_with(name) and self.statuses[status] not in self.suspended
                )
                if is_shown and adds:
                    self.applied_tags[name].add(status)
                elif not is_shown:
                    self.applied_tags[name].discard(status)

    def notifications(self, uid: int) -> set[Notification]:
        """Return the notifications of a member once no event is waiting."""
        found = {
            *self._interaction_notifications(uid),
            *self._relationship_notifications(uid),
            *self._status_notifications(uid),
        }
        return {notification for notification in found if notification[1] != uid}

    def _interaction_notifications(self, uid: int) -> set[Notification]:
        found = set()
        for kind, by_member in (("like", self.liked), ("boost", self.boosted)):
            for actor, statuses in by_member.items():
                for status in statuses:
                    if self.statuses.get(status) == uid:
                        found.add((kind, actor, status))
        return found

    def _relationship_notifications(self, uid: int) -> set[Notification]:
        follows = {("follow", follower, 0) for follower in self.followers(uid)}
        return follows | {("request", requester, 0) for requester in self.requesters(uid)}

    def _status_notifications(self, uid: int) -> set[Notification]:
        found = set()
        for status, author in self.statuses.items():
            if self.reply_to_uid.get(status) == uid:
                found.add(("reply", author, status))
            if self.mentions.get(status) == uid:
                found.add(("mention", author, status))
            quoted = self.quoted_ids.get(status)
            is_restricted = self.visibilities[status].restricted
            if quoted and self.authors[quoted] == uid and not is_restricted:
                found.add(("quote", author, status))
        return found
