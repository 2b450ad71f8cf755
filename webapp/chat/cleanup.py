"""Removing the pictures of messages that are gone."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.media import storage as media
from webapp.core.store.reads import collect, read

from . import keys


def remove_unused_pictures(context: Context, events: Sequence[Event]) -> None:
    """Remove the pictures named by events, and all pictures of chats that are gone. One trip.

    No two messages share a picture. Safe to run twice.
    """
    still_exist = context.db.read(
        collect(read(("EXISTS", keys.chat(event.data["chat"])), bool) for event in events)
    )
    for event, exists in zip(events, still_exist, strict=True):
        media.remove_chat_pictures(context.config, event.data.get("names", "").split())
        if not exists:
            media.remove_all(context.config, f"chat/{event.data['chat']}")
