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
NUMBERS = {"a": 1, "an": 1, "two": 2, "three": 3, "five": 5, "ten": 10}
UNITS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
LATER = r"after (?:it ends|it closes|the day|the hour)|.*, or"
LIFE = re.compile(
    rf"expires (?:after )?(\d+|{'|'.join(NUMBERS)}) ({'|'.join(UNITS)})s?\b(?! {LATER})"
)


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


def check_schema(db: Db, with_lives: bool = True) -> None:
    """Fail if a key is not in the schema, or lives on when the schema says that it expires.

    `with_lives`: whether each must expire as soon as the schema says.
    """
    any_key, expiring = _patterns()
    keys = live_keys(db)
    unknown = [key for key in keys if not any_key.match(key)]
    assert not unknown, f"not in the schema: {unknown}"
    timed = [key for key in keys if expiring.match(key)]
    lives = db.trip(*(("TTL", key) for key in timed)) if timed else []
    staying = [key for key, life in zip(timed, lives, strict=True) if life == -1]
    assert not staying, f"the schema says that they expire: {staying}"
    late = [key for key, life in zip(timed, lives, strict=True) if life > _longest_life(key)]
    assert not (late and with_lives), f"they live longer than the schema says: {late}"


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


@cache
def _lives() -> list[tuple[re.Pattern[str], int]]:
    """Return the patterns of keys that expire, each with the seconds that one lives at most."""
    return [
        (key.pattern, int(NUMBERS.get(said[1], said[1])) * UNITS[said[2]])
        for keys in rooms().values()
        for key in keys.values()
        if (said := LIFE.search(key.bound))
    ]


def _longest_life(key: str) -> float:
    """Return how many seconds a key lives at most; infinite if its bound says no number."""
    return next((seconds for pattern, seconds in _lives() if pattern.match(key)), float("inf"))
