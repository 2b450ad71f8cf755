"""Compare the keys in the store with the documented key schema."""

import re
from functools import cache

from webapp.core.store import Db
from webapp.core.store.schema_docs import rooms


def live_keys(db: Db) -> list[str]:
    """Return the names of all keys, sorted."""
    return sorted(key for found in db.on_every_primary("KEYS", "*") for key in found)


def member_keys(db: Db, uid: int) -> list[str]:
    """Return the keys that name a member. Ranks, shards and generations of indexes name nobody."""
    names = {}
    for key in live_keys(db):
        parts = key.split(":")
        skipped = {"search": 4, "name_index": len(parts)}.get(parts[0], 0)
        names[key] = ":".join(["", *parts[skipped:]])
    return [key for key, name in names.items() if re.search(rf":{uid}(:|\Z)", name)]


def check_schema(db: Db) -> None:
    """Fail if a key matches no pattern of the schema."""
    unknown = [key for key in live_keys(db) if not _any_key().match(key)]
    assert not unknown, f"not in the schema: {unknown}"


@cache
def _any_key() -> re.Pattern[str]:
    """Return one pattern that matches every key of the schema."""
    return re.compile(
        "|".join(key.pattern.pattern for keys in rooms().values() for key in keys.values())
    )
