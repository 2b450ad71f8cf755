"""Cut the ends of multipart parts that are too long.

A form with too large a picture is read this way, so its sender gets all other fields back.
"""

from __future__ import annotations

import re

BOUNDARY_PATTERN = re.compile(
    r"""multipart/form-data\s*;.*\bboundary="?([\w'()+,./:=?-]{1,70})""", re.IGNORECASE
)
HEADERS_MAX = 16_384  # bytes of a part's own headers


class PartTrimmer:
    """Cuts the parts of a body after `part_max` bytes, and the bytes of their headers."""

    def __init__(self, boundary: bytes, part_max: int) -> None:
        self._delimiter = b"\r\n--" + boundary
        self._part_max = self._left = part_max + HEADERS_MAX
        self._tail = b""  # may be the beginning of a delimiter

    @classmethod
    def for_content_type(cls, content_type: str, part_max: int) -> PartTrimmer | None:
        """Return a trimmer for a body of this type, None if it has no parts."""
        match = BOUNDARY_PATTERN.match(content_type)
        return cls(match[1].encode(), part_max) if match else None

    def feed(self, chunk: bytes, more_body: bool) -> bytes:
        """Return the next bytes of the body, trimmed."""
        *parts, rest = (self._tail + chunk).split(self._delimiter)
        pieces = []
        for part in parts:
            pieces += [self._cut(part), self._delimiter]
            self._left = self._part_max
        tail_length = len(self._delimiter) - 1 if more_body else 0
        end = max(len(rest) - tail_length, 0)
        self._tail = rest[end:]
        return b"".join((*pieces, self._cut(rest[:end])))

    def _cut(self, data: bytes) -> bytes:
        allowed = data[: self._left]
        self._left -= len(allowed)
        return allowed
