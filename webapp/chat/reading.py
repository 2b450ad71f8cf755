"""Read a page of a chat, or one message."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Read, read, script

from .codec import parse_chat, parse_messages
from .ids import direct_members
from .models import Chat, Message

OPEN_PAGE = script("chat/messages/lua/open_page.lua")
READERS_MAX = 60  # read receipts of a page


@dataclass(frozen=True, slots=True)
class ChatPage:
    """A chat as one of its members sees it, with a page of its messages, oldest first.

    `first_visible` is the first message they may see, `last_read` the one they have read up to.
    `read_positions` maps uids to the message they have read up to. `sent` counts the messages that
    the member has sent, `sent_shown` those up to the end of the page or to `last_read`.
    `joined_at` is the newest message when they came, `added_by` the uid of the member who added
    them to a group chat, 0 if nobody did.
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
    sent: int = 0
    sent_shown: int = 0
    joined_at: int = 0
    added_by: int = 0

    def unread_left(self, deleted: Collection[int] = ()) -> int:
        """Return how many messages of others are unread once this page has been read.

        `deleted`: the ids of messages of others that were deleted unread.
        """
        seen_to = max(self.last_read, self.last_shown)
        deleted_left = sum(seen_to < message_id <= self.chat.last_id for message_id in deleted)
        return max(self.chat.last_id - seen_to - (self.sent - self.sent_shown) - deleted_left, 0)

    @property
    def position(self) -> str:
        """Return the position from which a stream continues this page: `last.revision`."""
        return f"{self.chat.last_id}.{self.chat.revision}"

    @property
    def last_shown(self) -> int:
        """Return the id of the newest message on the page.

        Of an empty page: the chat's newest id, or 0 if there are newer messages than the page's.
        """
        if self.messages:
            return self.messages[-1].id
        return 0 if self.has_newer else self.chat.last_id

    def find(self, message_id: int) -> Message | None:
        """Return a message of the page, None if it is deleted or not on it."""
        for message in self.messages:
            if message.id == message_id and not message.deleted:
                return message
        return None


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
    command = OPEN_PAGE(cid=cid, uid=uid, readers_max=READERS_MAX, **window)
    return read(command, lambda reply: _parse_page(cid, reply))


def open_chat(uid: int, cid: str) -> Read[ChatPage]:
    """Read a chat that a member belongs to. Raises NotFound, Forbidden."""
    return open_page(uid, cid, size=1)


def find_message(uid: int, cid: str, message_id: int) -> Read[Message | None]:
    """Read a message that a member may see, None if it is gone. Raises NotFound, Forbidden."""
    page = open_page(uid, cid, around=message_id, size=1)
    return page.map(lambda chat_page: chat_page.find(message_id))


def get_message(uid: int, cid: str, message_id: int) -> Read[Message]:
    """Read a message that a member may see, also a deleted one. Raises NotFound, Forbidden."""

    def find(page: ChatPage) -> Message:
        for message in page.messages:
            if message.id == message_id:
                return message
        raise NotFound("no_message")

    return open_page(uid, cid, around=message_id, size=1).map(find)


def _parse_page(cid: str, reply: Sequence[Any]) -> ChatPage:
    fields, count, is_owner, first, last_read, messages, parents, readers, start, end = reply[:10]
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
        sent=reply[10],
        sent_shown=reply[11],
        joined_at=reply[12],
        added_by=int(reply[13] or 0),
    )
