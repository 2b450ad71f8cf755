"""Whom a group's messages name, and what is shown of those messages to who was told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webapp.accounts.store import get_many_by_login
from webapp.chat import keys as chat_keys
from webapp.chat.codec import parse_message
from webapp.chat.ids import is_direct
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command

from .projections import Notice, sync_notices


class ChatMention(NamedTuple):
    """A message that names the reader: its chat with that one's name, its number there, and what it says."""

    cid: str
    name: str
    message_id: int
    text: str


def notify_chat_mentions(context: Context, events: Sequence[Event]) -> None:
    """Messages of groups tell whom they name, of those who belong to the chat, have not muted it and are not still to
    answer whether they want to. In chats between two every message is for the other, who sees that it waits.
    """
    groups = [event for event in events if not is_direct(event.data["chat"])]
    raw_messages = context.db.trip(
        *(("HGET", chat_keys.chat_messages(one.data["chat"]), one.data["id"]) for one in groups)
    )
    event_logins = [
        (event, _mentioned_logins(event, raw))
        for event, raw in zip(groups, raw_messages, strict=True)
        if raw
    ]
    members = get_many_by_login(
        context.db, {login for _, logins in event_logins for login in logins}
    )
    pairs = [
        (event, members[login].uid)
        for event, logins in event_logins
        for login in logins
        if login in members
    ]
    replies = context.db.trip(
        *(command for pair in pairs for command in _recipient_commands(*pair))
    )
    recipients = [
        pair
        for pair, belongs, quiet in zip(pairs, replies[::2], replies[1::2], strict=True)
        if belongs is not None and not any(quiet)
    ]
    sync_notices(context, [_notice(*pair) for pair in recipients])


def chat_mention_commands(uid: int, subject: str) -> list[Command]:
    """The commands whose replies `heard_from` reads."""
    cid, _, message = subject.partition(".")
    return [
        ("HGET", chat_keys.chat_visible_from(cid), uid),
        ("HGET", chat_keys.chat(cid), "name"),
        ("HGET", chat_keys.chat_messages(cid), message),
    ]


def chat_mention_from(subject: str, replies: Sequence[str | None]) -> ChatMention | None:
    """The message of a notification about `chat.message`; None where the reader has left, or came back to no more than
    what was written since, or it is gone.
    """
    since, name, raw = replies
    cid, _, message_id = subject.partition(".")
    message = (
        parse_message(message_id, raw)
        if since and int(since.split()[0]) <= int(message_id) and raw
        else None
    )
    return (
        ChatMention(cid, name or "", message.id, message.text)
        if message and not message.deleted
        else None
    )


def _mentioned_logins(event: Event, raw: str) -> set[str]:
    message = parse_message(event.data["id"], raw)
    return {one.text.lower() for one in message.entities if one.kind == "mention"}


def _recipient_commands(event: Event, uid: int) -> list[Command]:
    cid = event.data["chat"]
    flags_command = ("HMGET", chat_keys.member_chat_state(uid), f"muted:{cid}", f"waiting:{cid}")
    return [("ZSCORE", chat_keys.chat_members(cid), uid), flags_command]


def _notice(event: Event, uid: int) -> Notice:
    cid, actor = event.data["chat"], int(event.data["by"])
    return Notice(
        event, "chat", actor, uid, f"{cid}.{event.data['id']}", chat_keys.member_chats(actor), cid
    )
