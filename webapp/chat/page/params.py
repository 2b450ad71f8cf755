"""Parse the query parameters of a chat's page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from flask import request
from flask_babel import gettext as _

from webapp.core.errors import Invalid, NotFound
from webapp.core.store import parse_id

MESSAGE_ACTIONS = ("reply", "edit", "react", "report")  # parameters that name a message
TEXT_MAX = 500  # characters of a text that a link to a chat brings
WHOLE_CHAT = "all"  # the `report` parameter for a whole chat


@dataclass(frozen=True, slots=True)
class PageParams:
    """The messages to show (arguments of `open_page`), and an action on one of them.

    `action` is one of MESSAGE_ACTIONS or empty. `message_id` is 0 without a message. `text`: what
    the message form begins with.
    """

    window: Mapping[str, Any] = field(default_factory=dict)
    action: str = ""
    message_id: int = 0
    text: str = ""

    @classmethod
    def around(cls, message_id: int, action: str = "") -> PageParams:
        """Return parameters for the page around a message, or for the newest page for 0."""
        return cls({"around": message_id} if message_id else {}, action, message_id)


def parse_params() -> PageParams:
    """Return the parameters of the request. Raises Invalid, NotFound."""
    args = request.args
    if args.get("report") == WHOLE_CHAT:
        return PageParams(action="report")
    for action in MESSAGE_ACTIONS:
        if action in args:
            message_id = NotFound.unless(parse_id(args[action]), "no_message")
            return PageParams.around(message_id, action)
    for name in ("before", "after", "around"):
        if name in args:
            return PageParams({name: _edge_id(name, args[name])})
    if "date" in args:
        return PageParams({"date": _parse_date(args["date"])})
    window = {"unread": True} if "unread" in args else {}
    return PageParams(window, text=args.get("text", "")[:TEXT_MAX])


def _edge_id(name: str, text: str) -> int:
    """Return the message id of a window. `after=0` is the beginning. Raises Invalid."""
    if (name, text) == ("after", "0"):
        return 0
    return Invalid.unless(parse_id(text), "bad_cursor")


def _parse_date(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise Invalid("bad_date", _("That date isn’t valid.")) from None
