"""Note deleted messages on their members' lists. Safe to run twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from webapp.chat import keys as chat_keys
from webapp.chat.inbox import keys as inbox_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import collect, read
from webapp.core.store.scripts import script
from webapp.timelines.fanout.partitions import group_by_fence

SYNC_DELETED_MESSAGES = script("chat/inbox/lua/sync_deleted_messages.lua")


def sync_deleted_messages(context: Context, events: Sequence[Event]) -> None:
    """Stop counting deleted messages as unread. One trip, and one more for each chat."""
    by_chat: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_chat[event.data["chat"]].append(event)
    members = context.db.read(
        collect(read(("ZRANGE", chat_keys.chat_members(cid), 0, -1), list) for cid in by_chat)
    )
    for (cid, deletions), uids in zip(by_chat.items(), members, strict=True):
        context.db.trip(
            *(
                SYNC_DELETED_MESSAGES(
                    deletions[-1],
                    tag=tag,
                    prefixes=[inbox_keys.member_chat_state.prefix(number) for number in groups],
                    cid=cid,
                    deleted=" ".join(f"{one.data['id']}:{one.data['uid']}" for one in deletions),
                    uids=[" ".join(group) for group in groups.values()],
                )
                for tag, groups in group_by_fence(context, deletions[-1], uids)
            )
        )
        context.heartbeat()
