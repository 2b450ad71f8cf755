"""What happens in chats, brought into the lists of their members. Each of these is safe to run twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import keys
from ..db import Command
from ..events import Context, Event, trace
from ..scripts import script
from ..timelines.projections import grouped
from .store import names

LEAVE = script("chat/leave.lua")
MEMBERS = script("chat/project_members.lua")
LAST = script("chat/project_last.lua")


def raise_last(context: Context, events: Sequence[Event]) -> None:
    """Lists learn of new messages: of each chat's newest, once for all events that came together."""
    newest = {event.data["chat"]: event for event in events}
    authors = {cid: sorted({event.data["by"] for event in events if event.data["chat"] == cid}) for cid in newest}
    replies = context.db.trip(
        *(("ZRANGE", keys.chat_members(cid), 0, -1) for cid in newest),
        *(("ZMSCORE", keys.chat_seen(cid), *authors[cid]) for cid in newest),
    )
    for index, (cid, event) in enumerate(newest.items()):
        read = dict(zip(authors[cid], replies[len(newest) + index], strict=True))
        commands = []
        for fences, groups in grouped(context, event, replies[index]):
            prefixes = [pick(p) for p in groups for pick in (keys.member_chats_prefix, keys.chat_marks_prefix)]
            lists = (" ".join(_who(uid, read) for uid in group) for group in groups.values())
            facts = (cid, event.data["id"], event.data["at"])
            commands.append(LAST([fences, *prefixes], *event.fence, *facts, *lists))
        context.db.trip(*commands)
        context.beat()


def settle_members(context: Context, events: Sequence[Event]) -> None:
    """Lists are brought up to whether their members belong to the chat by now. Deleted accounts leave it."""
    for event in events:
        cid, uids = event.data["chat"], event.data["uids"].split()
        asked = set(event.data.get("asked", "").split())
        fields, since = context.db.trip(
            ("HMGET", keys.chat(cid), "last", "last_at", "created"), ("HMGET", keys.chat_since(cid), *uids)
        )
        last, at = fields[0] or "0", fields[1] or fields[2] or "0"
        joined = {uid: both.split()[1] if both else "" for uid, both in zip(uids, since, strict=True)}
        commands = [
            _settle(fences, event, cid, last, at, [(uid, joined[uid], uid in asked) for uid in group])
            for fences, groups in grouped(context, event, uids)
            for group in ([uid for group in groups.values() for uid in group],)
        ]
        gone = [uid for reply in context.db.trip(*commands) for uid in reply]
        context.db.trip(*(_departure(context, cid, int(uid)) for uid in gone))
        context.beat()


def depart(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts leave their chats. Their own lists go last, so that a new owner can begin again; a chat they
    come to meanwhile is left when that is settled.
    """
    for event in events:
        uid = int(event.data["uid"])
        cids = context.db.run(("ZRANGE", keys.member_chats(uid), 0, -1))
        context.db.trip(*(_departure(context, cid, uid) for cid in cids))
        context.db.trip(("UNLINK", keys.member_chats(uid)), ("UNLINK", keys.chat_marks(uid)))


def _departure(context: Context, cid: str, uid: int) -> Command:
    partition = keys.chat_partition(cid)
    return LEAVE(names(cid), cid, partition, uid, uid, 1, context.config.outbox_max, *trace())


def _settle(
    fences: str, event: Event, cid: str, last: str, at: str, people: Sequence[tuple[str, str, bool]]
) -> Command:
    uids = [int(uid) for uid, _, _ in people]
    own = [build(uid) for uid in uids for build in (keys.member_chats, keys.chat_marks, keys.user)]
    facts: list[Any] = [part for uid, joined, asked in people for part in (uid, joined, "request" if asked else "")]
    return MEMBERS([fences, *own], *event.fence, cid, last, at, *facts)


def _who(uid: str, read: Mapping[str, str | None]) -> str:
    return f"{uid}={int(float(read[uid] or 0))}" if uid in read else uid
