"""The keys of the streaming room."""

from zlib import crc32

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import Hash, Key, SiteKey, Stream, ZSet

event_log = SiteKey(
    "log:{log}",
    Stream("`p` (partition), `oid` (outbox id), `type` and the event's fields"),
    bound="LOG_MAX",
    doc="""The site's events for streaming readers. An entry with `restricted` is not for everybody
    and holds numbers only.""",
)

log_watermarks = SiteKey(
    "log_watermarks:{log}",
    Hash("partition", "outbox id"),
    bound="no bound: 64",
    doc="The last outbox id of each partition in the log: an event applied twice enters once.",
)


def connection_slot_partition(holder: int | str) -> int:
    """Return the partition of a holder's slots: a member's own, or one computed from an address."""
    return partition_of(holder if isinstance(holder, int) else crc32(holder.encode()))


connection_slots = Key(
    "connection_slots:{<tag>}:<holder>",
    ZSet("slot", "its turn, counted"),
    by=connection_slot_partition,
    bound="STREAMS_PER_MEMBER, APP_STREAMS_PER_MEMBER; expires an hour after the last refresh",
    doc="""The open streams of a member (by id) or of a visitor (by address); with `apps-` in front,
    those of their apps.""",
)

connection_slots_seen = Key(
    "connection_slots:{<tag>}:<holder>:seen",
    ZSet("slot", "unix ms; minus that once the slot went to a stream that asks for the same"),
    by=connection_slot_partition,
    bound="as `connection_slots`, and those that were evicted within 30 seconds",
    doc="When the process of each such stream last refreshed its slot.",
)
