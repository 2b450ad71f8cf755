"""The numbers by which the index ranks posts: likes, boosts, and distinct repliers."""

from __future__ import annotations

from webapp.core.store import Read, gather, read
from webapp.statuses import keys as status_keys
from webapp.statuses.threads import keys as thread_keys
from webapp.statuses.threads.replies import unpack_path

REPLIERS_SAMPLE = 100  # statuses below a post that are looked at


def ranking_counts(status_id: int, author: int) -> Read[dict[str, int]]:
    """Read the likes and boosts of a status, and how many others answer it.

    Replies that not everybody may see do not count: others would notice them by the order.
    """

    def parse(fields: list[str | None]) -> dict[str, int]:
        likes, boosts = fields
        return {"likes": int(likes or 0), "boosts": int(boosts or 0)}

    sample = ("LIMIT", 0, REPLIERS_SAMPLE)
    counts = read(("HMGET", status_keys.status(status_id), "likes", "boosts"), parse)
    counted = read(
        ("ZRANGE", thread_keys.replies(status_id), 0, "+inf", "BYSCORE", *sample),
        lambda ids: frozenset(map(int, ids)),
    )
    below = read(
        ("ZRANGE", thread_keys.thread(status_id), "-", "+", "BYLEX", *sample),
        lambda paths: [unpack_path(path)[0] for path in paths],
    )
    return gather(counts, counted, below).map(
        lambda found: {
            **found[0],
            "replies": len({uid for reply, uid in found[2] if reply in found[1]} - {author}),
        }
    )
