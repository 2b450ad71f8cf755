"""Append events to the site's log."""

from collections.abc import Sequence
from dataclasses import replace

from webapp.core.events.outbox import Context, Event, in_steps
from webapp.core.store import Steps, ask, script, send, send_all
from webapp.statuses import keys as status_keys
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.threads.replies import DEPTH_MAX, unpack_path
from webapp.statuses.values.visibility import protected_among

from . import restricted
from .entries import BOOST_EVENTS, CARD_EVENTS, CONTENT_EVENTS, COUNT_EVENTS, POLL_EVENTS

APPEND = script("streaming/log/lua/append.lua")
TALLY_INTERVAL_MS = 1_000  # between two messages about one poll
OTHER_FACTS = POLL_EVENTS | COUNT_EVENTS | CARD_EVENTS
# Events about one status.
STATUS_EVENTS = CONTENT_EVENTS | BOOST_EVENTS | OTHER_FACTS | {"deleted"}
# They do not name the statuses replied to.
WITHOUT_ANCESTORS = OTHER_FACTS | {"edited"}
# Event fields that streams do not need.
LEFT_OUT = (
    *("only", "referenced", "members", "has_items", "network", "private", "group", "more_groups"),
    *("located", "flagged"),
)


@in_steps
def append(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Append events of one partition to the log, each once.

    One script appends them all: a part that failed alone would be lost behind the watermark.
    Events about restricted statuses keep numbers only (see `restricted`). At most three
    trips.
    """
    uids = (uid for event in events for uid in _author_uids(event))
    protected = yield from ask(protected_among(uids))
    redacted = (restricted.redact(event, protected & _author_uids(event)) for event in events)
    events = [event for event in redacted if event]
    if not events:
        return
    words: list[object] = []
    for event, ancestors in zip(events, (yield from _ancestors(events)), strict=True):
        fields = _entry_words(event, ancestors)
        words += [event.id, len(fields), *fields]
    yield from send(
        APPEND(partition=events[0].partition, max_length=context.config.log_max, events=words)
    )


def append_tallies(context: Context, events: Sequence[Event]) -> None:
    """Append that polls have other numbers, at most once in TALLY_INTERVAL_MS each.

    The log does not say who voted. Open pages wait longer than the interval before they ask, so a
    vote that is left out costs them time only. Five trips.
    """
    newest = {event.data["id"]: event for event in events}
    throttles = {status_id: poll_keys.tally_throttle(int(status_id)) for status_id in newest}
    throttled = context.db.trip_all(("EXISTS", key) for key in throttles.values())
    due = {status_id for status_id, flag in zip(newest, throttled, strict=True) if not flag}
    votes = [
        event for event in events if event.data["id"] in due and event is newest[event.data["id"]]
    ]
    append(context, [replace(event, data=_without_voter(event)) for event in votes])
    context.db.trip_all(
        ("SET", throttles[status_id], 1, "PX", TALLY_INTERVAL_MS) for status_id in due
    )


def _entry_words(event: Event, ancestors: str) -> list[str]:
    """Return the fields and values of a log entry, in turn."""
    fields = {"type": event.type, "rid": event.rid, **event.data, "ancestors": ancestors}
    for name in LEFT_OUT if ancestors else (*LEFT_OUT, "ancestors"):
        fields.pop(name, None)
    return [word for pair in fields.items() for word in pair]


def _without_voter(event: Event) -> dict[str, str]:
    return {name: value for name, value in event.data.items() if name != "uid"}


def _ancestors(events: Sequence[Event]) -> Steps[list[str]]:
    """Return for each event the ids of the statuses its status replies to, blanks between.

    At most DEPTH_MAX of them: those whose pages show it. One trip for events that do not name them.
    """
    without_path = dict.fromkeys(
        event.data["id"]
        for event in events
        if event.type in WITHOUT_ANCESTORS and "restricted" not in event.data
    )
    stored = yield from send_all(
        ("HGET", status_keys.status(int(status_id)), "ancestors") for status_id in without_path
    )
    stored_paths = dict(zip(without_path, stored, strict=True))
    return [
        _packed_ids(event.data.get("ancestors") or stored_paths.get(event.data.get("id", "")))
        for event in events
    ]


def _packed_ids(path: str | None) -> str:
    steps = unpack_path(path)[-DEPTH_MAX:]
    return " ".join(str(status_id) for status_id, _ in steps)


def _author_uids(event: Event) -> set[int]:
    """Return the author or booster of the event's status; nobody if it is about something else."""
    if event.type not in STATUS_EVENTS:
        return set()
    return {event.number(name) for name in ("author", "uid") if name in event.data}
