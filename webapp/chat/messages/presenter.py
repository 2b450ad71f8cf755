"""Arrange messages on a page, find their readers, and count waiting messages in chats."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from webapp.accounts.store import Member
from webapp.chat.inbox.listing import ListEntry
from webapp.chat.models import Message
from webapp.chat.reading import ChatPage

from .related import Related

GROUPING_WINDOW = timedelta(minutes=5)  # messages of one author within this time are grouped
READERS_SHOWN_MAX = 20  # readers whose pictures are shown


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message in its place on a page.

    `day` is set if a day begins with it. `starts_new`: it is the first unread message. `grouped`:
    it belongs with the message above.
    """

    message: Message
    day: date | None
    starts_new: bool
    grouped: bool


@dataclass(frozen=True, slots=True)
class Readers:
    """Those who have read up to the newest message: some of them, and how many there are."""

    members: tuple[Member, ...]
    count: int


def message_rows(chat_page: ChatPage, viewer_uid: int) -> Iterator[MessageRow]:
    """Yield the messages of a page in their places.

    Days are in UTC; a script of the page makes them the reader's.
    """
    previous: Message | None = None
    new_started = False
    for message in chat_page.messages:
        is_new = message.id > chat_page.last_read and message.author_uid != viewer_uid
        starts_new = is_new and not new_started
        new_started = new_started or starts_new
        day = message.sent_at.date()
        starts_day = previous is None or previous.sent_at.date() != day
        grouped = _belong_together(previous, message) and not starts_day and not starts_new
        yield MessageRow(message, day if starts_day else None, starts_new, grouped)
        previous = message


def newest_readers(
    chat_page: ChatPage, related: Related, viewer_uid: int, blocked: bool
) -> Readers | None:
    """Return the readers of the newest message, without the viewer and its author.

    None if nobody has, if it is not on the page, or if a block is between the two of a direct chat.
    """
    if chat_page.has_newer or not chat_page.messages or blocked:
        return None
    newest = chat_page.messages[-1]
    uids = [
        uid
        for uid, last_read in chat_page.read_positions.items()
        if last_read >= newest.id and uid not in (viewer_uid, newest.author_uid)
    ]
    members = tuple(related.people[uid] for uid in uids if uid in related.people)
    return Readers(members[:READERS_SHOWN_MAX], len(uids)) if members else None


def badge_count(entries: Sequence[ListEntry], cid: str = "", unread_left: int = 0) -> int:
    """Return how many unread messages and requests wait for the viewer, as `UnreadCounts.badge`.

    Chats that are muted or archived do not count. `unread_left` counts instead for chat `cid`,
    which the viewer is reading.
    """
    counts = {
        entry.cid: entry.unread
        for entry in entries
        if entry.is_active and not (entry.muted or entry.request_state)
    }
    if cid in counts:
        counts[cid] = unread_left
    return sum(counts.values()) + count_requests(entries)


def count_requests(entries: Sequence[ListEntry]) -> int:
    """Return how many requests wait for an answer."""
    return sum(entry.is_request for entry in entries)


def _belong_together(previous: Message | None, message: Message) -> bool:
    if previous is None or previous.author_uid != message.author_uid:
        return False
    return message.sent_at - previous.sent_at < GROUPING_WINDOW
