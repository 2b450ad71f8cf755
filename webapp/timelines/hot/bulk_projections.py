"""Projections of `bulk`: hot posts after accounts were hidden, shown or deleted.

All are safe to run twice. Each slice places some posts by their present state.
"""

from collections.abc import Iterable

from webapp.core.events.outbox import Context, Event, slices
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import (
    boost_projections,
    keys as interaction_keys,
    like_projections,
)

from .projections import sync


def _sync_ids(context: Context, event: Event, status_ids: Iterable[int]) -> None:
    sync(context, event, dict.fromkeys(status_ids, 0))


# The newest posts and replies of a member who is shown again.
sync_posts = slices("sync_posts", status_keys.profile_statuses, _sync_ids, "hot_max")
sync_replies = slices("sync_replies", status_keys.profile_replies, _sync_ids, "hot_max")
# What a member likes and boosts, when that counts no longer, or does again.
sync_liked = slices("sync_liked", interaction_keys.member_likes, _sync_ids)
sync_boosted = slices("sync_boosted", interaction_keys.member_boosts, _sync_ids)


def purge_likes(context: Context, event: Event, cursor: str) -> str | None:
    """Remove some likes of a deleted account, and place the posts without them."""
    return like_projections.purge_deleted_account(context, event, cursor, _sync_ids)


def purge_boosts(context: Context, event: Event, cursor: str) -> str | None:
    """Remove some boosts of a deleted account, and place the posts without them."""
    return boost_projections.purge_deleted_account(context, event, cursor, _sync_ids)
