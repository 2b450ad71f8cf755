"""Statuses that are shared in chats."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from flask import request

from webapp.chat.models import Card
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store.client import Db
from webapp.core.text.parser import Entity
from webapp.core.web.context import config, db
from webapp.statuses.quotes.links import find_linked_status
from webapp.statuses.status import Status
from webapp.statuses.store import get


def find_card(uid: int, status_id: int | None, entities: Iterable[Entity]) -> Card | None:
    """Return the card of the shared status, or of the first that a text links to.

    At most two trips. Raises NotFound or Forbidden for a status that cannot be shared. A text may
    still link to it.
    """
    if status_id is not None:
        return _card(uid, status_id)
    host = urlsplit(config().site_url).netloc or request.host
    linked_id = find_linked_status(entities, host)
    if linked_id is None:
        return None
    try:
        return _card(uid, linked_id)
    except (NotFound, Forbidden):
        return None


def load_shareable(db: Db, status_id: int, uid: int) -> Status:
    """Return a status that a member wants to share. Two trips.

    Raises NotFound; Forbidden if its author is suspended or hidden from the member, or if not
    everybody may see the status: the people in a chat change.
    """
    status = get(db, status_id, uid)
    if status.visibility.restricted:
        raise Forbidden("not_for_chats")
    return status


def _card(uid: int, status_id: int) -> Card:
    return Card(status_id, load_shareable(db(), status_id, uid).author.uid)
