"""Remove from the JSON of a status the parts that may no longer be shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .statuses import NO_PLACE

INNER = ("retweeted_status", "quoted_status")  # statuses inside a status
QUOTE = ("quoted_status", "quoted_status_permalink")


def remove_quote(message: dict[str, Any]) -> None:
    """Remove the quoted status from a message, which still names it by its id."""
    for status in _statuses(message):
        for name in QUOTE:
            status.pop(name, None)


def remove_places_of(author: int, message: dict[str, Any]) -> None:
    """Remove the places of an author's statuses from a message."""
    for status in _statuses(message):
        if status.get("user", {}).get("id") == author:
            status.update(NO_PLACE)


def _statuses(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a status and those inside it."""
    yield message
    for name in INNER:
        if name in message:
            yield from _statuses(message[name])
