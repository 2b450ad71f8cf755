"""What events do to the site's log, which streaming readers follow."""

from __future__ import annotations

from .. import keys
from ..db import script
from ..events import Context, Event

APPEND = script("streaming/append.lua")


def append(context: Context, event: Event) -> None:
    """The event enters the log, once."""
    fields = [part for pair in event.data.items() for part in pair]
    names = [keys.log(), keys.marks()]
    context.db.run(
        APPEND(names, event.partition, event.id, context.config.log_max, "type", event.type, "rid", event.rid, *fields)
    )
