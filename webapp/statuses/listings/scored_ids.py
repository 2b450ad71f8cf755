"""Skeletons from sorted sets of status ids whose scores say when each was added."""

from __future__ import annotations

from webapp.core.store import Read, read
from webapp.core.web import newest_below
from webapp.statuses.lookup import Entry, entries_of

from .pipeline import Skeleton

ScoredIds = dict[int, int]  # scores by status id, the highest score first


def newest_ids(key: str, before: int | None, limit: int) -> Read[ScoredIds]:
    """Read the newest `limit` ids of a sorted set below the cursor `before`, a score."""

    def parse(reply: list[str]) -> ScoredIds:
        return dict(zip(map(int, reply[::2]), map(int, reply[1::2]), strict=True))

    return read(newest_below(key, before, limit, scores=True), parse)


def with_authors(found: ScoredIds, limit: int) -> Read[Skeleton[Entry]]:
    """Read the authors of ids, without those of deleted statuses.

    `limit`: how many ids were asked for; with fewer there are no others below them.
    """
    end = list(found)[-1] if len(found) == limit else None
    return entries_of(list(found)).map(lambda entries: Skeleton(entries, end, found))
