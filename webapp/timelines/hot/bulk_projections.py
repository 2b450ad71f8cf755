"""Projections of `bulk`: hot posts after accounts were hidden, shown or deleted.

All are safe to run twice. Each slice places some posts by their present state.
"""

from collections.abc import Iterable

from webapp.core.events.outbox import Context, Event, read_page
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import boost_projections, like_projections
from webapp.statuses.interactions import keys as interaction_keys
from webapp.timelines import keys as timeline_keys

from .projections import sync

BATCH = 100  # posts of one slice


def sync_indexed(context: Context, event: Event, cursor: str) -> str | None:
    """Place some posts of a member that have hashtags. It goes before they leave their index."""
    return _sync_page(context, event, timeline_keys.tag_index(_uid(event)), cursor)


def sync_posts(context: Context, event: Event, cursor: str) -> str | None:
    """Place some of the newest posts of a member who is shown again."""
    return _sync_newest(context, event, status_keys.profile_statuses(_uid(event)), cursor)


def sync_replies(context: Context, event: Event, cursor: str) -> str | None:
    """Place some of the newest replies of a member who is shown again."""
    return _sync_newest(context, event, status_keys.profile_replies(_uid(event)), cursor)


def sync_liked(context: Context, event: Event, cursor: str) -> str | None:
    """Place some posts that a member likes whose likes count no longer, or do again."""
    return _sync_page(context, event, interaction_keys.member_likes(_uid(event)), cursor)


def sync_boosted(context: Context, event: Event, cursor: str) -> str | None:
    """Place some posts that a member boosts whose boosts count no longer, or do again."""
    return _sync_page(context, event, interaction_keys.member_boosts(_uid(event)), cursor)


def purge_likes(context: Context, event: Event, cursor: str) -> str | None:
    """Remove some likes of a deleted account, and place the posts without them."""
    return like_projections.purge_deleted_account(context, event, cursor, _sync_ids)


def purge_boosts(context: Context, event: Event, cursor: str) -> str | None:
    """Remove some boosts of a deleted account, and place the posts without them."""
    return boost_projections.purge_deleted_account(context, event, cursor, _sync_ids)


def _sync_newest(context: Context, event: Event, key: str, cursor: str) -> str | None:
    """Place some of the newest HOT_MAX posts of a list. The cursor counts them: `id count`."""
    below, _, count = cursor.partition(" ")
    done = int(count or 0) + BATCH
    next_below = _sync_page(context, event, key, below)
    has_more = next_below is not None and done < context.config.hot_max
    return f"{next_below} {done}" if has_more else None


def _sync_page(context: Context, event: Event, key: str, cursor: str) -> str | None:
    """Place the posts of a page of a list whose members begin with an id."""
    members, next_cursor = read_page(context, key, cursor, BATCH)
    _sync_ids(context, event, (int(member.partition(":")[0]) for member in members))
    return next_cursor


def _sync_ids(context: Context, event: Event, status_ids: Iterable[int]) -> None:
    sync(context, event, dict.fromkeys(status_ids, 0))


def _uid(event: Event) -> int:
    return event.number("uid")
