"""Read the positions at which programs begin to listen to the chats of their member."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.chat import keys as chat_keys
from webapp.chat.codec import parse_chat, parse_messages
from webapp.chat.inbox import keys as inbox_keys
from webapp.chat.models import Chat, Message
from webapp.core.store import Read, collect, gather, read, script

from .hints import Position

CHANGES = script("chat/live/lua/changes_since.lua")
CHANGES_MAX = 100  # messages that a reader gets to catch up; after more the page reloads


def listed_chats(uid: int) -> Read[list[str]]:
    """Read the ids of the chats on a member's list."""
    return read(("ZRANGE", inbox_keys.member_chats(uid), 0, -1), list)


def current_positions(cids: Iterable[str]) -> Read[dict[str, Position]]:
    """Read the position of everything that chats have, without chats that are gone."""
    listed = list(cids)
    return collect(map(_position, listed)).map(
        lambda found: {
            cid: position for cid, position in zip(listed, found, strict=True) if position
        }
    )


def first_positions(uid: int, cids: Iterable[str]) -> Read[dict[str, Position]]:
    """Read the positions after which all messages are new to a member who came to chats.

    Leaves out chats that are gone, and those that the member has left.
    """
    listed = list(cids)
    return gather(current_positions(listed), collect(_last_known(cid, uid) for cid in listed)).map(
        lambda found: {
            cid: (last_known, found[0][cid][1])
            for cid, last_known in zip(listed, found[1], strict=True)
            if cid in found[0] and last_known is not None
        }
    )


def _position(cid: str) -> Read[Position | None]:
    command = ("HMGET", chat_keys.chat(cid), "last", "rev")
    return read(command, lambda found: (int(found[0]), int(found[1])) if found[0] else None)


def _last_known(cid: str, uid: int) -> Read[int | None]:
    """Read the newest message when a member came, or how far they have fetched since.

    None if they do not belong to the chat.
    """
    joined = read(
        ("HGET", chat_keys.chat_visible_from(cid), uid),
        lambda found: int(found.split()[1]) if found else None,
    )
    fetched = read(
        ("ZSCORE", chat_keys.chat_fetch_positions(cid), uid), lambda score: int(float(score or 0))
    )
    return gather(joined, fetched).map(lambda ids: None if ids[0] is None else max(ids[0], ids[1]))


@dataclass(frozen=True, slots=True)
class Changes:
    """New and changed messages of a chat. `chat` is None if it no longer exists.

    `must_reload`: too much has changed to be listed. `first_visible` maps each uid that is a
    member to the first message that this member may see.
    """

    chat: Chat | None
    messages: Sequence[Message] = ()
    parents: Sequence[Message] = ()
    must_reload: bool = False
    first_visible: Mapping[int, int] = field(default_factory=dict)


def changes_since(cid: str, last_id: int, revision: int, uids: Sequence[int]) -> Read[Changes]:
    """Read a chat's new and changed messages after a position, and which `uids` are members."""
    command = CHANGES(cid=cid, last_id=last_id, revision=revision, limit=CHANGES_MAX, uids=uids)
    return read(command, lambda reply: _parse_changes(cid, uids, reply))


def _parse_changes(cid: str, uids: Sequence[int], reply: Sequence[Any]) -> Changes:
    if not reply:
        return Changes(None)
    fields, count, must_reload, messages, parents, first_ids = reply
    return Changes(
        chat=parse_chat(cid, fields, count),
        messages=parse_messages(messages),
        parents=parse_messages(parents),
        must_reload=bool(must_reload),
        first_visible={uid: first for uid, first in zip(uids, first_ids, strict=True) if first},
    )
