"""What events do to the site's log, which streaming readers follow."""

from __future__ import annotations

from collections.abc import Sequence

from .. import keys
from ..events import Context, Event
from ..scripts import script
from ..statuses.visibility import Visibility

APPEND = script("streaming/append.lua")


def append(context: Context, events: Sequence[Event]) -> None:
    """The events enter the log, each once, in one script: a part of them that failed alone would be lost behind the
    mark. What not everybody may see never enters it, so that no stream can tell it.
    """
    words: list[object] = []
    events = [event for event in events if not Visibility(event.data.get("vis", "")).limited]
    if not events:
        return
    for event in events:
        told = {"type": event.type, "rid": event.rid, **event.data}
        for private in ("only", "above", "answered"):  # how it came back after it was parked, and what pages it is on
            told.pop(private, None)
        fields = [part for pair in told.items() for part in pair]
        words += [event.id, len(fields), *fields]
    context.db.run(APPEND([keys.log(), keys.marks()], events[0].partition, context.config.log_max, *words))
