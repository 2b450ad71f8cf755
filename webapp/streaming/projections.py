"""What events do to the site's log, which streaming readers follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .. import keys
from ..events import Context, Event
from ..scripts import script
from ..statuses.replies import DEPTH_MAX, unpack
from ..statuses.visibility import protected
from . import close

APPEND = script("streaming/append.lua")
TALLIES_MS = 1_000  # between two times that open pages are told of one poll
# What tells of one status.
WRITTEN = ("posted", "revised", "deleted", "boosted", "unboosted", "voted", "poll_ended")

SILENT = ("revised", "voted", "poll_ended")  # those of them that do not say what it is below


def append(context: Context, events: Sequence[Event]) -> None:
    """The events enter the log, each once, in one script: a part of them that failed alone would be lost behind the
    mark. Of what not everybody may see, and of what a protected member does with statuses, it enters alone that it is
    there (`close.py`).
    """
    words: list[object] = []
    hidden = protected(context.db, (uid for event in events for uid in _writers(event)))
    said = (close.carried(event, hidden & _writers(event)) for event in events)
    events = [event for event in said if event]
    if not events:
        return
    for event, above in zip(events, _above(context, events), strict=True):
        told = {"type": event.type, "rid": event.rid, **event.data, "above": above}
        # How it came back after it was parked, what pages it is on, and who was on a list.
        for private in ("only", "answered", "members", *(() if above else ("above",))):
            told.pop(private, None)
        fields = [part for pair in told.items() for part in pair]
        words += [event.id, len(fields), *fields]
    context.db.run(APPEND([keys.log(), keys.marks()], events[0].partition, context.config.log_max, *words))


def tallies(context: Context, events: Sequence[Event]) -> None:
    """Votes are told as polls that have other numbers now, at most once a second each: who voted is not told, and open
    pages wait a moment longer than that before they ask. Of a poll that is not told twice nothing is lost but time.
    """
    newest = {event.data["id"]: event for event in events}
    told = context.db.trip(*(("EXISTS", keys.tallied(int(status_id))) for status_id in newest))
    due = {status_id for status_id, already in zip(newest, told, strict=True) if not already}
    votes = [event for event in events if event.data["id"] in due and newest[event.data["id"]] is event]
    append(context, [replace(event, data=_without_voter(event)) for event in votes])
    context.db.trip(*(("SET", keys.tallied(int(status_id)), 1, "PX", TALLIES_MS) for status_id in due))


def _without_voter(event: Event) -> dict[str, str]:
    return {name: value for name, value in event.data.items() if name != "uid"}


def _above(context: Context, events: Sequence[Event]) -> list[str]:
    """The ids of what each event's status is below, with blanks between: of those whose pages show it. One trip where
    some of the events do not say it themselves.
    """
    silent = dict.fromkeys(event.data["id"] for event in events if event.type in SILENT and "close" not in event.data)
    stored = context.db.trip(*(("HGET", keys.status(int(status_id)), "above") for status_id in silent))
    found = dict(zip(silent, stored, strict=True))
    ways = (event.data.get("above") or found.get(event.data.get("id", "")) for event in events)
    return [" ".join(str(status_id) for status_id, _ in unpack(way)[-DEPTH_MAX:]) for way in ways]


def _writers(event: Event) -> set[int]:
    """Who wrote, or boosts, the one status that an event tells of; nobody where it tells of something else."""
    return {int(event.data[who]) for who in ("author", "uid") if who in event.data} if event.type in WRITTEN else set()
