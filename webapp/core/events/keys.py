"""The keys of events and workers."""

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import Hash, Key, PartitionKey, SiteKey, Stream, ZSet

WAKE_CHANNEL = "wake"  # scripts publish a partition's number to it
BULK_WAKE_CHANNEL = "wake_bulk"  # the same, for the group `bulk`

scheduled_rows = SiteKey(
    "scheduled_rows:{rows}",
    ZSet("the name of a row", "when it is due, unix ms"),
    bound="one entry a row; those that nobody computed for an hour go",
    doc="The values that one worker computes in turn, for the whole site.",
)

scheduled_runs = SiteKey(
    "scheduled_runs:{rows}",
    Hash("the name of a row", "two numbers"),
    bound="as `scheduled_rows`",
    doc="When each row was computed last (unix ms), and how many ms that took.",
)

workers = SiteKey(
    "workers",
    ZSet("`host:pid`", "last heartbeat, unix seconds"),
    bound="silent ones are removed after LEASE_SECONDS",
    doc="The live workers, so that they share the partitions evenly.",
)

outbox = PartitionKey(
    "outbox",
    Stream("`type`, `rid` (request id) and the event's fields"),
    bound="OUTBOX_MAX, then writes are refused; trimmed below the oldest unacknowledged event",
    doc="""The partition's events, in order, until the groups `log`, `fanout` and `discovery` have
    applied them. Those with bulk work move on to `bulk`.""",
)

bulk_events = PartitionKey(
    "bulk",
    Stream("the event's fields"),
    bound="OUTBOX_MAX; the others stay in the outbox",
    doc="The partition's events that the group `bulk` has not finished, in order.",
)

bulk_progress = PartitionKey(
    "bulk_progress",
    Hash("event id", "the projection, and its cursor"),
    bound="one entry for the event in progress",
    doc="How far the group `bulk` is with an event, so that another worker continues there.",
)

event_attempts = PartitionKey(
    "attempts",
    Hash("`group:id`", "failures"),
    bound="one entry for each failing event, removed when it is applied or parked",
    doc="How often events have failed.",
)

parked_events = PartitionKey(
    "parked",
    Stream("the event's fields, `group`, `error`"),
    bound="PARKED_MAX",
    doc="Events that failed ATTEMPTS_MAX times, until `linnet retry` puts them back.",
)

lease = Key(
    "lease:{<tag>}:<group>",
    Hash(),
    by=partition_of,
    bound="no bound: 64 × 4",
    doc="""Which worker applies the partition's events for a group: `owner`, `token` (grows with
    each owner), `until` (unix ms).""",
)

fences = Key(
    "fences:{<tag>}",
    Hash("`group:partition`", "token"),
    bound="64 × 4; expires 30 days after the last new token",
    doc="""The newest lease token from each source, so that a worker which lost its lease can no
    longer write.""",
)
