"""Chats and messages as JSON, for programs and bots. `docs/chat-api.md` explains each field."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from webapp.accounts.store import Member
from webapp.chat.inbox.listing import InboxRow
from webapp.chat.members.membership import Membership
from webapp.chat.models import Chat, Message, Picture

PeopleById = Mapping[int, Member]


def chat_to_json(chat: Chat) -> dict[str, Any]:
    """Return a chat."""
    return {
        "id": chat.id,
        "type": chat.kind,
        "name": chat.name,
        "topic": chat.topic,
        "member_count": chat.member_count,
        "history_shared": chat.history_shared,
        "retention": chat.retention,
        "created_at": _format_time(chat.created),
        "last_message_id": chat.last_id,
    }


def row_to_json(row: InboxRow) -> dict[str, Any]:
    """Return a chat of a member's list."""
    other, author = row.other_member, row.author
    people = {author.uid: author} if author else {}
    return {
        **chat_to_json(row.chat),
        "recipient": member_to_json(other.uid, {other.uid: other}) if other else None,
        "unread_count": row.unread,
        "muted": row.muted,
        "archived": row.archived,
        "request": bool(row.request_state),
        "last_message": message_to_json(row.chat.id, row.newest, people) if row.newest else None,
    }


def messages_to_json(chat: Chat, messages: Sequence[Message], people: PeopleById) -> dict[str, Any]:
    """Return a chat with some of its messages."""
    return {
        "chat": chat_to_json(chat),
        "messages": [message_to_json(chat.id, message, people) for message in messages],
    }


def message_to_json(cid: str, message: Message, people: PeopleById) -> dict[str, Any]:
    """Return a message. `people` are the members it refers to, by uid."""
    return {
        "id": message.id,
        "chat_id": cid,
        "created_at": _format_time(message.sent_at),
        "edited_at": _format_time(message.edited) if message.edited else None,
        "deleted": message.deleted,
        "author": member_to_json(message.author_uid, people),
        "text": message.text,
        "entities": [
            {"type": entity.kind, "text": entity.text, "start": entity.start, "end": entity.end}
            for entity in message.entities
        ],
        "in_reply_to_id": message.reply_to or None,
        "pictures": [_picture_to_json(cid, message.id, picture) for picture in message.pictures],
        # A string: in some languages a number of this size is not exact.
        "status_id": str(message.card.status_id) if message.card else None,
        "reactions": [
            {"name": emoji, "count": len(uids), "users": list(uids)}
            for emoji, uids in message.reactions.items()
        ],
    }


def member_to_json(uid: int, people: PeopleById) -> dict[str, Any]:
    """Return a member. One whose account is gone has only an id."""
    member = people.get(uid)
    return {
        "id": uid,
        "username": member.login if member else None,
        "display_name": member.name if member else None,
        "bot": bool(member and member.bot_owner),
    }


def membership_to_json(membership: Membership) -> dict[str, Any]:
    """Return a member of a chat, with their role in it."""
    member = membership.member
    return {
        **member_to_json(member.uid, {member.uid: member}),
        "role": "owner" if membership.is_owner else "member",
        "joined_at": _format_time(membership.joined_at),
    }


def _picture_to_json(cid: str, message_id: int, picture: Picture) -> dict[str, Any]:
    folder = f"/api/chats/{cid}/pictures/{message_id}"
    path, animation_path, *_ = (
        *(f"{folder}/{file.rpartition('/')[2]}" for file in picture.files),
        None,
    )
    return {
        "path": path,
        "animation_path": animation_path,
        "width": picture.width,
        "height": picture.height,
        "alt": picture.alt,
    }


def _format_time(moment: datetime) -> str:
    """Return a time in ISO 8601, in UTC, to the millisecond."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
