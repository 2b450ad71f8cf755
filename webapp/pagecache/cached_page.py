"""A page as it is cached: its headers, its compressed body, and its dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page that any visitor may get."""

    headers: list[tuple[str, str]]
    etag: str  # of the body before compression
    rendered_at: int  # unix seconds
    version: int  # newest change of a member that it knows of (member_versions.py)
    uids: Sequence[int]  # members on it; -uid: left out of it now
    body: bytes  # compressed

    def to_bytes(self) -> bytes:
        """Return the page as it is stored: JSON, a line end, the body."""
        head = [self.headers, self.etag, self.rendered_at, self.version, list(self.uids)]
        return orjson.dumps(head) + b"\n" + self.body

    @classmethod
    def from_bytes(cls, stored: bytes) -> CachedPage:
        """Parse the stored value: the page's end in unix ms and a space, then `to_bytes`."""
        head, _, body = stored.partition(b"\n")
        _, _, head_json = head.partition(b" ")
        headers, etag, rendered_at, version, uids = orjson.loads(head_json)
        pairs = [(name, value) for name, value in headers]
        return cls(pairs, etag, rendered_at, version, uids, body)
