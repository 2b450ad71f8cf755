"""Who may see which statuses: the one place that decides it, from what lies in the viewer's own partition and in the
status. It asks the store nothing by itself: it tells what to ask, to go in a trip that is made anyway, and reads the
replies.

(home.lua says the same of the authors in homes, and page.lua of the visibility of what one author wrote: each in the
partition that it reads.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import inf
from typing import TYPE_CHECKING, Any

from webapp.accounts.store import Member
from webapp.core.store.reads import Command
from webapp.errors import Forbidden, NotFound
from webapp.following import keys as following_keys
from webapp.following.mutes.store import is_active
from webapp.following.store import Relation
from webapp.lists import keys as list_keys

from .visibility import Visibility, effective_visibility

if TYPE_CHECKING:
    from webapp.statuses.status import Status


class Exposure(Enum):
    """Whether a viewer is shown what an author writes."""

    IN_TIMELINES = "everywhere"
    ON_REQUEST = "only when they ask for it: on the author's profile, at its own address, among their bookmarks"
    HIDDEN = "nowhere"


@dataclass(frozen=True, slots=True)
class Relationship:
    """What is known between a viewer (0: a visitor) and some authors: whom of these the viewer blocks, who of them
    blocks the viewer, whom the viewer mutes, and whom they follow.
    """

    viewer: int = 0
    blocks: frozenset[int] = frozenset()
    blocked_by: frozenset[int] = frozenset()
    mutes: frozenset[int] = frozenset()
    follows: frozenset[int] = frozenset()

    def exposure(self, author: int) -> Exposure:
        """The decision, of one author."""
        if author in self.blocks or author in self.blocked_by:
            return Exposure.HIDDEN
        return Exposure.ON_REQUEST if author in self.mutes else Exposure.IN_TIMELINES

    @property
    def is_unrestricted(self) -> bool:
        """Whether nothing stands between them."""
        return not (self.blocks or self.blocked_by or self.mutes)

    def visible_in_timelines(self, author: int) -> bool:
        """Whether timelines show the viewer what this author writes."""
        return self.exposure(author) is Exposure.IN_TIMELINES

    def visible_on_request(self, author: int) -> bool:
        """Whether the viewer is shown it who asks for it."""
        return self.exposure(author) is not Exposure.HIDDEN

    def may_see(self, author: int, visibility: Visibility, mentioned_uids: Collection[int]) -> bool:
        """Whether a status is for the viewer: by who wrote it, how visible it is, and whom it names or answers."""
        if not visibility.restricted or self.viewer == author or self.viewer in mentioned_uids:
            return True
        return visibility is Visibility.FOLLOWERS and author in self.follows

    def may_see_status(self, status: Status) -> bool:
        """The same, of a status that was read."""
        return status.visibility is Visibility.PUBLIC or self.may_see(
            status.author.uid, status.visibility, status.mentioned_uids
        )

    def may_see_boosts_by(self, booster: Member) -> bool:
        """Whether what a member boosts is for the viewer: as what they post for everybody."""
        return self.may_see(booster.uid, effective_visibility("", booster), ())

    def may_see_boost(self, status: Status, booster: Member) -> bool:
        """Whether the viewer is shown a status as somebody boosts it: no more than what everybody may see."""
        return not status.visibility.restricted and self.may_see_boosts_by(booster)

    def is_visible(self, status: Status) -> bool:
        """Whether the viewer is shown a status who asks for it."""
        return (
            not status.author.suspended
            and self.visible_on_request(status.author.uid)
            and self.may_see_status(status)
        )

    def require_visible(self, status: Status | None) -> Status:
        """The status that a viewer asks for. Raises NotFound where it is gone, or not for them, which is told alike;
        Forbidden, with the reason, where its author is suspended, or one blocks the other.
        """
        if status is None or not self.may_see_status(status):
            raise NotFound("no_status")
        self.require_no_block(status.author)
        return status

    def with_follows(self, authors: Iterable[int]) -> Relationship:
        """The same, for a viewer of whom it is known that they follow these authors too."""
        return replace(self, follows=self.follows.union(authors))

    def require_no_block(self, author: Member) -> None:
        """Raises Forbidden, with the reason, where an author is suspended, or one blocks the other."""
        if author.suspended:
            raise Forbidden("suspended")
        if not self.visible_on_request(author.uid):
            raise Forbidden("you_block" if author.uid in self.blocks else "not_for_you")


ANONYMOUS = Relationship()


def relationship_commands(
    viewer: int | None, authors: Iterable[int], home: bool = False
) -> list[Command]:
    """The commands whose replies `between_from` reads; none for a visitor, or where the viewer is the only author.
    `home`: for the viewer's home, where whoever is on an exclusive list of theirs is like who is muted.
    """
    other_uids = _without_viewer(viewer, authors)
    lists = (
        following_keys.blocks,
        following_keys.blockers,
        following_keys.mutes,
        following_keys.following,
        *((list_keys.home_excluded,) if home else ()),
    )
    return [("ZMSCORE", of(viewer), *other_uids) for of in lists] if viewer and other_uids else []


def relationship_from(
    viewer: int | None, authors: Iterable[int], replies: Sequence[Any]
) -> Relationship:
    """What the replies to `between_commands` for the same authors tell."""
    if not replies:
        return Relationship(viewer or 0)
    other_uids = _without_viewer(viewer, authors)
    blocks, blocked_by, mute_ends, follows, *excluded = (
        dict(zip(other_uids, scores, strict=True)) for scores in replies
    )
    muted = frozenset(
        uid for uid, at in mute_ends.items() if at is not None and is_active(at)
    ).union(*map(_uids_with_score, excluded))
    return Relationship(
        viewer or 0,
        _uids_with_score(blocks),
        _uids_with_score(blocked_by),
        muted,
        _uids_with_score(follows),
    )


def from_relation(viewer: int, author: int, relation: Relation | None) -> Relationship:
    """The same of one author, from the relation that their profile shows; None for oneself or a visitor."""
    if relation is None:
        return Relationship(viewer)
    flags = (relation.blocking, relation.blocked_by, relation.mute, relation.following)
    return Relationship(viewer, *(frozenset({author} if one else ()) for one in flags))


def hidden_commands(viewer: int) -> list[Command]:
    """The commands whose replies `hidden_from` reads: the viewer's lists as a whole, for what stays open."""
    return [
        ("ZRANGE", following_keys.blocks(viewer), 0, -1),
        ("ZRANGE", following_keys.blockers(viewer), 0, -1),
        ("ZRANGE", following_keys.mutes(viewer), 0, -1, "WITHSCORES"),
    ]


def hidden_from(replies: Sequence[Any], requested: Collection[int] = ()) -> Mapping[int, float]:
    """All authors who are hidden from a viewer, until when (unix seconds). `asked`: those whom the viewer asks for."""
    blocks, blocked_by, mutes = replies
    mute_ends = zip(map(int, mutes[::2]), map(float, mutes[1::2]), strict=True)
    muted = {uid: until for uid, until in mute_ends if uid not in requested and is_active(until)}
    return muted | dict.fromkeys(map(int, (*blocks, *blocked_by)), inf)


def _without_viewer(viewer: int | None, authors: Iterable[int]) -> list[int]:
    return sorted(set(authors) - {viewer or 0})


def _uids_with_score(scores: Mapping[int, Any]) -> frozenset[int]:
    return frozenset(uid for uid, score in scores.items() if score is not None)
