"""The key that says which layout the store holds."""

from __future__ import annotations

from .schema import SiteKey, String

schema_version = SiteKey(
    "schema",
    String(),
    bound="no bound: one value",
    writers="`core/store/connection.py` at the first start",
    doc="What data this store holds, as `linnet:<version>`; anything else is refused.",
)
