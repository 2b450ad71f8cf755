"""What happens in chats, brought into the lists of their members. Each of these is safe to run twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.chat import keys as chat_keys
from webapp.chat.scripts import ChatScript
from webapp.core.events.outbox import Context, Event, request_id
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.timelines.fanout.projections import group_by_fence

LEAVE = ChatScript("chat/members/lua/leave.lua")
SYNC_MEMBERS = script("chat/inbox/lua/sync_members.lua")
SYNC_LAST = script("chat/inbox/lua/sync_last_message.lua")


def sync_last_messages(context: Context, events: Sequence[Event]) -> None:
    """Lists learn of new messages: of each chat's newest, once for all events that came together."""
    newest = {event.data["chat"]: event for event in events}
    authors = {
        cid: sorted({event.data["by"] for event in events if event.data["chat"] == cid})
        for cid in newest
    }
    replies = context.db.trip(
        *(("ZRANGE", chat_keys.chat_members(cid), 0, -1) for cid in newest),
        *(("ZMSCORE", chat_keys.chat_read_receipts(cid), *authors[cid]) for cid in newest),
    )
    for index, (cid, event) in enumerate(newest.items()):
        read_positions = dict(zip(authors[cid], replies[len(newest) + index], strict=True))
        commands = []
        for fences, groups in group_by_fence(context, event, replies[index]):
            prefixes = [
                pick(p)
                for p in groups
                for pick in (chat_keys.member_chats.prefix, chat_keys.member_chat_state.prefix)
            ]
            member_lists = (
                " ".join(_with_read_position(uid, read_positions) for uid in group)
                for group in groups.values()
            )
            source, token = event.fence
            commands.append(
                SYNC_LAST(
                    fences=fences,
                    prefixes=prefixes,
                    source=source,
                    token=token,
                    cid=cid,
                    last_id=event.data["id"],
                    sent_at=event.data["at"],
                    uids=member_lists,
                )
            )
        context.db.trip(*commands)
        context.heartbeat()


def sync_members(context: Context, events: Sequence[Event]) -> None:
    """Lists are brought up to whether their members belong to the chat by now. Deleted accounts leave it."""
    for event in events:
        cid, uids = event.data["chat"], event.data["uids"].split()
        requested = set(event.data.get("asked", "").split())
        fields, since = context.db.trip(
            ("HMGET", chat_keys.chat(cid), "last", "last_at", "created"),
            ("HMGET", chat_keys.chat_visible_from(cid), *uids),
        )
        last, last_at = fields[0] or "0", fields[1] or fields[2] or "0"
        joined_ids = {
            uid: both.split()[1] if both else "" for uid, both in zip(uids, since, strict=True)
        }
        commands = [
            _sync_members_command(
                fences,
                event,
                cid,
                last,
                last_at,
                [(uid, joined_ids[uid], uid in requested) for uid in group],
            )
            for fences, groups in group_by_fence(context, event, uids)
            for group in ([uid for group in groups.values() for uid in group],)
        ]
        deleted_uids = [uid for reply in context.db.trip(*commands) for uid in reply]
        context.db.trip(*(_leave_command(context, cid, int(uid)) for uid in deleted_uids))
        context.heartbeat()


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts leave their chats. Their own lists go last, so that a new owner can begin again; a chat they
    come to meanwhile is left when that is settled.
    """
    for event in events:
        uid = int(event.data["uid"])
        cids = context.db.run(("ZRANGE", chat_keys.member_chats(uid), 0, -1))
        context.db.trip(*(_leave_command(context, cid, uid) for cid in cids))
        context.db.trip(
            ("UNLINK", chat_keys.member_chats(uid)), ("UNLINK", chat_keys.member_chat_state(uid))
        )


def _leave_command(context: Context, cid: str, uid: int) -> Command:
    return LEAVE(
        cid,
        uid=uid,
        member=uid,
        account_deleted=1,
        outbox_max=context.config.outbox_max,
        rid=request_id.get(),
    )


def _sync_members_command(
    fences: str,
    event: Event,
    cid: str,
    last: str,
    last_at: str,
    members: Sequence[tuple[str, str, bool]],
) -> Command:
    source, token = event.fence
    uids = [int(uid) for uid, _, _ in members]
    member_keys = [
        build(uid)
        for uid in uids
        for build in (chat_keys.member_chats, chat_keys.member_chat_state, account_keys.user)
    ]
    member_fields: list[Any] = [
        part for uid, joined, asked in members for part in (uid, joined, "request" if asked else "")
    ]
    return SYNC_MEMBERS(
        fences=fences,
        lists=member_keys,
        source=source,
        token=token,
        cid=cid,
        last_id=last,
        sent_at=last_at,
        states=member_fields,
    )


def _with_read_position(uid: str, read_positions: Mapping[str, str | None]) -> str:
    return f"{uid}={int(float(read_positions[uid] or 0))}" if uid in read_positions else uid
