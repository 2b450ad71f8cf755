"""Posts that a member has been shown on Explore: they make room for others.

A Bloom filter holds them, so nobody can list what a member saw, and it stays small. Posts count as
seen some minutes after they were first shown. Until then a reload, or the way back from a post,
finds the page as it was.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from webapp.core.store import Command, Read, constant, gather, read, script
from webapp.core.store.bloom.bloom_filter import BloomFilter, Members
from webapp.statuses import Skeleton
from webapp.timelines.entries import id_of

from . import keys

MARK_SHOWN = script("explore/lua/mark_shown.lua")
# Of one member, 2.8 KB. With both halves full, about 1 % of unseen posts count as seen.
SEEN = BloomFilter(capacity=1_000, error_rate=0.01)
TTL_SECONDS = 14 * 86_400  # without a visit
GRACE_SECONDS = 600
RECENT_MAX = 200  # posts that are shown within the grace
WINDOW = 200  # popular posts that are searched for unseen ones


@dataclass(frozen=True, slots=True)
class SeenPosts:
    """The posts that a member has been shown. `recent`: those of the last minutes."""

    statuses: Members
    recent: frozenset[int]

    def is_seen(self, status_id: int) -> bool:
        """Return True if a post was shown before this visit, probably."""
        return status_id not in self.recent and status_id in self.statuses

    def unseen_first(self, found: Skeleton[str]) -> Skeleton[str]:
        """Return the entries with unseen posts before seen ones, otherwise in their order.

        The seen ones stay, as a member may not be shown any of the others.
        """
        return replace(
            found, entries=sorted(found.entries, key=lambda one: self.is_seen(id_of(one)))
        )


NOTHING_SEEN = SeenPosts(Members(SEEN, b""), frozenset())


def seen_posts(uid: int | None) -> Read[SeenPosts]:
    """Read the posts that a member has been shown; none for visitors."""
    if uid is None:
        return constant(NOTHING_SEEN)
    since = int((time.time() - GRACE_SECONDS) * 1000)
    recent = ("ZRANGE", keys.recently_shown(uid), since, "+inf", "BYSCORE")
    return gather(
        SEEN.whole(keys.seen_posts(uid)),
        read(recent, lambda ids: frozenset(map(int, ids))),
    ).map(lambda found: SeenPosts(*found))


def mark_shown(uid: int, seen: SeenPosts, status_ids: Iterable[int]) -> Command | None:
    """Return the command that notes posts which a member is shown, None if all are known."""
    new = [one for one in status_ids if one not in seen.statuses]
    if not new:
        return None
    return MARK_SHOWN(
        uid=uid,
        bits=SEEN.bits,
        hashes=SEEN.hashes,
        capacity=SEEN.capacity,
        ttl=TTL_SECONDS,
        grace=GRACE_SECONDS,
        limit=RECENT_MAX,
        ids=new,
    )
