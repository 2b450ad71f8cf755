"""Read a page of a chat, one message, or what has changed in a chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from webapp.chat.codec import parse_chat, parse_messages
from webapp.chat.ids import direct_members
from webapp.chat.models import Chat, Message
from webapp.chat.scripts import ChatScript
from webapp.core.store.reads import Read, read
from webapp.errors import Forbidden

OPEN_PAGE = ChatScript("chat/messages/lua/open_page.lua")
CHANGES = ChatScript("chat/messages/lua/changes_since.lua")
READERS_MAX = 60  # read receipts of a page
CHANGES_MAX = 100  # messages that a reader gets to catch up; after more the page reloads


@dataclass(frozen=True, slots=True)
class ChatPage:
    """A chat as one of its members sees it, with a page of its messages, oldest first.

    `first_visible` is the first message they may see, `last_read` the one they have read up to.
    `read_positions` maps uids to the message they have read up to.
    """

    chat: Chat
    is_owner: bool = False
    first_visible: int = 1
    last_read: int = 0
    messages: Sequence[Message] = ()
    has_older: bool = False
    has_newer: bool = False
    read_positions: Mapping[int, int] = field(default_factory=dict)
    parents: Sequence[Message] = ()

    @property
    def position(self) -> str:
        """Where a stream of this chat continues: `last.revision`."""
        return f"{self.chat.last_id}.{self.chat.revision}"

    @property
    def last_shown(self) -> int:
        """The newest message on the page; the chat's newest if it keeps none from there on."""
        if self.messages:
            return self.messages[-1].id
        return 0 if self.has_newer else self.chat.last_id

    def find(self, message_id: int) -> Message | None:
        """Return a message of the page, None if it is deleted or not on it."""
        for message in self.messages:
            if message.id == message_id and not message.deleted:
                return message
        return None


@dataclass(frozen=True, slots=True)
class Changes:
    """What came to a chat or changed in it. `chat` is None if it no longer exists.

    With `must_reload` there is too much to tell. `first_visible` maps the members among the uids
    to the first message they may see.
    """

    chat: Chat | None
    messages: Sequence[Message] = ()
    parents: Sequence[Message] = ()
    must_reload: bool = False
    first_visible: Mapping[int, int] = field(default_factory=dict)


def open_page(
    uid: int,
    cid: str,
    *,
    before: int | None = None,
    after: int | None = None,
    around: int | None = None,
    unread: bool = False,
    date: datetime | None = None,
    size: int = 50,
) -> Read[ChatPage]:
    """Read a page of a chat: by default its newest messages.

    Otherwise the messages before or after an id, around an id or the first unread message, or from
    a time on. Raises NotFound, and Forbidden for somebody who is not a member.
    """
    members = direct_members(cid)
    if members and uid not in members:
        raise Forbidden("not_in_chat")
    window: dict[str, object] = {"around": "", "before": size, "after": 0, "since": ""}
    if before is not None:
        window |= {"around": before}
    elif after is not None:
        window |= {"around": after + 1, "before": 0, "after": size}
    elif around is not None or unread:
        place = around if around is not None else "unread"
        window |= {"around": place, "before": size // 2, "after": size - size // 2}
    elif date is not None:
        window |= {"before": 0, "after": size, "since": int(date.timestamp() * 1000)}
    command = OPEN_PAGE(cid, uid=uid, readers_max=READERS_MAX, **window)
    return read(command, lambda reply: _parse_page(cid, reply))


def open_chat(uid: int, cid: str) -> Read[ChatPage]:
    """Read a chat that a member belongs to. Raises NotFound, Forbidden."""
    return open_page(uid, cid, size=1)


def find_message(uid: int, cid: str, message_id: int) -> Read[Message | None]:
    """Read a message that a member may see, None if it is gone. Raises NotFound, Forbidden."""
    page = open_page(uid, cid, around=message_id, size=1)
    return page.map(lambda chat_page: chat_page.find(message_id))


def changes_since(cid: str, last_id: int, revision: int, uids: Sequence[int]) -> Read[Changes]:
    """Read what came to a chat or changed in it after a position; and who of `uids` is a member."""
    command = CHANGES(cid, last_id=last_id, revision=revision, limit=CHANGES_MAX, uids=uids)
    return read(command, lambda reply: _parse_changes(cid, uids, reply))


def _parse_page(cid: str, reply: Sequence[Any]) -> ChatPage:
    fields, count, is_owner, first, last_read, messages, parents, readers, start, end = reply
    chat = parse_chat(cid, fields, count)
    read_up_to = zip(readers[::2], readers[1::2], strict=True)
    return ChatPage(
        chat=chat,
        is_owner=bool(is_owner),
        first_visible=first,
        last_read=last_read,
        messages=parse_messages(messages),
        has_older=start > max(first, chat.first_id),
        has_newer=end < chat.last_id,
        read_positions={int(uid): int(message_id) for uid, message_id in read_up_to},
        parents=parse_messages(parents),
    )


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
