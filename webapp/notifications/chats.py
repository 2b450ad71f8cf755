"""Notifications of being mentioned in a group chat: who gets them, and their content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webapp.accounts import store as accounts
from webapp.chat import keys as chat_keys
from webapp.chat.codec import parse_message
from webapp.chat.ids import is_direct
from webapp.chat.inbox import keys as inbox_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Read, collect, gather, read

from .notices import BATCH, Notice, remove_command, sync_notices


class ChatMention(NamedTuple):
    """A message that mentions the reader: its chat with its name, its id there, and its text."""

    cid: str
    name: str
    message_id: int
    text: str


def notify_chat_mentions(context: Context, events: Sequence[Event]) -> None:
    """Notify members who are mentioned in a group chat. Up to six trips. Safe to run twice.

    They must see the message, must not have muted the chat, and must have accepted it if they had
    to. In a direct chat every message counts as unread, so nobody is notified.
    """
    db = context.db
    groups = [event for event in events if not is_direct(event.data["chat"])]
    mentioned = db.read(collect(map(_mentioned_logins, groups)))
    members = accounts.get_many_by_login(db, {login for logins in mentioned for login in logins})
    pairs = [
        (event, members[login].uid)
        for event, logins in zip(groups, mentioned, strict=True)
        for login in logins
        if login in members
    ]
    wanted = db.read(collect(_is_wanted(*pair) for pair in pairs))
    notices = [_notice(*pair) for pair, is_wanted in zip(pairs, wanted, strict=True) if is_wanted]
    sync_notices(context, notices)


def retract_chat_mentions(context: Context, events: Sequence[Event]) -> None:
    """Remove the notifications about deleted messages, and about chats that members have left.

    One trip for each event, and one for each BATCH of members.
    """
    for event in events:
        cid = event.data["chat"]
        actor, subject = event.data.get("uid", ""), f"{cid}.{event.data.get('id', '')}"
        members = read(("ZRANGE", chat_keys.chat_members(cid), 0, -1), list)
        uids = context.db.read(members)
        if "uids" in event.data:
            uids = sorted(set(event.data["uids"].split()) - set(uids))
        for start in range(0, len(uids), BATCH):
            page = uids[start : start + BATCH]
            context.db.trip_all(
                remove_command(event, int(uid), "chat", actor, subject) for uid in page
            )


def chat_mention(uid: int, subject: str) -> Read[ChatMention | None]:
    """Read the message that a notification is about (`cid.message`).

    None if it is gone, or the reader has left, or has come back since and sees only newer ones.
    """
    cid, _, message_id = subject.partition(".")

    def parse(replies: Sequence[str | None]) -> ChatMention | None:
        visible_from, name, raw = replies
        if not raw or not _is_visible(visible_from, int(message_id)):
            return None
        message = parse_message(message_id, raw)
        return None if message.deleted else ChatMention(cid, name or "", message.id, message.text)

    return Read(
        (
            ("HGET", chat_keys.chat_visible_from(cid), uid),
            ("HGET", chat_keys.chat(cid), "name"),
            ("HGET", chat_keys.chat_messages(cid), message_id),
        ),
        parse,
    )


def _mentioned_logins(event: Event) -> Read[set[str]]:
    """Read the logins that an event's message mentions, in lower case. None if it is gone."""
    message_id = event.data["id"]
    return read(
        ("HGET", chat_keys.chat_messages(event.data["chat"]), message_id),
        lambda raw: parse_message(message_id, raw).mentioned_logins() if raw else set(),
    )


def _is_wanted(event: Event, uid: int) -> Read[bool]:
    cid, message_id = event.data["chat"], event.number("id")
    is_visible = read(
        ("HGET", chat_keys.chat_visible_from(cid), uid),
        lambda visible_from: _is_visible(visible_from, message_id),
    )
    is_quiet = read(
        ("HMGET", inbox_keys.member_chat_state(uid), f"muted:{cid}", f"waiting:{cid}"), any
    )
    return gather(is_visible, is_quiet).map(lambda found: found[0] and not found[1])


def _is_visible(visible_from: str | None, message_id: int) -> bool:
    """Return True if a member sees a message. `visible_from`: their field of the chat, or None."""
    return visible_from is not None and int(visible_from.split()[0]) <= message_id


def _notice(event: Event, uid: int) -> Notice:
    cid, actor = event.data["chat"], event.number("uid")
    return Notice(
        event=event,
        kind="chat",
        actor=actor,
        recipient=uid,
        subject=f"{cid}.{event.data['id']}",
        source_key=inbox_keys.member_chats(actor),
        source_member=cid,
    )
