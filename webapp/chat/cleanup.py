"""Pictures of chats that nobody can see any more."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.media import storage as media

from . import keys


def remove_unused_pictures(context: Context, events: Sequence[Event]) -> None:
    """Removes the pictures that chats show no more, and all of those of chats that are gone. No two messages share a
    picture, so nobody has to be asked who else shows it. Safe to run twice.
    """
    exist = context.db.trip(*(("EXISTS", keys.chat(event.data["chat"])) for event in events))
    for event, exists in zip(events, exist, strict=True):
        media.remove_chat_pictures(context.config, event.data.get("names", "").split())
        if not exists:
            media.remove_all(context.config, f"chat/{event.data['chat']}")
