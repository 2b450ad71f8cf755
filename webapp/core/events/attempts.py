"""Failed attempts at events: counted, and parked once there were too many."""

from collections.abc import Iterable

from webapp.core.logs import describe_error, log
from webapp.core.store import PARTITIONS, Command, Db, Site, script

from . import keys
from .outbox import BULK, Event
from .status import ParkedEvent

PARK = script("core/events/lua/park.lua")
RETRY = script("core/events/lua/retry.lua")
RETRY_BATCH = 100  # parked events that one call puts back
BACKOFF_SECONDS = 0.2  # before an event that failed is tried again; doubled each time


def record(db: Db, event: Event, increment: int = 1) -> int:
    """Count an attempt at an event, or take it back with -1. Return the count. One trip."""
    attempts = keys.event_attempts(event.partition)
    return int(db.run(("HINCRBY", attempts, _field(event.group, event.id), increment)))


def forget_command(partition: int, group: str, event_ids: Iterable[str]) -> Command:
    """Return the command that forgets the attempts at applied events."""
    fields = (_field(group, event_id) for event_id in event_ids)
    return ("HDEL", keys.event_attempts(partition), *fields)


def park(db: Db, event: Event, reason: str, limit: int) -> None:
    """Set an event aside, so that the events behind it go on. Keep about `limit`. One trip."""
    bulk_or_outbox = keys.bulk_events if event.group == BULK else keys.outbox
    command = PARK(
        partition=event.partition,
        events=bulk_or_outbox(event.partition),
        group=event.group,
        event_id=event.id,
        reason=reason,
        limit=limit,
    )
    db.run(command)
    log.error("parked %s %s p=%d id=%s: %s", *describe(event), reason)


def handle_failure(site: Site, event: Event, error: Exception, attempt: int) -> float | None:
    """Park an event that failed too often, and return None.

    Otherwise return the seconds to wait before the next attempt.
    """
    reason = describe_error(error)
    log.warning("%s %s p=%d id=%s failed %d times: %s", *describe(event), attempt, reason)
    if attempt >= site.config.attempts_max:
        park(site.db, event, reason[:500], site.config.parked_max)
        return None
    return float(BACKOFF_SECONDS * 2 ** (attempt - 1))


def retry_parked(db: Db) -> int:
    """Put all parked events back into their outboxes and return how many. A trip for each batch."""
    total = 0
    for partition in range(PARTITIONS):
        command = RETRY(partition=partition, limit=RETRY_BATCH)
        while count := db.run(command):
            total += count
    return total


def drop_parked(db: Db, event: ParkedEvent, by: str) -> None:
    """Drop a parked event. `by`: a username, for the log. One trip."""
    db.run(("XDEL", keys.parked_events(event.partition), event.id))
    log.warning("parked %s %s was dropped by @%s: %s", event.group, event.type, by, event.error)


def describe(event: Event) -> tuple[str, str, int, str]:
    """Return an event's group, type, partition and id, for a log line."""
    return event.group, event.type, event.partition, event.id


def _field(group: str, event_id: str) -> str:
    return f"{group}:{event_id}"
