"""What events and workers store."""

from __future__ import annotations

from webapp.core.store.schema import PARTITION_TAGS, Hash, Key, PartitionKey, SiteKey, Stream, ZSet

WAKE_CHANNEL = "wake"  # scripts publish a partition's number to it


workers = SiteKey(
    "workers",
    ZSet("`host:pid`", "last heartbeat, unix seconds"),
    bound="silent ones are removed after LEASE_SECONDS",
    writers="`core/events/lua/heartbeat.lua`",
    doc="The live workers, so that they share the partitions evenly.",
)


outbox = PartitionKey(
    "outbox",
    Stream("`type`, `rid` (request id) and the event's fields"),
    bound="OUTBOX_MAX, then writes are refused; trimmed below the oldest unacknowledged event",
    writers="every script that emits an event, `core/events/lua/sweep.lua`",
    doc="The partition's events, in order, until both groups (`log`, `fanout`) have applied them.",
)


event_attempts = PartitionKey(
    "attempts",
    Hash("`group:id`", "failures"),
    bound="one entry for each failing event, removed when it is applied or parked",
    writers="`core/events/attempts.py`",
    doc="How often events have failed.",
)


parked_events = PartitionKey(
    "parked",
    Stream("the event's fields, `group`, `error`"),
    bound="PARKED_MAX",
    writers="`core/events/lua/park.lua`, `core/events/lua/retry.lua`",
    doc="Events that failed ATTEMPTS_MAX times, until `linnet retry` puts them back.",
)


def _lease(partition: int, group: str) -> str:
    return f"lease:{{{PARTITION_TAGS[partition]}}}:{group}"


lease = Key(
    "lease:{<tag>}:<group>",
    _lease,
    Hash(),
    bound="no bound: 64 × 2",
    writers="`core/events/lua/lease.lua`",
    doc=(
        "Which worker applies the partition's events for a group: `owner`, `token` (grows "
        "with each owner), `until` (unix ms)."
    ),
)


def _fences(hash_tag: str) -> str:
    return f"fences:{{{hash_tag}}}"


fences = Key(
    "fences:{<tag>}",
    _fences,
    Hash("`group:partition`", "token"),
    bound="no bound: 64 × 2",
    writers="every projection's script, except that of the log, which has watermarks",
    doc=(
        "The newest lease token from each source, so that a worker which lost its lease can "
        "no longer write."
    ),
)
