"""Projections: what suspending, protecting and deleting accounts does to timelines.

All of them are safe to run twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.reads import Command, collect, read
from webapp.core.store.schema import PARTITION_TAGS, partition_tag
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys

from . import keys
from .fanout.partitions import drain, group_by_fence
from .pages import invalidation

RESYNC_PUBLIC = script("timelines/lua/resync_public.lua")
MARK_SUSPENDED = script("timelines/lua/mark_suspended.lua")
PURGE_DELETED = script("following/lua/purge_deleted.lua")
SYNC_FOLLOWER = script("following/lua/sync_follower.lua")


def sync_author_visibility(context: Context, events: Sequence[Event]) -> None:
    """Bring the public timeline, and the lists of suspended members, up to how accounts are now."""
    for event in events:
        _sync_author(context, event, int(event.data["uid"]))


def _sync_author(context: Context, event: Event, uid: int) -> None:
    """Sync one author. Three trips."""
    newest = (
        *("ZRANGE", status_keys.profile_statuses(uid), "+inf", "-inf", "BYSCORE", "REV"),
        *("LIMIT", 0, context.config.public_max),
    )
    account, status_ids = context.db.fetch(
        read(("HMGET", account_keys.user(uid), "login", "suspended", "protected"), list),
        read(newest, list[str]),
    )
    exists, suspended, protected = map(bool, account)
    public_ids = []
    if exists and not suspended and not protected:
        public_ids = _public_ids(context, status_ids)
    context.db.trip(
        _resync_public_command(context, event, uid, public_ids),
        *(
            _mark_suspended_command(event, uid, partition, exists and suspended)
            for partition in range(PARTITIONS)
        ),
    )


def _public_ids(context: Context, status_ids: Sequence[str]) -> list[str]:
    """Return the ids of public statuses, without unlisted ones. One trip."""
    limited = context.db.read(
        collect(
            read(("HGET", status_keys.status(int(status_id)), "vis"), bool)
            for status_id in status_ids
        )
    )
    return [one for one, is_limited in zip(status_ids, limited, strict=True) if not is_limited]


def _resync_public_command(
    context: Context, event: Event, uid: int, public_ids: Sequence[str]
) -> Command:
    source, token = event.fence
    return RESYNC_PUBLIC(
        public=keys.public_timeline(),
        fences=event_keys.fences(keys.PUBLIC_TAG),
        source=source,
        token=token,
        author=uid,
        limit=context.config.public_max,
        ids=public_ids,
    )


def _mark_suspended_command(event: Event, uid: int, partition: int, suspended: bool) -> Command:
    source, token = event.fence
    return MARK_SUSPENDED(
        fences=event_keys.fences(PARTITION_TAGS[partition]),
        suspended=account_keys.suspended_members(partition),
        source=source,
        token=token,
        author=uid,
        is_suspended=int(suspended),
    )


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Remove deleted accounts from follows, followers, homes and the pull authors."""
    for event in events:
        uid = int(event.data["uid"])
        for batch in drain(context, following_keys.followers(uid)):
            context.db.trip(*_purge_commands(context, event, batch))
            invalidation.for_follow_lists(context, map(int, batch))
        for batch in drain(context, following_keys.following(uid)):
            context.db.trip(*(_unfollow_command(event, int(followed)) for followed in batch))
            invalidation.for_follow_lists(context, map(int, batch))
        context.db.trip(*(("SREM", keys.pull_authors(p), uid) for p in range(PARTITIONS)))


def _purge_commands(context: Context, event: Event, followers: Sequence[str]) -> list[Command]:
    """Return the commands that remove an author from follows and homes of followers."""
    source, token = event.fence
    return [
        PURGE_DELETED(
            fences=fences,
            prefixes=[
                prefix
                for p in groups
                for prefix in (following_keys.following.prefix(p), keys.home.prefix(p))
            ],
            source=source,
            token=token,
            author=event.data["uid"],
            followers=[" ".join(uids) for uids in groups.values()],
        )
        for fences, groups in group_by_fence(context, event, followers)
    ]


def _unfollow_command(event: Event, followed: int) -> Command:
    """Return the command that removes a deleted follower."""
    source, token = event.fence
    return SYNC_FOLLOWER(
        fences=event_keys.fences(partition_tag(followed)),
        followers=following_keys.followers(followed),
        member=account_keys.user(followed),
        source=source,
        token=token,
        uid=event.data["uid"],
        followed_at="",
        is_event=0,
        was_requested="",
    )
