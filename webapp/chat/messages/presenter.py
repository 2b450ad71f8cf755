"""How messages are laid out on a page, and what templates of chats need besides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from babel.dates import format_skeleton
from flask import Blueprint, g
from flask_babel import get_locale

from webapp.accounts.store import Member
from webapp.chat.inbox.chat_state import UnreadCounts
from webapp.chat.store import Message, Picture
from webapp.core.live.stream_urls import stream_base_url
from webapp.core.web.context import config
from webapp.core.web.prefetch import viewer_context

from .message_text import QUICK_REACTIONS, split_link
from .reading import ChatPage, InboxRow, Related

GROUPING_WINDOW = timedelta(minutes=5)  # messages of one author within this time stand together
LINK_CARDS_MAX = 3  # links of a message that are shown as cards
READERS_SHOWN_MAX = 20  # readers whose pictures are shown
PICTURE_BOX = (420, 320)  # CSS pixels a picture is shown within
bp = Blueprint("chat_showing", __name__)


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message in its place: the day that begins with it, if one does; whether what is new begins with it; whether it
    stands together with the one before.
    """

    message: Message
    day: date | None
    starts_new: bool
    grouped: bool


@dataclass(frozen=True, slots=True)
class Readers:
    """Who has read up to the newest message: some of them, and how many there are."""

    members: tuple[Member, ...]
    count: int


def message_rows(chat_page: ChatPage, viewer_uid: int) -> Iterator[MessageRow]:
    """The messages of a page in their places. Days are those of UTC; a module of the page makes them the reader's."""
    previous: Message | None = None
    new_started = False
    for message in chat_page.messages:
        day = (
            message.sent_at.date()
            if previous is None or previous.sent_at.date() != message.sent_at.date()
            else None
        )
        first_new = (
            not new_started
            and message.id > chat_page.last_read
            and message.author_uid != viewer_uid
        )
        new_started = new_started or first_new
        grouped = (
            previous is not None
            and previous.author_uid == message.author_uid
            and message.sent_at - previous.sent_at < GROUPING_WINDOW
        )
        yield MessageRow(message, day, first_new, grouped and day is None and not first_new)
        previous = message


def newest_readers(
    chat_page: ChatPage, related: Related, viewer_uid: int, blocked: bool = False
) -> Readers | None:
    """Who has read the newest message, but for the viewer and its author; None where nobody has, it is not shown, or
    the two of a direct chat block each other.
    """
    if chat_page.has_newer or not chat_page.messages or blocked:
        return None
    newest = chat_page.messages[-1]
    uids = [
        uid
        for uid, upto in chat_page.read_positions.items()
        if upto >= newest.id and uid not in (viewer_uid, newest.author_uid)
    ]
    members = tuple(related.people[uid] for uid in uids if uid in related.people)
    return Readers(members[:READERS_SHOWN_MAX], len(uids)) if members else None


def total_unread(rows: Sequence[InboxRow], cid: str = "", unread_left: int = 0) -> int:
    """What the badge says: all that is unread where one wants to hear of it; `unread_left` of chat `cid`, which one is just
    reading.
    """
    counts = {
        row.chat.id: row.unread
        for row in rows
        if not (row.muted or row.archived or row.request_state)
    }
    return sum((counts | {cid: unread_left} if cid in counts else counts).values())


@bp.app_template_filter("time_of_day")
def time_of_day(moment: datetime) -> str:
    """The time of day, in UTC until the browser makes it the reader's."""
    return str(format_skeleton("Hm", moment.astimezone(UTC), locale=get_locale()))


@bp.app_template_filter("format_day")
def format_day(value: date) -> str:
    """A day, with its year when that is another one."""
    today = datetime.now(UTC).date()
    return str(
        format_skeleton(
            "MMMMEEEEd" if value.year == today.year else "yMMMMd", value, locale=get_locale()
        )
    )


@bp.app_template_filter("host")
def host(url: str) -> str:
    """The host that a link leads to, or nothing where it leads to none."""
    parts = split_link(url)
    return parts.netloc if parts else ""


@bp.app_template_filter("link_cards")
def link_cards(message: Message) -> list[str]:
    """The links of a message that get a card: each host and path once, none beside a card of another kind."""
    links = [
        entity.text for entity in message.entities if entity.kind == "url" and host(entity.text)
    ]
    return [] if message.card else list(dict.fromkeys(links))[:LINK_CARDS_MAX]


@bp.app_template_filter("display_size")
def display_size(picture: Picture) -> tuple[int, int]:
    """The size a picture is shown in, CSS pixels."""
    scale = min(PICTURE_BOX[0] / picture.width, PICTURE_BOX[1] / picture.height, 1)
    return max(round(picture.width * scale), 1), max(round(picture.height * scale), 1)


@bp.app_template_filter("picture_file")
def picture_file(picture: Picture, message: Message) -> str:
    """The file's name in a picture's address, which says whose message shows it."""
    return f"{message.id}-{picture.name.rpartition('/')[2]}.webp"


@bp.app_template_filter("reactor_names")
def reactor_names(uids: Sequence[int], people: Mapping[int, Member]) -> str:
    """A few names of those who answered with an emoji, for a hint."""
    names = [people[uid].name for uid in uids[:3] if uid in people]
    return ", ".join([*names, "…"] if len(uids) > len(names) else names)


@bp.app_template_test("editable")
def editable(message: Message) -> bool:
    """Whether a message's author may still change its text."""
    return not message.deleted and datetime.now(UTC) - message.sent_at < timedelta(
        hours=config().chat_edit_hours
    )


@bp.app_context_processor
def page_context() -> dict[str, object]:
    """What every page shows of chats: how much is unread in all, and where it learns of more."""
    stream = f"{stream_base_url()}/stream/chats" if g.get("session") else ""
    return {"quick_emoji": QUICK_REACTIONS, "unread_chats": unread_total(), "chats_stream": stream}


def unread_total() -> int:
    """How many messages wait for who is asking."""
    counts: UnreadCounts | None = viewer_context().get("unread_chats")
    return counts.total if counts else 0
