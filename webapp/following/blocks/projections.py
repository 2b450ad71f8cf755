"""Sync lists of blockers with blocks, and end follows of blockers, in other partitions.

Each projection is safe to repeat.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence

from webapp.core.events.outbox import MORE, Context, Event, own_entries
from webapp.core.store import Command, script
from webapp.core.store.schema import partition_tag
from webapp.following import keys

SYNC_BLOCKER = script("following/blocks/lua/sync_blocker.lua")
PURGE_BLOCKS = script("following/blocks/lua/purge_deleted.lua")
BATCH = 1_000  # lists of one slice


def sync_blockers(context: Context, events: Sequence[Event]) -> None:
    """Bring the targets' lists of blockers up to date, and end the targets' follows of these.

    A block of a deleted account is removed from the blocker's list.
    """
    blocks = context.db.read(own_entries(events, keys.blocks))
    results = context.db.trip_all(_sync_command(*block) for block in blocks)
    context.db.trip_all(
        _purge_command(event, target, partition_tag(uid), [keys.blocks(uid)])
        for (event, uid, target, _), result in zip(blocks, results, strict=True)
        if result < 0
    )


def purge_deleted_account(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove a deleted account from the lists of some members whom it blocked, or who blocked it.

    Finished batches leave the account's own lists, so that another worker can continue.
    """
    uid = event.number("uid")
    for own_list, their_list in (
        (keys.blocks(uid), keys.blockers),
        (keys.blockers(uid), keys.blocks),
    ):
        if batch := context.db.run(("ZRANGE", own_list, 0, BATCH - 1)):
            _purge(context, event, [int(other) for other in batch], their_list)
            context.db.run(("ZREM", own_list, *batch))
            return MORE
    return None


def _purge(
    context: Context, event: Event, uids: Sequence[int], list_of: Callable[[int], str]
) -> None:
    """Remove the event's account from these members' lists: one script a partition, one trip."""
    lists_by_tag: dict[str, list[str]] = defaultdict(list)
    for uid in uids:
        lists_by_tag[partition_tag(uid)].append(list_of(uid))
    deleted_uid = event.number("uid")
    context.db.trip_all(
        _purge_command(event, deleted_uid, tag, lists) for tag, lists in lists_by_tag.items()
    )


def _purge_command(event: Event, deleted_uid: int, tag: str, lists: Sequence[str]) -> Command:
    return PURGE_BLOCKS(event, tag=tag, lists=lists, uid=deleted_uid)


def _sync_command(event: Event, blocker: int, uid: int, blocked_at: str) -> Command:
    return SYNC_BLOCKER(event, blocker=blocker, blocked_at=blocked_at, uid=uid)
