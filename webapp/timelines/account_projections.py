"""What suspending, restoring, protecting and deleting an account does to timelines. Each of these is safe to run
twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.reads import Command
from webapp.core.store.schema import PARTITION_TAGS, partition_tag
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys

from . import keys, page_invalidation
from .fanout.projections import group_by_fence

RESYNC_PUBLIC = script("timelines/lua/resync_public.lua")
MARK_SUSPENDED = script("timelines/lua/mark_suspended.lua")
PURGE_DELETED = script("following/lua/purge_deleted.lua")
SYNC_FOLLOWER = script("following/lua/sync_follower.lua")


def sync_author_visibility(context: Context, events: Sequence[Event]) -> None:
    """Brings the public timeline, and what homes are read with, up to whether an author is shown by now."""
    public_max = context.config.public_max
    for event in events:
        uid = int(event.data["uid"])
        fields, newest_ids = context.db.trip(
            ("HMGET", account_keys.user(uid), "login", "suspended", "protected"),
            (
                "ZRANGE",
                status_keys.profile_statuses(uid),
                "+inf",
                "-inf",
                "BYSCORE",
                "REV",
                "LIMIT",
                0,
                public_max,
            ),
        )
        exists, suspended = bool(fields[0]), bool(fields[0] and fields[1])
        public_ids = (
            _public_only(context, newest_ids) if exists and not suspended and not fields[2] else []
        )
        source, token = event.fence
        context.db.trip(
            RESYNC_PUBLIC(
                public=keys.public_timeline(),
                fences=event_keys.fences(keys.PUBLIC_TAG),
                source=source,
                token=token,
                author=uid,
                limit=public_max,
                ids=public_ids,
            ),
            *(
                MARK_SUSPENDED(
                    fences=event_keys.fences(tag),
                    suspended=account_keys.suspended_members(p),
                    source=source,
                    token=token,
                    author=uid,
                    is_suspended=int(suspended),
                )
                for p, tag in enumerate(PARTITION_TAGS)
            ),
        )


def _public_only(context: Context, status_ids: Sequence[str]) -> list[str]:
    """Those of the statuses that are public, and not unlisted."""
    visibilities = context.db.trip(
        *(("HGET", status_keys.status(int(status_id)), "vis") for status_id in status_ids)
    )
    return [status_id for status_id, vis in zip(status_ids, visibilities, strict=True) if not vis]


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts leave the follows and homes of their followers, the lists of whom they followed, and the authors
    who are merged. What is done is taken off their own lists, so that a new owner goes on where the last one stopped.
    """
    for event in events:
        uid = int(event.data["uid"])
        for batch in _batches(context, following_keys.followers(uid)):
            context.db.trip(*_purge_commands(context, event, batch))
            page_invalidation.for_follow_lists(context, map(int, batch))
        for batch in _batches(context, following_keys.following(uid)):
            context.db.trip(*(_unfollow_command(event, int(target)) for target in batch))
            page_invalidation.for_follow_lists(context, map(int, batch))
        context.db.trip(*(("SREM", keys.pull_authors(p), uid) for p in range(PARTITIONS)))


def _batches(context: Context, key: str) -> Iterator[list[str]]:
    """A list in batches, each taken off the list once it is done with."""
    while batch := context.db.run(("ZRANGE", key, 0, context.config.fanout_batch - 1)):
        yield batch
        context.db.run(("ZREM", key, *batch))
        context.heartbeat()


def _purge_commands(context: Context, event: Event, followers: list[str]) -> list[Command]:
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
