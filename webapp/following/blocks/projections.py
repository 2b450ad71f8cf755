"""What blocking does elsewhere: the lists of blockers, and the follows of those who are blocked. Safe to run twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys
from webapp.timelines import keys as timeline_keys

SYNC_BLOCKER = script("following/blocks/lua/sync_blocker.lua")
PURGE_BLOCKS = script("following/blocks/lua/purge_deleted.lua")
BATCH = 1_000  # lists of others that a deleted account is taken off in one trip


def sync_blockers(context: Context, events: Sequence[Event]) -> None:
    """Brings the targets' lists of blockers up to what the blockers' own lists say by now, and ends the targets'
    follows of them.
    """
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    scores = context.db.trip(
        *(("ZSCORE", following_keys.blocks(uid), target) for uid, target in pairs)
    )
    sync_results = context.db.trip(
        *(
            _sync_command(event, *pair, at or "")
            for event, pair, at in zip(events, pairs, scores, strict=True)
        )
    )
    # Whoever was blocked while their account was being deleted is forgotten by the blocker too.
    context.db.trip(
        *(
            PURGE_BLOCKS(
                [event_keys.fences(partition_tag(uid)), following_keys.blocks(uid)],
                *event.fence,
                target,
            )
            for event, (uid, target), found in zip(events, pairs, sync_results, strict=True)
            if found < 0
        )
    )


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts leave the lists of those they blocked and of those who blocked them. What is done is taken off
    their own lists, so that a new owner goes on where the last one stopped.
    """
    for event in events:
        uid = int(event.data["uid"])
        for own_key, their_key in (
            (following_keys.blocks(uid), following_keys.blockers),
            (following_keys.blockers(uid), following_keys.blocks),
        ):
            while page := context.db.run(("ZRANGE", own_key, 0, BATCH - 1)):
                context.db.trip(*_purge_commands(event, [int(other) for other in page], their_key))
                context.db.run(("ZREM", own_key, *page))
                context.heartbeat()


def _sync_command(event: Event, uid: int, target: int, score: str) -> Command:
    p = partition_of(target)
    names = [
        *(
            event_keys.fences(partition_tag(target)),
            following_keys.blockers(target),
            account_keys.user(target),
            following_keys.following(target),
        ),
        *(
            timeline_keys.home(target),
            event_keys.outbox(p),
            timeline_keys.active_members(p),
            following_keys.sent_follow_requests(target),
        ),
    ]
    return SYNC_BLOCKER(names, *event.fence, uid, score, target, p, event.rid)


def _purge_commands(
    event: Event, uids: Sequence[int], their_key: Callable[[int], str]
) -> list[Command]:
    """One script a partition."""
    keys_by_tag: dict[str, list[str]] = defaultdict(list)
    for uid in uids:
        keys_by_tag[partition_tag(uid)].append(their_key(uid))
    return [
        PURGE_BLOCKS([event_keys.fences(tag), *names], *event.fence, event.data["uid"])
        for tag, names in keys_by_tag.items()
    ]
