"""Compare the keys in the store with the documented key schema."""

import re
from functools import cache

from webapp.core.store import Db
from webapp.core.store.schema_docs import rooms

EXPIRE_LATER = {  # or only some of them
    "board:{boards-<n>}:<when>",
    "settings:{config}:countries:<id>",
    *(f"promotion{part}:{{<tag>}}:<id>" for part in ("", "_days", "_words")),
}


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
    """Fail if a key is not in the schema, or if it stays and the schema says that it expires."""
    any_key, expiring = _patterns()
    keys = live_keys(db)
    unknown = [key for key in keys if not any_key.match(key)]
    assert not unknown, f"not in the schema: {unknown}"
    timed = [key for key in keys if expiring.match(key)]
    lives = db.trip(*(("TTL", key) for key in timed)) if timed else []
    staying = [key for key, life in zip(timed, lives, strict=True) if life == -1]
    assert not staying, f"the schema says that they expire: {staying}"


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return one pattern that matches every key of the schema, and one for those that expire."""
    found = [key for keys in rooms().values() for key in keys.values()]
    timed = (
        key.pattern.pattern
        for key in found
        if "expires" in key.bound and key.shape not in EXPIRE_LATER
    )
    every = (key.pattern.pattern for key in found)
    return re.compile("|".join(every)), re.compile("|".join(timed))
