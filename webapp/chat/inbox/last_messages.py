"""Bring members' lists up to the newest and deleted messages of chats. Safe to run twice."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from webapp.chat import keys as chat_keys
from webapp.chat.inbox import keys as inbox_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Command, Read, collect, gather, read, script
from webapp.timelines.fanout.partitions import group_by_fence

SYNC_LAST_MESSAGE = script("chat/inbox/lua/sync_last_message.lua")
SYNC_DELETED_MESSAGES = script("chat/inbox/lua/sync_deleted_messages.lua")


def sync_last_messages(context: Context, events: Sequence[Event]) -> None:
    """Bring lists up to the newest message of each chat. Two trips, and one more for each chat."""
    newest = {event.data["chat"]: event for event in events}
    authors: dict[str, set[str]] = {cid: set() for cid in newest}
    for event in events:
        authors[event.data["chat"]].add(event.data["uid"])
    members, positions = context.db.fetch(
        collect(read(("ZRANGE", chat_keys.chat_members(cid), 0, -1), list) for cid in newest),
        collect(_author_positions(cid, sorted(uids)) for cid, uids in authors.items()),
    )
    for event, uids, authors_at in zip(newest.values(), members, positions, strict=True):
        context.db.trip_all(
            _sync_last_message_command(event, tag, groups, authors_at)
            for tag, groups in group_by_fence(context, event, uids)
        )
        context.heartbeat()


def _author_positions(cid: str, uids: Sequence[str]) -> Read[dict[str, str]]:
    """Read `read:sent:sent_read` of authors, zeros for those who have left.

    That is how far they have read, how many messages they have sent, and how many up to there.
    """
    scores = read(("ZMSCORE", chat_keys.chat_read_receipts(cid), *uids), list)
    counts = read(("HMGET", chat_keys.chat_sent(cid), *uids), list)
    return gather(scores, counts).map(
        lambda found: {
            uid: f"{int(float(score or 0))}:{(count or '0 0').replace(' ', ':')}"
            for uid, score, count in zip(uids, *found, strict=True)
        }
    )


def _sync_last_message_command(
    event: Event, tag: str, groups: Mapping[int, Sequence[str]], positions: Mapping[str, str]
) -> Command:
    """Return the command for members by partition; authors are in `positions`."""
    prefixes = []
    uids = []
    for partition, group in groups.items():
        prefixes += [
            inbox_keys.member_chats.prefix(partition),
            inbox_keys.member_chat_state.prefix(partition),
            inbox_keys.member_unfetched.prefix(partition),
        ]
        uids.append(
            " ".join(f"{uid}={positions[uid]}" if uid in positions else uid for uid in group)
        )
    return SYNC_LAST_MESSAGE(
        event,
        tag=tag,
        prefixes=prefixes,
        cid=event.data["chat"],
        last_id=event.data["id"],
        sent_at=event.data["sent_at"],
        uids=uids,
    )


def sync_deleted_messages(context: Context, events: Sequence[Event]) -> None:
    """Stop counting deleted messages as unread. One trip, and one more for each chat."""
    by_chat: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_chat[event.data["chat"]].append(event)
    members = context.db.read(
        collect(read(("ZRANGE", chat_keys.chat_members(cid), 0, -1), list) for cid in by_chat)
    )
    for (cid, deletions), uids in zip(by_chat.items(), members, strict=True):
        context.db.trip_all(
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
        context.heartbeat()
