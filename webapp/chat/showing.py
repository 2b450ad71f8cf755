"""How messages are laid out on a page, and what templates of chats need besides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from babel.dates import format_skeleton
from flask import Blueprint, g
from flask_babel import get_locale

from ..accounts.store import Member
from ..app import config, told
from ..streams_url import stream_address
from .drafting import QUICK, link_parts
from .marks import badge_from
from .reading import Known, Opened, Row
from .store import Message, Picture

JOINED = timedelta(minutes=5)  # messages of one author within this time stand together
CARDS_MAX = 3  # links of a message that are shown as cards
FACES_MAX = 20  # readers whose pictures are shown
PICTURE_BOX = (420, 320)  # CSS pixels a picture is shown within
bp = Blueprint("chat_showing", __name__)


@dataclass(frozen=True, slots=True)
class Line:
    """A message in its place: the day that begins with it, if one does; whether what is new begins with it; whether it
    stands together with the one before.
    """

    message: Message
    day: date | None
    new: bool
    joined: bool


@dataclass(frozen=True, slots=True)
class Readers:
    """Who has read up to the newest message: some of them, and how many there are."""

    shown: tuple[Member, ...]
    count: int


def lines(opened: Opened, viewer: int) -> Iterator[Line]:
    """The messages of a page in their places. Days are those of UTC; a module of the page makes them the reader's."""
    before: Message | None = None
    new = False
    for message in opened.messages:
        day = message.at.date() if before is None or before.at.date() != message.at.date() else None
        first_new = not new and message.id > opened.read and message.author != viewer
        new = new or first_new
        joined = before is not None and before.author == message.author and message.at - before.at < JOINED
        yield Line(message, day, first_new, joined and day is None and not first_new)
        before = message


def readers(opened: Opened, known: Known, viewer: int, blocked: bool = False) -> Readers | None:
    """Who has read the newest message, but for the viewer and its author; None where nobody has, it is not shown, or
    the two of a direct chat block each other.
    """
    if opened.newer or not opened.messages or blocked:
        return None
    newest = opened.messages[-1]
    uids = [uid for uid, upto in opened.seen.items() if upto >= newest.id and uid not in (viewer, newest.author)]
    found = tuple(known.people[uid] for uid in uids if uid in known.people)
    return Readers(found[:FACES_MAX], len(uids)) if found else None


def unread_in_all(rows: Sequence[Row], cid: str = "", left: int = 0) -> int:
    """What the badge says: all that is unread where one wants to hear of it; `left` of chat `cid`, which one is just
    reading.
    """
    counts = {row.chat.id: row.unread for row in rows if not (row.muted or row.archived or row.waiting)}
    return sum((counts | {cid: left} if cid in counts else counts).values())


@bp.app_template_filter("clock")
def clock(moment: datetime) -> str:
    """The time of day, in UTC until the browser makes it the reader's."""
    return str(format_skeleton("Hm", moment.astimezone(UTC), locale=get_locale()))


@bp.app_template_filter("day")
def day(one: date) -> str:
    """A day, with its year when that is another one."""
    today = datetime.now(UTC).date()
    return str(format_skeleton("MMMMEEEEd" if one.year == today.year else "yMMMMd", one, locale=get_locale()))


@bp.app_template_filter("host")
def host(url: str) -> str:
    """The host that a link leads to, or nothing where it leads to none."""
    parts = link_parts(url)
    return parts.netloc if parts else ""


@bp.app_template_filter("link_cards")
def link_cards(message: Message) -> list[str]:
    """The links of a message that get a card: each host and path once, none beside a card of another kind."""
    links = [entity.text for entity in message.entities if entity.kind == "url" and host(entity.text)]
    return [] if message.card else list(dict.fromkeys(links))[:CARDS_MAX]


@bp.app_template_filter("shown_size")
def shown_size(picture: Picture) -> tuple[int, int]:
    """The size a picture is shown in, CSS pixels."""
    scale = min(PICTURE_BOX[0] / picture.width, PICTURE_BOX[1] / picture.height, 1)
    return max(round(picture.width * scale), 1), max(round(picture.height * scale), 1)


@bp.app_template_filter("picture_file")
def picture_file(picture: Picture, message: Message) -> str:
    """The file's name in a picture's address, which says whose message shows it."""
    return f"{message.id}-{picture.name.rpartition('/')[2]}.webp"


@bp.app_template_filter("who_reacted")
def who_reacted(uids: Sequence[int], people: Mapping[int, Member]) -> str:
    """A few names of those who answered with an emoji, for a hint."""
    names = [people[uid].name for uid in uids[:3] if uid in people]
    return ", ".join([*names, "…"] if len(uids) > len(names) else names)


@bp.app_template_test("editable")
def editable(message: Message) -> bool:
    """Whether a message's author may still change its text."""
    return not message.deleted and datetime.now(UTC) - message.at < timedelta(hours=config().chat_edit_hours)


@bp.app_context_processor
def shared() -> dict[str, object]:
    """What every page shows of chats: how much is unread in all, and where it learns of more."""
    stream = f"{stream_address()}/stream/chats" if g.get("session") else ""
    return {"quick_emoji": QUICK, "unread_chats": unread(), "chats_stream": stream}


def unread() -> int:
    """How many messages wait for who is asking."""
    return badge_from(told()[0]).total if told() else 0
