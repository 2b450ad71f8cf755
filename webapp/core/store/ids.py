"""The 53-bit status id: 41 bits of milliseconds since 2026-01-01, 6 bits of sequence, 6 bits of partition.

It fits exactly in a sorted-set score, a JavaScript number and a Lua number; it sorts by time and tells its
partition. Ids are made in `core/store/lua/includes/ids.lua`, inside the posting script; here they are only read. (After Twitter's Snowflake.)
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
EPOCH_MS = int(EPOCH.timestamp() * 1000)
MAX_ID = 2**53 - 1
PARTITIONS = 64


def parse_id(text: str) -> int | None:
    """The id (status, member or cursor) written in `text` in plain ASCII digits, or None when it is none."""
    if not text.isascii() or not text.isdigit() or len(text) > 16:
        return None
    value = int(text)
    return value if 0 < value <= MAX_ID and str(value) == text else None


def partition_of(number: int) -> int:
    """The partition that a member id or a status id belongs to."""
    return number % PARTITIONS


def created_at(status_id: int) -> datetime:
    """When the status was posted, to the millisecond, in UTC."""
    return EPOCH + timedelta(milliseconds=status_id >> 12)


def first_id_at(ms: int) -> int:
    """The smallest id of a given time (milliseconds since 1970)."""
    return max(ms - EPOCH_MS, 0) << 12
