"""Why streams end."""

from enum import IntEnum


class EndCode(IntEnum):
    """Why a stream ends, as the streaming API numbers it."""

    NONE = 0
    SHUTDOWN = 1
    DUPLICATE = 2
    STALLED = 4
    REVOKED = 6
    REPLACED = 7
    SHED = 12
