"""Template filters of chats, and the chat variables that every page gets."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from babel.dates import format_skeleton, format_time
from flask import Blueprint, g
from flask_babel import get_locale, gettext as _

from webapp.accounts.store import Member
from webapp.chat.inbox.chat_state import UnreadCounts
from webapp.chat.message_text import QUICK_REACTIONS
from webapp.chat.models import Message, Picture
from webapp.core.rendering.kept_pages import changes_at
from webapp.core.web import config, stream_base_url, viewer_context
from webapp.statuses.quotes.links import split_link

from .related import REACTORS_NAMED

LINK_CARDS_MAX = 3  # links of a message that are shown as cards
PICTURE_BOX = (420, 320)  # CSS pixels that a picture is shown within
bp = Blueprint("chat_template_filters", __name__)


@bp.app_template_filter("time_of_day")
def time_of_day(moment: datetime) -> str:
    """Return the time of day, in UTC until the browser makes it the reader's."""
    text = str(format_time(moment.astimezone(UTC), "short", locale=get_locale()))
    return text.replace("\u202f", " ")  # as the dates of the site have it


@bp.app_template_filter("format_day")
def format_day(value: date) -> str:
    """Return a day, with its year unless it is this year."""
    today = datetime.now(UTC).date()
    skeleton = "MMMMEEEEd" if value.year == today.year else "yMMMMd"
    return str(format_skeleton(skeleton, value, locale=get_locale()))


@bp.app_template_filter("host")
def host(url: str) -> str:
    """Return the host that a link leads to, empty if it leads nowhere."""
    parts = split_link(url)
    return parts.netloc if parts else ""


@bp.app_template_filter("link_cards")
def link_cards(message: Message) -> list[str]:
    """Return the links of a message that get a card, each once. None beside a shared status."""
    if message.card:
        return []
    links = [
        entity.text for entity in message.entities if entity.kind == "url" and host(entity.text)
    ]
    return list(dict.fromkeys(links))[:LINK_CARDS_MAX]


@bp.app_template_filter("display_size")
def display_size(picture: Picture) -> tuple[int, int]:
    """Return the size that a picture is shown in, in CSS pixels."""
    scale = min(PICTURE_BOX[0] / picture.width, PICTURE_BOX[1] / picture.height, 1)
    return max(round(picture.width * scale), 1), max(round(picture.height * scale), 1)


@bp.app_template_filter("picture_file")
def picture_file(picture: Picture, message: Message, place: int) -> str:
    """Return the name of one of a picture's files in its address: it begins with the message's id.

    `place`: 0 for the still, -1 for what moves, if it does.
    """
    return f"{message.id}-{picture.files[place].rpartition('/')[2]}"


@bp.app_template_filter("reactor_names")
def reactor_names(uids: Sequence[int], people: Mapping[int, Member], me: Member | None) -> str:
    """Return a few names of those who reacted with an emoji, after that of the reader."""
    others = [uid for uid in uids if not me or uid != me.uid]
    names = [_("You")] if len(others) < len(uids) else []
    names += [people[uid].name for uid in others[:REACTORS_NAMED] if uid in people]
    if len(uids) > len(names):
        names.append("…")
    return ", ".join(names)


@bp.app_template_test("editable")
def editable(message: Message) -> bool:
    """Return True if a message's author may still edit it."""
    end = message.sent_at + timedelta(hours=config().chat_edit_hours)
    is_editable = not message.deleted and datetime.now(UTC) < end
    if is_editable:
        changes_at(end.timestamp())
    return is_editable


@bp.app_context_processor
def page_context() -> dict[str, object]:
    """Return the chat variables of every page: its badge, and the stream's address."""
    stream = f"{stream_base_url()}/stream/chats" if g.get("session") else ""
    return {"quick_emoji": QUICK_REACTIONS, "unread_chats": viewer_badge(), "chats_stream": stream}


def viewer_badge() -> int:
    """Return how many unread messages and requests wait for the viewer."""
    counts: UnreadCounts | None = viewer_context().get("unread_chats")
    return counts.badge if counts else 0
