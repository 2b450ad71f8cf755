"""Notify the author and the voters of a poll that has ended.

Each projection is safe to run twice.
"""

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.store import partition_of, script
from webapp.statuses.polls import keys as poll_keys

from .notices import BATCH, status_notice, sync_notices

SCAN_VOTERS = script("statuses/polls/lua/scan_voters.lua")


def notify_poll_ended(context: Context, event: Event, cursor: str) -> str | None:
    """Notify the author and some voters of a poll that has ended. Three trips."""
    server, _, position = cursor.partition(":")
    poll = event.number("id")
    next_position, server, voters = context.db.run(
        SCAN_VOTERS(id=poll, cursor=position or "0", server=server, limit=BATCH)
    )
    uids = [*map(int, voters[::2]), *([] if cursor else [event.number("author")])]
    sync_notices(context, [status_notice(event, "poll", uid) for uid in dict.fromkeys(uids)])
    return None if next_position == "0" else f"{server}:{next_position}"


def notify_late_voters(context: Context, events: Sequence[Event]) -> None:
    """Notify voters whose vote was counted after their poll ended. At most three trips.

    It runs after the vote is projected: the end of a poll finds the vote, or comes before it.
    """
    deadline_arguments = (
        (poll_keys.poll_deadlines(partition_of(event.number("id"))), event.data["id"])
        for event in events
    )
    deadlines = context.db.trip_all(("ZSCORE", *one) for one in deadline_arguments)
    ended = [event for event, ends in zip(events, deadlines, strict=True) if ends is None]
    sync_notices(context, [status_notice(event, "poll", event.number("uid")) for event in ended])
