"""Whom a reader follows, of some members: followers see more, and may quote more."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.core.store.reads import Read, constant, read
from webapp.following import keys as following_keys


def followed_among(viewer: int | None, uids: Iterable[int]) -> Read[frozenset[int]]:
    """Read which of some members a reader follows. `viewer`: None for a visitor."""
    asked = sorted(set(uids))
    if not viewer or not asked:
        return constant(frozenset())
    return read(
        ("ZMSCORE", following_keys.following(viewer), *asked),
        lambda scores: frozenset(
            uid for uid, score in zip(asked, scores, strict=True) if score is not None
        ),
    )
