"""Report a message, or the newest messages of a chat."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.chat import reading
from webapp.chat.models import Message
from webapp.core.errors import NotFound
from webapp.core.store import Read, Site
from webapp.reports import store as reports
from webapp.reports.category import Category

TEXTS_MAX = 5  # newest messages of a chat that is reported as a whole
WHOLE_CHAT = 0  # instead of a message id


def report(
    site: Site,
    uid: int,
    cid: str,
    message_id: int | None = None,
    reason: str = "",
    category: Category = Category.OTHER,
) -> bool:
    """Report a message, or a whole chat. Return False if the member has reported it before.

    Two trips. Raises NotFound; Forbidden for somebody who is not a member.
    """
    messages = site.db.read(_reported_messages(uid, cid, message_id))
    authors = {message.author_uid for message in messages}
    author = authors.pop() if len(authors) == 1 else 0
    subject = f"{cid}:{message_id or WHOLE_CHAT}"
    texts = [_describe(message) for message in messages]
    return reports.add(site, uid, subject, reason, author, texts, category)


def _reported_messages(uid: int, cid: str, message_id: int | None) -> Read[Sequence[Message]]:
    """Read a message, or the newest messages of others. Raises NotFound, Forbidden."""
    if message_id is None:
        return reading.open_page(uid, cid, size=TEXTS_MAX).map(
            lambda page: [message for message in page.messages if message.author_uid != uid]
        )

    def require(message: Message | None) -> Sequence[Message]:
        if message is None:
            raise NotFound("no_message")
        return [message]

    return reading.find_message(uid, cid, message_id).map(require)


def _describe(message: Message) -> str:
    """Return the text of a message, with a word for its other parts."""
    extras = [f"[{len(message.pictures)} pictures]"] if message.pictures else []
    extras += [f"[status {message.card.status_id}]"] if message.card else []
    return " ".join([message.text, *extras]).strip()
