"""Put chats on members' lists, and take them off. Each projection is safe to run twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webapp.accounts import keys as account_keys
from webapp.chat import keys as chat_keys
from webapp.chat.inbox import keys as inbox_keys
from webapp.core.events.outbox import MORE, Context, Event
from webapp.core.store import Command, Read, read, script
from webapp.timelines.fanout.partitions import group_by_fence

LEAVE = script("chat/members/lua/leave.lua")
SYNC_MEMBERS = script("chat/inbox/lua/sync_members.lua")
LEAVE_BATCH = 100  # chats of one slice


def sync_members(context: Context, events: Sequence[Event]) -> None:
    """Put chats on the lists of their members, and take them off others'. Three trips each.

    Deleted accounts leave the chat.
    """
    for event in events:
        cid, uids = event.data["chat"], event.data["uids"].split()
        newest, joined_ids = context.db.fetch(_newest(cid), _joined_ids(cid, uids))
        if "left" in event.data:  # who came back has an event of their own, and may have to accept
            joined_ids = dict.fromkeys(uids, "")
        replies = context.db.trip_all(
            _sync_members_command(
                event,
                tag,
                [uid for group in groups.values() for uid in group],
                joined_ids,
                newest,
            )
            for tag, groups in group_by_fence(context, event, uids)
        )
        deleted_uids = [uid for reply in replies for uid in reply]
        context.db.trip_all(_leave_command(context, cid, int(uid)) for uid in deleted_uids)
        context.heartbeat()


def purge_deleted_account(context: Context, event: Event, _cursor: str) -> str | None:
    """Let a deleted account leave some of its chats. Four trips.

    They are taken off its own list last, so that another worker can start over. A chat that it
    comes to meanwhile is left by `sync_members`.
    """
    uid = event.number("uid")
    for key in (inbox_keys.member_chats(uid), inbox_keys.hidden_chats(uid)):
        cids = context.db.run(("ZRANGE", key, 0, LEAVE_BATCH - 1))
        if cids:
            context.db.trip_all(_leave_command(context, cid, uid) for cid in cids)
            context.db.run(("ZREM", key, *cids))
            return MORE
    context.db.trip(
        ("UNLINK", inbox_keys.member_chat_state(uid)),
        ("UNLINK", inbox_keys.member_unfetched(uid)),
    )
    return None


def _newest(cid: str) -> Read[tuple[str, str]]:
    """Read a chat's newest message id and its time in unix ms; without one, the chat's own."""

    def parse(fields: Sequence[str | None]) -> tuple[str, str]:
        last, last_at, created = fields
        return last or "0", last_at or created or "0"

    return read(("HMGET", chat_keys.chat(cid), "last", "last_at", "created"), parse)


def _joined_ids(cid: str, uids: Sequence[str]) -> Read[dict[str, str]]:
    """Read the newest message when each member came, "" for those who are not members."""

    def parse(values: Sequence[str | None]) -> dict[str, str]:
        pairs = zip(uids, values, strict=True)
        return {uid: value.split()[1] if value else "" for uid, value in pairs}

    return read(("HMGET", chat_keys.chat_visible_from(cid), *uids), parse)


def _sync_members_command(
    event: Event,
    tag: str,
    uids: Sequence[str],
    joined_ids: Mapping[str, str],
    newest: tuple[str, str],
) -> Command:
    last_id, sent_at = newest
    must_accept = event.data.get("must_accept", "").split()
    lists = []
    states = []
    for uid in uids:
        for key in (
            inbox_keys.member_chats,
            inbox_keys.member_chat_state,
            inbox_keys.member_unfetched,
            account_keys.user,
        ):
            lists.append(key(int(uid)))
        states += [uid, joined_ids[uid], "request" if uid in must_accept else ""]
    return SYNC_MEMBERS(
        event,
        tag=tag,
        lists=lists,
        cid=event.data["chat"],
        last_id=last_id,
        sent_at=sent_at,
        added_by=event.data.get("added_by", ""),
        states=states,
    )


def _leave_command(context: Context, cid: str, uid: int) -> Command:
    partition, config = chat_keys.chat_partition(cid), context.config
    return LEAVE(config, cid=cid, partition=partition, uid=uid, member=uid, account_deleted=1)
