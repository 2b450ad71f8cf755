"""Lines above a home: how many posts are new in the groups that the member chose this for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webapp.core.store.client import Db
from webapp.core.store.reads import Read, collect, constant, gather, read
from webapp.statuses.visibility import keys as group_keys
from webapp.statuses.visibility.groups import memberships

DIGESTS_MAX = 20
Marks = tuple[tuple[int, int], ...]  # groups, and ids from which their posts are new


class GroupDigest(NamedTuple):
    """How many posts are new in a group."""

    gid: int
    name: str
    new_posts: int


def digest_marks(uid: int | None, is_on: bool) -> Read[Marks]:
    """Read the groups whose new posts a member's home counts. `is_on`: there are groups."""
    if not uid or not is_on:
        return constant(())
    counted = ("(1", "+inf", "BYSCORE", "LIMIT", 0, DIGESTS_MAX, "WITHSCORES")

    def parse(flat: Sequence[str]) -> Marks:
        return tuple(
            (int(gid), int(score)) for gid, score in zip(flat[::2], flat[1::2], strict=True)
        )

    return read(("ZRANGE", group_keys.groups(uid), *counted), parse)


def group_digests(db: Db, uid: int, marks: Marks) -> tuple[GroupDigest, ...]:
    """Return the groups with new posts, by name. One trip, none without marks."""
    gids = [gid for gid, _ in marks]
    counts, names, joined = db.read(
        gather(
            collect(
                read(("ZCOUNT", group_keys.group_posts(gid), f"({since}", "+inf"), int)
                for gid, since in marks
            ),
            collect(read(("HGET", group_keys.group(gid), "name"), str) for gid in gids),
            memberships(uid, gids),
        )
    )
    digests = map(GroupDigest, gids, names, counts)
    found = (one for one in digests if one.new_posts and one.name and one.gid in joined)
    return tuple(sorted(found, key=lambda one: one.name.lower()))
