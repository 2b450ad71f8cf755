"""Bringing members' lists up to what happens in chats. Each projection is safe to run twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webapp.accounts import keys as account_keys
from webapp.chat import keys as chat_keys
from webapp.chat.scripts import ChatScript
from webapp.core.events.outbox import Context, Event, request_id
from webapp.core.store.reads import Command, Read, collect, read
from webapp.core.store.scripts import script
from webapp.timelines.fanout.partitions import group_by_fence

LEAVE = ChatScript("chat/members/lua/leave.lua")
SYNC_MEMBERS = script("chat/inbox/lua/sync_members.lua")
SYNC_LAST_MESSAGE = script("chat/inbox/lua/sync_last_message.lua")


def sync_last_messages(context: Context, events: Sequence[Event]) -> None:
    """Bring lists up to the newest message of each chat. Two trips, and one more for each chat."""
    newest = {event.data["chat"]: event for event in events}
    authors: dict[str, set[str]] = {cid: set() for cid in newest}
    for event in events:
        authors[event.data["chat"]].add(event.data["by"])
    members, positions = context.db.fetch(
        collect(read(("ZRANGE", chat_keys.chat_members(cid), 0, -1), list) for cid in newest),
        collect(_read_positions(cid, sorted(uids)) for cid, uids in authors.items()),
    )
    for event, uids, read_up_to in zip(newest.values(), members, positions, strict=True):
        context.db.trip(
            *(
                _sync_last_message_command(event, fences, groups, read_up_to)
                for fences, groups in group_by_fence(context, event, uids)
            )
        )
        context.heartbeat()


def sync_members(context: Context, events: Sequence[Event]) -> None:
    """Put chats on the lists of their members, and take them off others'. Three trips each.

    Deleted accounts leave the chat.
    """
    for event in events:
        cid, uids = event.data["chat"], event.data["uids"].split()
        newest, joined_ids = context.db.fetch(_newest(cid), _joined_ids(cid, uids))
        replies = context.db.trip(
            *(
                _sync_members_command(
                    event,
                    fences,
                    [uid for group in groups.values() for uid in group],
                    joined_ids,
                    newest,
                )
                for fences, groups in group_by_fence(context, event, uids)
            )
        )
        deleted_uids = [uid for reply in replies for uid in reply]
        context.db.trip(*(_leave_command(context, cid, int(uid)) for uid in deleted_uids))
        context.heartbeat()


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Let deleted accounts leave their chats. Three trips each.

    Their own lists go last, so that another worker can start over. A chat that they come to
    meanwhile is left by `sync_members`.
    """
    for event in events:
        uid = int(event.data["uid"])
        cids = context.db.run(("ZRANGE", chat_keys.member_chats(uid), 0, -1))
        context.db.trip(*(_leave_command(context, cid, uid) for cid in cids))
        context.db.trip(
            ("UNLINK", chat_keys.member_chats(uid)), ("UNLINK", chat_keys.member_chat_state(uid))
        )


def _read_positions(cid: str, uids: Sequence[str]) -> Read[dict[str, int]]:
    """Read how far members have read, 0 for those who have left."""

    def parse(scores: Sequence[str | None]) -> dict[str, int]:
        return {uid: int(float(score or 0)) for uid, score in zip(uids, scores, strict=True)}

    return read(("ZMSCORE", chat_keys.chat_read_receipts(cid), *uids), parse)


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


def _sync_last_message_command(
    event: Event, fences: str, groups: Mapping[int, Sequence[str]], read_up_to: Mapping[str, int]
) -> Command:
    """Return the command for members by partition; authors are in `read_up_to`."""
    source, token = event.fence
    prefixes = []
    uids = []
    for partition, group in groups.items():
        prefixes += [
            chat_keys.member_chats.prefix(partition),
            chat_keys.member_chat_state.prefix(partition),
        ]
        uids.append(
            " ".join(f"{uid}={read_up_to[uid]}" if uid in read_up_to else uid for uid in group)
        )
    return SYNC_LAST_MESSAGE(
        fences=fences,
        prefixes=prefixes,
        source=source,
        token=token,
        cid=event.data["chat"],
        last_id=event.data["id"],
        sent_at=event.data["at"],
        uids=uids,
    )


def _sync_members_command(
    event: Event,
    fences: str,
    uids: Sequence[str],
    joined_ids: Mapping[str, str],
    newest: tuple[str, str],
) -> Command:
    source, token = event.fence
    last_id, sent_at = newest
    must_accept = event.data.get("asked", "").split()
    lists = []
    states = []
    for uid in uids:
        for key in (chat_keys.member_chats, chat_keys.member_chat_state, account_keys.user):
            lists.append(key(int(uid)))
        states += [uid, joined_ids[uid], "request" if uid in must_accept else ""]
    return SYNC_MEMBERS(
        fences=fences,
        lists=lists,
        source=source,
        token=token,
        cid=event.data["chat"],
        last_id=last_id,
        sent_at=sent_at,
        states=states,
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
