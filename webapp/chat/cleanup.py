"""Removing the pictures of messages that are gone, or were never sent."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from webapp.config import Config
from webapp.core.errors import Refused
from webapp.core.events.outbox import MORE, Context, Event
from webapp.core.media import removal

from . import keys


@contextmanager
def removed_if_refused(config: Config, names: Collection[str]) -> Iterator[None]:
    """Remove stored pictures if the block is refused. Keep them if the store may have done it."""
    try:
        yield
    except Refused as refusal:
        if not refusal.may_have_run:
            removal.remove_chat_pictures(config, names)
        raise


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
