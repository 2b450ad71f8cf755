"""The 53-bit status id: 41 bits of ms since 2026-01-01, 6 bits of sequence, 6 bits of partition.

It fits exactly into a sorted set's score, a JavaScript number and a Lua number. It sorts by time
and names its partition, like Twitter's Snowflake. The posting script makes ids, with
`lua/includes/ids.lua`.

The ids of the first three hours of 2026 belong to imported posts of the twenty years before: one
for each second and partition. Linnet did not exist then.
"""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
EPOCH_MS = int(EPOCH.timestamp() * 1000)
OLDEST = datetime(2006, 1, 1, tzinfo=UTC)
OLD_SECONDS = int((EPOCH - OLDEST).total_seconds())  # each has the ids of one sequence number
IMPORTED_SEQUENCE = 48  # the first of a ms that imported posts have; the posting script uses others
IMPORTED_IDS = 256  # from which an imported post takes the first that no other had
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
    if status_id >> 6 < OLD_SECONDS:
        return OLDEST + timedelta(seconds=status_id >> 6)
    return EPOCH + timedelta(milliseconds=status_id >> 12)


def first_id_at(ms: int) -> int:
    """Return the smallest id of a time in unix ms."""
    if ms < EPOCH_MS:
        return max(OLD_SECONDS + (ms - EPOCH_MS) // 1000, 0) << 6
    return max(ms - EPOCH_MS << 12, OLD_SECONDS << 6)


def imported_ids(ms: int, partition: int) -> list[int]:
    """Return ids for an imported post of a time in unix ms, the best first.

    They are those of the next IMPORTED_IDS seconds before 2026, and of the next ms since then.
    """
    first, places = first_id_at(ms) >> 6, range(IMPORTED_IDS)
    if ms < EPOCH_MS:
        return [(first + place) << 6 | partition for place in places]
    first += IMPORTED_SEQUENCE
    return [(first + (place >> 4 << 6) + place % 16) << 6 | partition for place in places]
