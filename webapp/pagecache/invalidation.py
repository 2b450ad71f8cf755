"""Removing cached pages: from the store, and from each process by a message on a channel."""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from webapp.core.store import PARTITIONS, Command, Db, collect, read, script

from . import keys

BUMP_VERSIONS = script("pagecache/lua/bump_version.lua")
INVALIDATE = script("pagecache/lua/invalidate.lua")
MEMBER_VERSIONS_MAX = 10_000  # members whose last change the store remembers
KEPT_PATHS = 4_096  # whose keys a process keeps
NOBODY = 0  # an id that no member has: its change raises the fence, and outdates no page
CHANNEL = "drops"  # messages: `soft` or `hard`, then paths, or `*` for all

# A local copy that is invalidated softly may be shown while its successor is rendered.
Mode = Literal["soft", "hard"]


def invalidate(db: Db, paths: Iterable[str], hard: bool) -> None:
    """Remove all cached pages of these paths. One trip.

    `hard`: nobody may see them again, not even while new ones are rendered.
    """
    db.trip(*invalidate_commands(db, paths, hard))


def invalidate_commands(db: Db, paths: Iterable[str], hard: bool) -> list[Command]:
    """Return the commands of `invalidate`: one on a single server, else one a partition."""
    by_partition: dict[int, list[str]] = defaultdict(list)
    for path in sorted(set(paths)):
        by_partition[0 if db.is_single_server else keys.page_partition(path)].append(path)
    if not by_partition:
        return []
    every_path = [path for group in by_partition.values() for path in group]
    return [
        *raise_fence(db),
        *(
            INVALIDATE(keys=[key for path in some for key in _keys_of(path)], paths=some)
            for some in by_partition.values()
        ),
        publish_command("hard" if hard else "soft", every_path),
    ]


def clear(db: Db) -> None:
    """Remove all cached pages. A trip, and one for each partition that has any."""
    paths_of = (read(("ZRANGE", keys.cached_paths(p), 0, -1), list) for p in range(PARTITIONS))
    for paths in db.read(collect(paths_of)):
        invalidate(db, paths, hard=True)


def publish_command(mode: Mode, paths: Iterable[str]) -> Command:
    """Return the command that tells every process to drop its copies of these paths."""
    return ("PUBLISH", CHANNEL, " ".join([mode, *paths]))


def fence() -> Command:
    """Return the command that reads the newest change of a member or a page, and its number.

    A replica with that number has all that happened before that change.
    """
    return ("ZRANGE", keys.member_versions(), 0, 0, "REV", "WITHSCORES")


def raise_fence(db: Db) -> list[Command]:
    """Return the commands that raise the fence, before pages and their leases are removed.

    In this order a page that is rendered under a later lease comes from a replica that has what
    outdated it. On a Cluster no replica is asked, and there is no command.
    """
    command = BUMP_VERSIONS(members_max=MEMBER_VERSIONS_MAX, uids=[NOBODY])
    return [command] if db.is_single_server else []


def parse_message(message: str) -> tuple[str, frozenset[str]]:
    """Return the mode and the paths of a message on the channel."""
    mode, *paths = message.split(" ")
    return mode, frozenset(paths)


@lru_cache(KEPT_PATHS)  # each post has the public pages, and a few members post most
def _keys_of(path: str) -> tuple[str, str, str]:
    partition = keys.page_partition(path)
    return keys.cached_paths(partition), keys.cached_page_bytes(partition), keys.cached_page(path)
