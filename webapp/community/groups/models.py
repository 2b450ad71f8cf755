"""A group as a viewer sees it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from webapp.core.errors import NotFound
from webapp.statuses.visibility.groups import GroupKind, PostingGroup


class Voting(Enum):
    """How members vote on a group's posts, as stored."""

    OFF = ""
    UP = "up"
    BOTH = "both"


class HomeChoice(Enum):
    """A member's choice for the posts of a group on their home, by its value in forms."""

    POSTS = "yes"
    DIGEST = "digest"  # how many are new
    NOTHING = "no"


@dataclass(frozen=True, slots=True)
class Group(PostingGroup):
    """A group, and what the viewer is in it."""

    about: str
    rules: str
    voting: Voting
    size: int  # members
    picture: str = ""  # the name of a stored one
    has_asked: bool = False
    is_banned: bool = False
    home: HomeChoice = HomeChoice.NOTHING  # of the viewer
    is_invited: bool = False  # by name
    reports: int = 0  # that owners may answer; 0 for others
    requests: int = 0  # that wait for an owner; 0 for others
    has_chat: bool = False

    @property
    def may_read(self) -> bool:
        """Return True if the viewer may read its posts and see its members."""
        return self.is_member or not self.is_closed

    @property
    def may_invite(self) -> bool:
        """Return True if the viewer may invite others."""
        return self.is_owner or (self.is_member and self.kind is GroupKind.OPEN)

    @property
    def has_votes(self) -> bool:
        """Return True if its posts have votes."""
        return self.voting is not Voting.OFF

    def require_readable(self) -> Group:
        """Return the group. Raises NotFound if the viewer may not read it."""
        if not self.may_read:
            raise NotFound("no_group")
        return self
