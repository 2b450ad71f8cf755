"""Projections of suspended, protected and deleted accounts to timelines.

All of them are safe to run twice.
"""

from collections.abc import Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import MORE, Context, Event, more_after
from webapp.core.store import PARTITIONS, Command, collect, do_steps, read, script
from webapp.core.web import newest_below
from webapp.following import keys as following_keys
from webapp.following.projections import followers_prefixes
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions.like_projections import OnSynced
from webapp.statuses.values.visibility import HIDING_FIELDS
from webapp.timelines.fanout.partitions import group_by_fence

from . import keys
from .fanout.batches import batch_size
from .page_invalidation import member_pages

RESYNC_PUBLIC = script("timelines/lua/resync_public.lua")
MARK_SUSPENDED = script("timelines/lua/mark_suspended.lua")
PURGE_DELETED = script("following/lua/purge_deleted.lua")
SYNC_FOLLOWER = script("following/lua/sync_follower.lua")


def sync_author_visibility(context: Context, events: Sequence[Event]) -> None:
    """Bring the public timeline, and the lists of suspended members, up to how accounts are now."""
    for event in events:
        _sync_author(context, event, event.number("uid"))


def _sync_author(context: Context, event: Event, uid: int) -> None:
    """Sync one author. Three trips."""
    newest = newest_below(status_keys.profile_statuses(uid), None, context.config.public_max)
    account, status_ids = context.db.fetch(
        read(("HMGET", account_keys.user(uid), "login", *HIDING_FIELDS), list),
        read(newest, list[str]),
    )
    exists, suspended, *others = map(bool, account)
    public_ids = []
    if exists and not suspended and not any(others):
        public_ids = _public_ids(context, status_ids)
    is_suspended = int(exists and suspended)
    context.db.trip(
        RESYNC_PUBLIC(event, author=uid, limit=context.config.public_max, ids=public_ids),
        *(
            MARK_SUSPENDED(event, partition=p, author=uid, is_suspended=is_suspended)
            for p in range(PARTITIONS)
        ),
    )


def _public_ids(context: Context, status_ids: Sequence[str]) -> list[str]:
    """Return the ids of public statuses, without unlisted ones. One trip."""
    limited = context.db.read(
        collect(
            read(("HGET", status_keys.status(int(status_id)), "visibility"), bool)
            for status_id in status_ids
        )
    )
    return [one for one, is_limited in zip(status_ids, limited, strict=True) if not is_limited]


def purge_followers(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove a deleted account from the follows and homes of some of its followers.

    Those who are done leave the account's own list, so another worker continues from there.
    """
    followers, size = following_keys.followers(event.number("uid")), batch_size(context.config)
    if batch := context.db.run(("ZRANGE", followers, 0, size - 1)):
        context.db.trip(*_purge_commands(context, event, batch))
        do_steps(context.db, member_pages.for_follow_lists(context, map(int, batch)))
        context.db.run(("ZREM", followers, *batch))
    return more_after(batch, size)


def purge_follows(context: Context, event: Event, _cursor: str, on_synced: OnSynced) -> str | None:
    """Remove a deleted account from the followers of some members, and from the pull authors.

    Members who are done leave the account's own list. `on_synced` does the rest.
    """
    uid, size = event.number("uid"), batch_size(context.config)
    following = following_keys.following(uid)
    if batch := context.db.run(("ZRANGE", following, 0, size - 1)):
        context.db.trip_all(_unfollow_command(event, int(followed)) for followed in batch)
        uids = list(map(int, batch))
        do_steps(context.db, member_pages.for_follow_lists(context, uids))
        on_synced(context, event, uids)
        context.db.run(("ZREM", following, *batch))
        return MORE
    context.db.trip_all(("SREM", keys.pull_authors(p), uid) for p in range(PARTITIONS))
    return None


def _purge_commands(context: Context, event: Event, followers: Sequence[str]) -> list[Command]:
    """Return the commands that remove an author from follows and homes of followers."""
    return [
        PURGE_DELETED(
            event,
            tag=tag,
            prefixes=[prefix for p in groups for prefix in followers_prefixes(p)],
            author=event.data["uid"],
            followers=[" ".join(uids) for uids in groups.values()],
        )
        for tag, groups in group_by_fence(context, event, followers)
    ]


def _unfollow_command(event: Event, followed: int) -> Command:
    """Return the command that removes a deleted follower."""
    return SYNC_FOLLOWER(
        event,
        followers=following_keys.followers(followed),
        target=followed,
        uid=event.data["uid"],
        followed_at="",
        is_event=0,
        was_requested="",
    )
