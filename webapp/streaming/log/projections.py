"""What events do to the site's log, which streaming readers follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from webapp.core.events.outbox import Context, Event
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.threads.replies import DEPTH_MAX, unpack_path
from webapp.statuses.visibility.visibility import protected_uids
from webapp.streaming import keys as stream_keys

from . import restricted

APPEND = script("streaming/log/lua/append.lua")
TALLY_INTERVAL_MS = 1_000  # between two times that open pages are told of one poll
# What tells of one status.
STATUS_EVENTS = ("posted", "revised", "deleted", "boosted", "unboosted", "voted", "poll_ended")

WITHOUT_ANCESTORS = (
    "revised",
    "voted",
    "poll_ended",
)  # those of them that do not say what it is below


def append(context: Context, events: Sequence[Event]) -> None:
    """The events enter the log, each once, in one script: a part of them that failed alone would be lost behind the
    mark. Of what not everybody may see, and of what a protected member does with statuses, it enters alone that it is
    there (`close.py`).
    """
    arguments: list[object] = []
    protected_authors = protected_uids(
        context.db, (uid for event in events for uid in _author_uids(event))
    )
    redacted = (
        restricted.redact(event, protected_authors & _author_uids(event)) for event in events
    )
    events = [event for event in redacted if event]
    if not events:
        return
    for event, ancestors in zip(events, _ancestors(context, events), strict=True):
        entry_fields = {"type": event.type, "rid": event.rid, **event.data, "above": ancestors}
        # How it came back after it was parked, what pages it is on, and who was on a list.
        for name in ("only", "answered", "members", *(() if ancestors else ("above",))):
            entry_fields.pop(name, None)
        flat = [part for pair in entry_fields.items() for part in pair]
        arguments += [event.id, len(flat), *flat]
    context.db.run(
        APPEND(
            event_log=stream_keys.event_log(),
            watermarks=stream_keys.log_watermarks(),
            partition=events[0].partition,
            max_length=context.config.log_max,
            events=arguments,
        )
    )


def append_tallies(context: Context, events: Sequence[Event]) -> None:
    """Votes are told as polls that have other numbers now, at most once a second each: who voted is not told, and open
    pages wait a moment longer than that before they ask. Of a poll that is not told twice nothing is lost but time.
    """
    newest = {event.data["id"]: event for event in events}
    recent = context.db.trip(
        *(("EXISTS", poll_keys.tally_throttle(int(status_id))) for status_id in newest)
    )
    due = {status_id for status_id, is_recent in zip(newest, recent, strict=True) if not is_recent}
    votes = [
        event for event in events if event.data["id"] in due and newest[event.data["id"]] is event
    ]
    append(context, [replace(event, data=_without_voter(event)) for event in votes])
    context.db.trip(
        *(
            ("SET", poll_keys.tally_throttle(int(status_id)), 1, "PX", TALLY_INTERVAL_MS)
            for status_id in due
        )
    )


def _without_voter(event: Event) -> dict[str, str]:
    return {name: value for name, value in event.data.items() if name != "uid"}


def _ancestors(context: Context, events: Sequence[Event]) -> list[str]:
    """The ids of what each event's status is below, with blanks between: of those whose pages show it. One trip where
    some of the events do not say it themselves.
    """
    without_path = dict.fromkeys(
        event.data["id"]
        for event in events
        if event.type in WITHOUT_ANCESTORS and "close" not in event.data
    )
    stored = context.db.trip(
        *(("HGET", status_keys.status(int(status_id)), "above") for status_id in without_path)
    )
    path_by_id = dict(zip(without_path, stored, strict=True))
    paths = (
        event.data.get("above") or path_by_id.get(event.data.get("id", "")) for event in events
    )
    return [
        " ".join(str(status_id) for status_id, _ in unpack_path(path)[-DEPTH_MAX:])
        for path in paths
    ]


def _author_uids(event: Event) -> set[int]:
    """Who wrote, or boosts, the one status that an event tells of; nobody where it tells of something else."""
    return (
        {int(event.data[field]) for field in ("author", "uid") if field in event.data}
        if event.type in STATUS_EVENTS
        else set()
    )
