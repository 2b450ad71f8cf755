"""What events do to the site's log, which streaming readers follow."""

from __future__ import annotations

from collections.abc import Sequence

from .. import keys
from ..db import Command, script
from ..events import Context, Event

APPEND = script("streaming/append.lua")


def append(context: Context, events: Sequence[Event]) -> None:
    """The events enter the log, each once."""
    context.db.trip(*(_entry(context, event) for event in events))


def _entry(context: Context, event: Event) -> Command:
    fields = [part for pair in event.data.items() for part in pair]
    head = (event.partition, event.id, context.config.log_max, "type", event.type, "rid", event.rid)
    return APPEND([keys.log(), keys.marks()], *head, *fields)
