"""The visibility policy: which statuses and boosts a viewer may see, and where.

The rules ask the store nothing. `relationships.py` reads their data. Scripts that decide inside a
partition use `policy.lua` and `exposure.lua` of `lua/includes`; one table of cases tests both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import Enum

from webapp.accounts.store import Member
from webapp.core.errors import Forbidden, NotFound
from webapp.statuses.items import Boost, Item, has_suspended_member, members_shown
from webapp.statuses.status import Status
from webapp.statuses.values.visibility import Visibility, effective_visibility


class Exposure(Enum):
    """The places where blocks and mutes let a viewer see an author's statuses."""

    IN_TIMELINES = "everywhere"
    ON_REQUEST = "on the author's profile, at permanent addresses, among one's bookmarks"
    HIDDEN = "nowhere"


@dataclass(frozen=True, slots=True)
class Relationship:
    """The blocks, mutes and follows between a viewer (0: a visitor) and some authors, as uids."""

    viewer: int = 0
    blocks: frozenset[int] = frozenset()  # the viewer blocks them
    blocked_by: frozenset[int] = frozenset()  # they block the viewer
    mutes: frozenset[int] = frozenset()
    follows: frozenset[int] = frozenset()
    hidden_boosters: frozenset[int] = frozenset()  # whose boosts the viewer hides
    requested: frozenset[int] = frozenset()  # the viewer has asked to follow them
    groups: frozenset[int] = frozenset()  # the viewer belongs to them: see `groups.py`

    def exposure(self, author: int) -> Exposure:
        """Return the places in which the viewer sees an author's statuses."""
        if author in self.blocks or author in self.blocked_by:
            return Exposure.HIDDEN
        return Exposure.ON_REQUEST if author in self.mutes else Exposure.IN_TIMELINES

    @property
    def is_unrestricted(self) -> bool:
        """Return True if no block or mute, and no hidden boost, is between viewer and authors."""
        return not (self.blocks or self.blocked_by or self.mutes or self.hidden_boosters)

    @property
    def hidden_on_request(self) -> frozenset[int]:
        """Return the authors whose statuses the viewer cannot open."""
        return self.blocks | self.blocked_by

    @property
    def hidden_in_timelines(self) -> frozenset[int]:
        """Return the authors whose statuses no timeline shows the viewer."""
        return self.hidden_on_request | self.mutes

    def visible_in_timelines(self, author: int) -> bool:
        """Return True if timelines show the viewer this author's statuses."""
        return self.exposure(author) is Exposure.IN_TIMELINES

    def visible_on_request(self, author: int) -> bool:
        """Return True if the viewer may open this author's statuses directly."""
        return self.exposure(author) is not Exposure.HIDDEN

    def may_see(
        self, author: int, visibility: Visibility, mentioned_uids: Collection[int], group: int = 0
    ) -> bool:
        """Return True if a status of this effective visibility is meant for the viewer.

        `group`: the one it was posted to, 0 for none.
        """
        if visibility is Visibility.GROUP and group in self.groups:
            return True
        return is_meant_for(self.viewer, author, visibility, mentioned_uids, author in self.follows)

    def may_see_status(self, status: Status) -> bool:
        """Return True if a status is meant for the viewer, whatever blocks and mutes say."""
        return status.visibility is Visibility.PUBLIC or self.may_see(
            status.author.uid, status.visibility, status.mentioned_uids, status.group
        )

    def may_post_with(self, status: Status) -> bool:
        """Return True unless a status is for a closed group that the viewer does not belong to."""
        return status.visibility is not Visibility.GROUP or status.group in self.groups

    def may_see_boosts_by(self, booster: Member) -> bool:
        """Return True if a member's boosts are meant for the viewer, as their public posts are."""
        return self.may_see(booster.uid, effective_visibility("", booster), ())

    def may_see_boost(self, status: Status, booster: Member) -> bool:
        """Return True if a boost is meant for the viewer. Restricted statuses never show so."""
        return not status.visibility.restricted and self.may_see_boosts_by(booster)

    def may_see_item(self, item: Item) -> bool:
        """Return True if an item is meant for the viewer, whatever blocks and mutes say."""
        if isinstance(item, Boost):
            return self.may_see_boost(item.status, item.booster)
        return self.may_see_status(item)

    def is_visible(self, item: Item) -> bool:
        """Return True if the viewer may open an item directly."""
        return (
            not has_suspended_member(item)
            and all(self.visible_on_request(member.uid) for member in members_shown(item))
            and self.may_see_item(item)
        )

    def is_visible_in_timelines(self, item: Item, profile_uid: int = 0) -> bool:
        """Return True if timelines show the viewer an item.

        `profile_uid`: the member whose profile it is. Their own items are seen on request.
        """
        return (
            not has_suspended_member(item)
            and self.may_see_item(item)
            and not (isinstance(item, Boost) and item.booster.uid in self.hidden_boosters)
            and self.are_visible((member.uid for member in members_shown(item)), profile_uid)
        )

    def are_visible(self, uids: Iterable[int], profile_uid: int = 0) -> bool:
        """Return True if timelines show the viewer items of all these members."""
        return all(
            self.visible_on_request(uid) if uid == profile_uid else self.visible_in_timelines(uid)
            for uid in uids
        )

    def may_introduce(self, uid: int) -> bool:
        """Return True if a member may be new to the viewer, who neither follows nor hides them."""
        is_known = uid == self.viewer or uid in self.follows or uid in self.requested
        return not is_known and self.visible_in_timelines(uid)

    def may_suggest(self, member: Member, through_friend: bool = False) -> bool:
        """Return True if a member may be suggested to the viewer.

        `through_friend`: somebody whom the viewer follows follows them. A protected member is
        suggested only then.
        """
        return (
            self.may_introduce(member.uid)
            and may_be_found(member)
            and not member.bot_owner
            and (through_friend or not member.protected)
        )

    def may_name_friend(self, member: Member | None) -> bool:
        """Return True if a suggestion may name this member, whom the viewer follows and sees."""
        return (
            member is not None
            and not member.suspended
            and member.uid in self.follows
            and self.visible_in_timelines(member.uid)
        )

    def require_visible(self, status: Item | None) -> Status:
        """Return the status that the viewer opens.

        Raises NotFound if it is gone or not for the viewer (the two look the same), and Forbidden,
        with the reason, if its author is suspended or one blocks the other.
        """
        if not isinstance(status, Status) or not self.may_see_status(status):
            raise NotFound("no_status")
        self.require_no_block(status.author)
        return status

    def require_no_block(self, author: Member) -> None:
        """Raise Forbidden, with the reason, if an author is suspended or one blocks the other."""
        if author.suspended:
            raise Forbidden("suspended")
        if not self.visible_on_request(author.uid):
            raise Forbidden("you_block" if author.uid in self.blocks else "not_for_you")

    def in_groups(self, gids: Collection[int]) -> Relationship:
        """Return a copy in which the viewer is in these groups too."""
        return replace(self, groups=self.groups.union(gids)) if gids else self

    def with_follows(self, authors: Iterable[int], groups: frozenset[int]) -> Relationship:
        """Return a copy in which the viewer follows these authors too, and is in these groups."""
        return replace(self, follows=self.follows.union(authors), groups=groups)


def may_be_found(member: Member) -> bool:
    """Return True if others may find a member: in search, and among suggestions."""
    return not (member.suspended or member.hidden_from_search or member.limited)


def is_meant_for(
    viewer: int, author: int, visibility: Visibility, mentioned: Collection[int], follows: bool
) -> bool:
    """Return True if a status of this effective visibility is meant for a viewer.

    `mentioned`: the uids it mentions or answers; `follows`: True if the viewer follows the author.
    Nothing here opens a closed group, so whoever does not ask for memberships shows none of it.
    """
    if not visibility.restricted or viewer == author:
        return True
    if visibility is not Visibility.GROUP and viewer in mentioned:
        return True
    return visibility is Visibility.FOLLOWERS and follows


ANONYMOUS = Relationship()
