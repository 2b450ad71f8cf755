"""The 53-bit status id: 41 bits of ms since 2026-01-01, 6 bits of sequence, 6 bits of partition.

It fits exactly into a sorted set's score, a JavaScript number and a Lua number. It sorts by time
and tells its partition. The posting script makes ids, with `lua/includes/ids.lua`; here they are
only read. (After Twitter's Snowflake.)
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
EPOCH_MS = int(EPOCH.timestamp() * 1000)
MAX_ID = 2**53 - 1
PARTITIONS = 64


def parse_id(text: str) -> int | None:
    """Parse an id (status, member or cursor) in plain ASCII digits; None if it is not one."""
    if not text.isascii() or not text.isdigit() or len(text) > 16:
        return None
    value = int(text)
    return value if 0 < value <= MAX_ID and str(value) == text else None


def partition_of(number: int) -> int:
    """Return the partition of a member id or a status id."""
    return number % PARTITIONS


def created_at(status_id: int) -> datetime:
    """Return when the status was posted, in UTC, to the millisecond."""
    return EPOCH + timedelta(milliseconds=status_id >> 12)


def first_id_at(ms: int) -> int:
    """Return the smallest id of a time in unix ms."""
    return max(ms - EPOCH_MS, 0) << 12
