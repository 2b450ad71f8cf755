"""Votes on posts of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.core.store import Read, Site, collect, gather, script
from webapp.statuses import Entry, Status, entries_of

from . import keys, lookup
from .models import Group

VOTE = script("community/groups/lua/vote.lua")
DIRECTIONS = {"up": 1, "down": -1, "none": 0}  # by their names in forms


@dataclass(frozen=True, slots=True)
class Votes:
    """The votes of a post: up minus down, and the viewer's own (1, 0 or -1)."""

    count: int
    own: int


def vote(site: Site, uid: int, gid: int, status_id: int, direction: str) -> int:
    """Vote on a post, or take the vote back (see DIRECTIONS). Return its votes. Two trips.

    Raises NotFound; Forbidden if not a member; Conflict if the group has no such votes, the post is
    too old, or it is the member's own.
    """
    reply = site.run(
        VOTE,
        gid=gid,
        uid=uid,
        id=status_id,
        author=author_of(site, status_id),
        vote=DIRECTIONS[direction],
        seconds=site.config.group_vote_days * 86_400,
    )
    return int(reply)


def author_of(site: Site, status_id: int) -> int:
    """Return the author of a status, 0 of one that is gone: scripts refuse it as one elsewhere."""
    entries = site.db.read(entries_of([status_id]))
    return entries[0][1] if entries else 0


def votes_of(gid: int, entries: Sequence[Entry], viewer: int | None) -> Read[Mapping[int, Votes]]:
    """Read the votes of posts of a group, and the viewer's own, by id, of those that it has."""
    if not entries:
        return Read((), lambda _: {})
    members = [f"{status_id}:{author}" for status_id, author in entries]
    commands: list[tuple[Any, ...]] = [("ZMSCORE", keys.group_votes(gid), *members)]
    if viewer:
        commands += (("HGET", keys.group_voters(gid, one), viewer) for one, _ in entries)

    def parse(replies: Sequence[Any]) -> Mapping[int, Votes]:
        counts, own = replies[0], replies[1:] or [None] * len(entries)
        return {
            status_id: Votes(int(count), int(mine or 0))
            for (status_id, _), count, mine in zip(entries, counts, own, strict=True)
            if count is not None
        }

    return Read(tuple(commands), parse)


def votes_of_status(status: Status, viewer: int | None) -> Read[tuple[tuple[Group, Votes], ...]]:
    """Read the groups that have a status and vote on it, with its votes in each."""
    entry = (status.id, status.author.uid)

    def in_group(gid: int) -> Read[tuple[Group | None, Mapping[int, Votes]]]:
        return gather(lookup.group_if_any(gid, viewer), votes_of(gid, [entry], viewer))

    return collect(map(in_group, status.gids)).map(
        lambda found: tuple(
            (group, votes[status.id])
            for group, votes in found
            if group and group.has_votes and status.id in votes
        )
    )
