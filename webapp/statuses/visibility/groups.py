"""Groups as an audience: who may post to one, and who sees posts of a closed one.

A group's own partition decides. Nobody's membership is read unless a page has found a post of a
closed group, and what has not asked shows no such post.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from webapp.core.errors import Forbidden, NotFound
from webapp.core.store.reads import Read, gather, read
from webapp.statuses.values.visibility import Visibility

from . import keys


class GroupKind(Enum):
    """Who joins a group, reads it, and posts to it."""

    OPEN = "open"  # anyone joins, everybody reads
    CLOSED = "closed"  # owners let members in, and only members read
    ANNOUNCEMENTS = "announcements"  # anyone joins, everybody reads, only owners post


@dataclass(frozen=True, slots=True)
class PostingGroup:
    """A group that a member wants to post to."""

    gid: int
    slug: str
    name: str
    kind: GroupKind
    is_member: bool
    is_owner: bool

    @property
    def is_closed(self) -> bool:
        """Return True if only members see what is posted to it."""
        return self.kind is GroupKind.CLOSED

    @property
    def visibility(self) -> Visibility:
        """Return the visibility of what is posted to it."""
        return Visibility.GROUP if self.is_closed else Visibility.PUBLIC

    def require_may_post(self) -> None:
        """Raise NotFound for a closed group of others, Forbidden if the member may not post."""
        if not self.is_member:
            raise NotFound("no_group") if self.is_closed else Forbidden("not_in_group")
        if self.kind is GroupKind.ANNOUNCEMENTS and not self.is_owner:
            raise Forbidden("owners_post")


def memberships(viewer: int, gids: Collection[int]) -> Read[frozenset[int]]:
    """Read which of some groups a viewer belongs to. It has no commands without groups."""
    wanted = sorted(gids) if viewer else []

    def parse(scores: Sequence[Any]) -> frozenset[int]:
        return frozenset(gid for gid, one in zip(wanted, scores, strict=True) if one is not None)

    return Read(tuple(("ZSCORE", keys.group_members(gid), viewer) for gid in wanted), parse)


def posting_group(gid: int, uid: int) -> Read[PostingGroup]:
    """Read a group that a member wants to post to. Raises NotFound."""

    def parse(found: tuple[Sequence[str | None], bool, bool]) -> PostingGroup:
        (slug, name, kind), is_member, is_owner = found
        if not (slug and name and kind):
            raise NotFound("no_group")
        return PostingGroup(gid, slug, name, GroupKind(kind), is_member, is_owner)

    return gather(
        read(("HMGET", keys.group(gid), "slug", "name", "kind"), list[str | None]),
        read(("ZSCORE", keys.group_members(gid), uid), lambda score: score is not None),
        read(("SISMEMBER", keys.group_owners(gid), uid), bool),
    ).map(parse)
