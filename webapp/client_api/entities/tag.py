"""Hashtags as clients read them."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from webapp.client_api.http import site_address

DAY_SECONDS = 86_400
History = list[dict[str, str]]


class Tag(msgspec.Struct, kw_only=True):
    """A hashtag, and how much it was used on the last days."""

    id: str
    name: str
    url: str
    following: bool
    history: History = []


def tag_entity(name: str, following: bool = False, history: Sequence[dict[str, str]] = ()) -> Tag:
    """Return a hashtag by its name, in lower case."""
    address = f"{site_address()}/tags/{name}"
    return Tag(id=name, name=name, url=address, following=following, history=list(history))


def usage_history(members: int) -> History:
    """Return how many members used something on the past day, with the day as unix seconds."""
    today = int(time.time()) // DAY_SECONDS * DAY_SECONDS
    return [{"day": str(today), "accounts": str(members), "uses": str(members)}]
