"""Whom the caller follows, of some members: followers see more, and may quote more."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.accounts.quote_policy import QuotePolicy
from webapp.client_api.callers import viewer_uid
from webapp.core.store.reads import Read, constant, read
from webapp.following import keys as following_keys
from webapp.statuses.status import Status


def followed_among(uids: Iterable[int]) -> Read[frozenset[int]]:
    """Read which of some members the caller follows."""
    viewer, asked = viewer_uid(), sorted(set(uids))
    if not viewer or not asked:
        return constant(frozenset())
    return read(
        ("ZMSCORE", following_keys.following(viewer), *asked),
        lambda scores: frozenset(
            uid for uid, score in zip(asked, scores, strict=True) if score is not None
        ),
    )


def followed_authors(statuses: Iterable[Status]) -> Read[frozenset[int]]:
    """Read which authors the caller follows, of those that let their followers quote them."""
    policy = QuotePolicy.FOLLOWERS
    return followed_among(one.author.uid for one in statuses if one.quote_policy is policy)
