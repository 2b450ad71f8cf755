"""Whether the store holds only what the key schema documents."""

from __future__ import annotations

from webapp.core.store.client import Db
from webapp.core.store.schema_docs import rooms


def live_keys(db: Db) -> list[str]:
    """Every key there is."""
    return sorted(key for found in db.on_every_primary("KEYS", "*") for key in found)


def check_schema(db: Db) -> None:
    """Fails for a key that no builder makes."""
    patterns = [key.pattern for keys in rooms().values() for key in keys]
    strangers = [
        key for key in live_keys(db) if not any(pattern.match(key) for pattern in patterns)
    ]
    assert not strangers, f"not in the schema: {strangers}"
