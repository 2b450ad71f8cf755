"""Removing the pictures of messages that are gone."""

from collections.abc import Sequence

from webapp.core.events.outbox import MORE, Context, Event
from webapp.core.media import removal

from . import keys


def remove_unused_pictures(context: Context, events: Sequence[Event]) -> None:
    """Remove the pictures named by events. No two messages share a picture. Safe to run twice."""
    for event in events:
        removal.remove_chat_pictures(context.config, event.data.get("names", "").split())


def purge_deleted_chat(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove some pictures of a chat that is gone. One trip."""
    chat = event.data["chat"]
    if context.db.run(("EXISTS", keys.chat(chat))):
        return None
    return MORE if removal.remove_some(context.config, f"chat/{chat}") else None
