"""Ask the shards of the index, all in one trip, and merge their results."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from webapp.config import Config
from webapp.core.search.plan import Plan
from webapp.core.store import Read, first_id_at, script
from webapp.search.index.store import shard_values
from webapp.search.keys import shard_of
from webapp.statuses import Entry

LATEST = script("search/query/lua/latest.lua")
TOP = script("search/query/lua/top.lua")
AMONG = script("search/query/lua/among.lua")
SCAN_MAX = 5_000  # candidates that a shard looks at, about
HALF_LIFE_DAYS = 7
WEIGHTS = ("likes", 1, "boosts", 2, "replies", 3)
NO_HALF_LIFE = 2**53  # a distance of ids at which nothing loses its rank


@dataclass(frozen=True, slots=True)
class Matches:
    """Documents that match, in order, each with the uid that owns it.

    `next`: the cursor of the next page, None at the end. `is_partial`: True if the shards stopped
    before they had looked at every candidate.
    """

    entries: tuple[Entry, ...] = ()
    next: int | None = None
    is_partial: bool = False


def latest(
    config: Config, collection: str, plan: Plan, before: int | None, limit: int, owner: int = 0
) -> Read[Matches]:
    """Read the newest documents that match, below the cursor `before`.

    `owner`: the uid of a collection that lies in one shard; 0: all shards have their part.
    """
    newest = plan.newest if before is None else min(plan.newest, before - 1)
    shards = (owner,) if owner else range(config.search_shards)
    commands = tuple(
        LATEST(**_arguments(config, shard, collection, replace(plan, newest=newest), limit))
        for shard in shards
    )

    def parse(replies: Sequence[Any]) -> Matches:
        parts = [
            Matches(
                tuple(zip(map(int, rows[::2]), map(int, rows[1::2]), strict=True)),
                int(reached) or None,
                bool(stopped),
            )
            for rows, reached, stopped in replies
        ]
        return merge(parts, limit)

    return Read(commands, parse)


def merge(parts: Sequence[Matches], limit: int) -> Matches:
    """Return the newest `limit` ids that several places found, each once.

    A place has not looked below its `next`. There, the newest of the others may not be the next.
    """
    horizon = max(part.next or 0 for part in parts)
    found = {entry for part in parts for entry in part.entries if entry[0] >= horizon}
    entries = sorted(found, reverse=True)
    is_full = len(entries) > limit
    next_cursor = entries[limit - 1][0] if is_full else horizon or None
    is_partial = any(part.is_partial and part.next == horizon for part in parts)
    return Matches(tuple(entries[:limit]), next_cursor, is_partial and not is_full)


def top(
    config: Config,
    collection: str,
    plan: Plan,
    limit: int,
    *,
    half_life_days: int | None = HALF_LIFE_DAYS,
    weights: Sequence[str | int] = WEIGHTS,
) -> Read[Matches]:
    """Read the documents that match and rank highest, `limit` at most."""
    minute_ms = int(time.time()) // 60 * 60_000
    half_life = half_life_days * 86_400_000 << 12 if half_life_days else NO_HALF_LIFE
    commands = tuple(
        TOP(
            **_arguments(config, shard, collection, plan, limit),
            now=first_id_at(minute_ms),
            half_life=half_life,
            weights=weights,
        )
        for shard in range(config.search_shards)
    )

    def parse(replies: Sequence[Any]) -> Matches:
        ranked = sorted(chain.from_iterable(_ranked(rows) for rows, _ in replies), reverse=True)
        entries = tuple((number, author) for _, number, author in ranked[:limit])
        return Matches(entries, None, any(stopped for _, stopped in replies))

    return Read(commands, parse)


def among(config: Config, collection: str, plan: Plan, ids: Sequence[int]) -> Read[list[int]]:
    """Read which of some documents match. Each lies in the shard of its own id."""
    by_shard = defaultdict[int, list[int]](list)
    for number in ids:
        by_shard[shard_of(number, config.search_shards)].append(number)
    commands = tuple(
        AMONG(collection=collection, plan=plan.encode(), ids=some, **shard_values(config, shard))
        for shard, some in by_shard.items()
    )
    return Read(commands, lambda replies: [int(number) for found in replies for number in found])


def _arguments(
    config: Config, shard: int, collection: str, plan: Plan, limit: int
) -> dict[str, Any]:
    return {
        "collection": collection,
        "plan": plan.encode(),
        "newest": plan.newest,
        "oldest": plan.oldest,
        "limit": limit + 1,
        "scan_max": SCAN_MAX,
        **shard_values(config, shard),
    }


def _ranked(rows: Sequence[str]) -> list[tuple[float, int, int]]:
    """Return (rank, id, owner) of each row."""
    return list(zip(map(float, rows[2::3]), map(int, rows[::3]), map(int, rows[1::3]), strict=True))
