"""Pages just above an id, which apps ask for to fill a gap (`min_id`)."""

from __future__ import annotations

from webapp.core.store.reads import read
from webapp.core.web.context import db

from .http.parameters import Paging


def upper_bound(paging: Paging, *keys: str) -> int | None:
    """Return the cursor below which a page lies. `keys`: sorted sets of it, scored by id.

    For a page just above `min_id` it is found by looking upwards from there, in one trip. Such a
    page is short if the caller may not see some of it.
    """
    if paging.min_id is None:
        return paging.max_id
    size = paging.size
    commands = (
        ("ZRANGE", key, f"({paging.min_id}", "+inf", "BYSCORE", "LIMIT", 0, size + 1, "WITHSCORES")
        for key in keys
    )
    found = db().fetch(*(read(command, lambda reply: reply[1::2]) for command in commands))
    above = sorted(int(float(score)) for scores in found for score in scores)
    bound = above[size] if len(above) > size else None
    return bound if paging.max_id is None else min(bound or paging.max_id, paging.max_id)
