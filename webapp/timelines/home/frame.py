"""The parts of a home around its posts: tabs, how far the member has read, and news of groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from webapp.core.store import Command, Db, Read, collect, constant, gather, read, script
from webapp.statuses.visibility import keys as group_keys
from webapp.statuses.visibility.groups import memberships
from webapp.timelines import keys

MARK_READ = script("timelines/home/lua/mark_read.lua")
DIGESTS_MAX = 20
Marks = tuple[tuple[int, int], ...]  # groups, and ids from which their posts are new


class PinnedList(NamedTuple):
    """A list of the member's own that is a tab of their home."""

    number: int
    name: str


@dataclass(frozen=True, slots=True)
class HomeFrame:
    """The tabs of a home in order. `read_up_to`: the newest post that was read, 0 for none.

    `digests`: groups with new posts, of which the home shows the number.
    """

    lists: tuple[PinnedList, ...] = ()
    read_up_to: int = 0
    digests: tuple[GroupDigest, ...] = ()

    def has(self, number: int) -> bool:
        """Return True if the list of this number is pinned."""
        return any(one.number == number for one in self.lists)


def home_frame(uid: int | None) -> Read[HomeFrame]:
    """Read the frame of a member's home; that of a visitor (None) is empty."""
    if not uid:
        return constant(HomeFrame())

    return gather(
        read(("ZRANGE", keys.home_tabs(uid), 0, -1), _parse_tabs),
        read(("ZSCORE", keys.markers(uid), "home"), lambda status_id: int(status_id or 0)),
    ).map(lambda found: HomeFrame(*found))


def markers(uid: int) -> Read[dict[str, int]]:
    """Read up to where a member has read, by timeline: see `keys.markers`."""

    def parse(flat: Sequence[str]) -> dict[str, int]:
        return {name: int(last) for name, last in zip(flat[::2], flat[1::2], strict=True)}

    return read(("ZRANGE", keys.markers(uid), 0, -1, "WITHSCORES"), parse)


def mark_read(db: Db, uid: int, **marks: int) -> None:
    """Note up to where a member has read some timelines. A mark never goes back. One trip."""
    if marks:
        db.run(mark_read_command(uid, **marks))


def mark_read_command(uid: int, **marks: int) -> Command:
    """Return the command of `mark_read`."""
    return MARK_READ(uid=uid, marks=list(chain.from_iterable(marks.items())))


def _parse_tabs(entries: Sequence[str]) -> tuple[PinnedList, ...]:
    pairs = (entry.split(":", 1) for entry in entries)
    return tuple(PinnedList(int(number), name) for number, name in pairs)


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
            collect(
                read(("HGET", group_keys.group(gid), "name"), lambda name: name or "")
                for gid in gids
            ),
            memberships(uid, gids),
        )
    )
    digests = map(GroupDigest, gids, names, counts)
    found = (one for one in digests if one.new_posts and one.name and one.gid in joined)
    return tuple(sorted(found, key=lambda one: one.name.lower()))
