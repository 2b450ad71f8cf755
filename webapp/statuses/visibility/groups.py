"""Groups as an audience: who may post to one, and who sees posts of a closed one.

A group's own partition decides. A page reads memberships only after it found a post of a closed
group; until then it hides such posts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.store import Db, Read, collect, gather, read
from webapp.statuses.values.visibility import Visibility

from . import keys

GROUPS_MAX = 3  # open ones to which one post goes


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

    @property
    def may_post(self) -> bool:
        """Return True if the member may post to it."""
        return self.is_member and (self.is_owner or self.kind is not GroupKind.ANNOUNCEMENTS)

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


def group_names(gids: Collection[int]) -> Read[dict[int, str]]:
    """Read the names of some groups, "" for one that is gone. It has no commands without groups."""
    commands = tuple(("HGET", keys.group(gid), "name") for gid in gids)
    return Read(commands, lambda names: dict(zip(gids, [one or "" for one in names], strict=True)))


def is_readable_by_all(gid: int) -> Read[bool]:
    """Read whether everybody may read the posts of a group."""
    closed = (None, GroupKind.CLOSED.value)
    return read(("HGET", keys.group(gid), "kind"), lambda kind: kind not in closed)


def groups_of_others(gids: Sequence[int], uid: int) -> Read[list[int]]:
    """Read which of some groups a member does not own."""

    def parse(owned: Sequence[Any]) -> list[int]:
        return [gid for gid, is_owner in zip(gids, owned, strict=True) if not is_owner]

    return Read(tuple(("SISMEMBER", keys.group_owners(gid), uid) for gid in gids), parse)


def posting_group(gid: int, uid: int) -> Read[PostingGroup]:
    """Read a group that a member wants to post to. Raises NotFound."""
    return _posting_group(gid, uid).map(lambda group: NotFound.unless(group, "no_group"))


def _posting_group(gid: int, uid: int) -> Read[PostingGroup | None]:
    def parse(found: tuple[Sequence[str | None], bool, bool]) -> PostingGroup | None:
        (slug, name, kind), is_member, is_owner = found
        if not (slug and name and kind):
            return None
        return PostingGroup(gid, slug, name, GroupKind(kind), is_member, is_owner)

    return gather(
        read(("HMGET", keys.group(gid), "slug", "name", "kind"), list[str | None]),
        read(("ZSCORE", keys.group_members(gid), uid), lambda score: score is not None),
        read(("SISMEMBER", keys.group_owners(gid), uid), bool),
    ).map(parse)


def posting_groups(gids: Sequence[int], uid: int) -> Read[list[PostingGroup]]:
    """Read those of some groups to which a member may post."""
    found = collect(_posting_group(gid, uid) for gid in gids)
    return found.map(lambda groups: [group for group in groups if group and group.may_post])


def own_posting_groups(db: Db, uid: int) -> list[PostingGroup]:
    """Return the groups that a member may post to, by name. Two trips."""
    gids = db.run(("ZRANGE", keys.groups(uid), 0, -1))
    groups = db.read(posting_groups(list(map(int, gids)), uid))
    return sorted(groups, key=lambda group: group.name.lower())


def require_together(groups: Sequence[PostingGroup]) -> None:
    """Raise Conflict if a post cannot go to these groups at once: several must be open."""
    if len(groups) > GROUPS_MAX:
        raise Conflict("many_groups")
    if len(groups) > 1 and any(group.kind is not GroupKind.OPEN for group in groups):
        raise Conflict("groups_not_open")
