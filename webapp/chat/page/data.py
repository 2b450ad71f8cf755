"""Reading the data of a chat's page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.chat.ids import direct_members
from webapp.chat.inbox import listing
from webapp.chat.inbox.listing import InboxRow, ListEntry
from webapp.chat.members.policy import direct_block
from webapp.chat.messages.related import Related, related_to
from webapp.chat.reading import ChatPage, open_page
from webapp.core.store import Db

SIDE_LIST_MAX = 50  # chats beside an open one


@dataclass(frozen=True, slots=True)
class PageData:
    """A page of a chat, the people and statuses on it, and the list beside it.

    `entries`: the whole list. `blocked`: one member of a direct chat blocks the other.
    """

    chat_page: ChatPage
    related: Related
    entries: Sequence[ListEntry]
    rows: Sequence[InboxRow]
    blocked: bool = False

    @property
    def row(self) -> InboxRow | None:
        """Return the chat's own row on the list, None before it is there."""
        cid = self.chat_page.chat.id
        return next((row for row in self.rows if row.cid == cid), None)

    @property
    def can_write(self) -> bool:
        """Return True if the member may send messages."""
        chat_page = self.chat_page
        return not self.blocked and (chat_page.chat.kind != "announcement" or chat_page.is_owner)


def beside(entries: Sequence[ListEntry], cid: str) -> list[ListEntry]:
    """Return the entries of the chats beside an open one, and its own."""
    listed = [one for one in entries if one.is_active or one.cid == cid]
    return [one for at, one in enumerate(listed) if at < SIDE_LIST_MAX or one.cid == cid]


def load_page(db: Db, uid: int, cid: str, size: int, window: Mapping[str, Any]) -> PageData:
    """Return the data of a chat's page. Three trips. Raises NotFound, Forbidden."""
    chat_page, entries = db.fetch(
        open_page(uid, cid, size=size, **window), listing.list_entries(uid)
    )
    starters = filter(None, (chat_page.chat.creator_uid, chat_page.added_by))
    listed = beside(entries, cid)
    people = (*chat_page.read_positions, *(direct_members(cid) or starters))
    related, blocked, chats = db.fetch(
        related_to(chat_page.messages, chat_page.parents, people, readers=[uid]),
        direct_block(cid),
        listing.summaries(uid, listed),
    )
    rows = listing.complete_rows(db, uid, listed, chats, related.people)
    return PageData(chat_page, related.for_reader(uid), entries, rows, blocked)
