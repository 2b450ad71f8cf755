"""What the index ranks posts by: likes, boosts, and distinct members who answer."""

from __future__ import annotations

from webapp.core.store.reads import Read, gather, read
from webapp.statuses import keys as status_keys
from webapp.statuses.threads import keys as thread_keys

REPLIERS_SAMPLE = 100  # replies whose authors are counted


def ranking_counts(status_id: int, author: int) -> Read[dict[str, int]]:
    """Read the likes and boosts of a status, and how many others answer it or its replies."""

    def parse(fields: list[str | None]) -> dict[str, int]:
        likes, boosts = fields
        return {"likes": int(likes or 0), "boosts": int(boosts or 0)}

    counts = read(("HMGET", status_keys.status(status_id), "likes", "boosts"), parse)
    repliers = read(
        ("ZRANGE", thread_keys.thread(status_id), 0, REPLIERS_SAMPLE - 1),
        lambda ways: {int(way.rpartition(".")[2]) for way in ways},
    )
    return gather(counts, repliers).map(
        lambda found: {**found[0], "replies": len(found[1] - {author})}
    )
