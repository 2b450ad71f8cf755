"""Read the changes of a chat since a position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.chat.codec import parse_chat, parse_messages
from webapp.chat.models import Chat, Message
from webapp.core.store.reads import Read, read
from webapp.core.store.scripts import script

CHANGES = script("chat/live/lua/changes_since.lua")
CHANGES_MAX = 100  # messages that a reader gets to catch up; after more the page reloads


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
