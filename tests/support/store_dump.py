"""All that a store holds, as values that can be compared."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from webapp.core.store import Db
from webapp.core.store.schema_docs import rooms

from .schema import live_keys

READERS: dict[str, tuple[object, ...]] = {  # by type of key: the command, and what follows the key
    "string": ("GET",),
    "hash": ("HGETALL",),
    "set": ("SMEMBERS",),
    "zset": ("ZRANGE", 0, -1, "WITHSCORES"),
    "list": ("LRANGE", 0, -1),
    "stream": ("XRANGE", "-", "+"),
}
BINARY = {  # strings whose bytes are no text, and what is asked instead
    **dict.fromkeys(("trend_hour", "trend_day", "trend_networks", "views", "visitors"), "PFCOUNT"),
    **dict.fromkeys(("seen_posts", "dismissed_suggestions"), "STRLEN"),
}

# What any change of the site leaves, by the shape of its key.
BOOKKEEPING = {
    "fences:{<tag>}": "which worker wrote last",
    "lease:{<tag>}:<group>": "which worker applies events",
    "log:{log}": "the events for streams, a bounded number",
    "log_watermarks:{log}": "how far the log is",
    "last_status_id:{<tag>}": "ids are never used again",
    "last_uid": "ids are never used again",
    "last_chat_id": "ids are never used again",
    "member_versions:{pages}": "which pages are outdated, a bounded number",
    "security_entries:{<tag>}": "the operator's security log, for 90 days",
    "security_failures:{<tag>}": "the operator's security log, for 90 days",
    "changed_counts:{<tag>}": "removed within a second or so, as open pages get the counts",
}


def dump(db: Db, left_out: Sequence[str] = (), random: str = "") -> dict[str, Any]:
    """Return the content of each key, without those that begin with one of `left_out`.

    What matches the pattern `random` becomes "random".
    """
    keys = [key for key in live_keys(db) if not key.startswith(tuple(left_out))]
    kinds = db.trip(*(("TYPE", key) for key in keys))
    readers: dict[str, tuple[object, ...]] = {}
    for key, kind in zip(keys, kinds, strict=True):
        if kind != "none":  # it has expired meanwhile
            binary = BINARY.get(key.partition(":")[0]) if kind == "string" else None
            command, *options = (binary,) if binary else READERS[kind]
            readers[key] = command, key, *options
    content: dict[str, Any] = {}
    for (key, command), found in zip(readers.items(), db.trip(*readers.values()), strict=True):
        is_paired = command[0] in ("HGETALL", "ZRANGE")
        pairs = dict(zip(found[::2], found[1::2], strict=True)) if is_paired else found
        content[key] = sorted(found) if command[0] == "SMEMBERS" else pairs
    return _without(content, re.compile(random)) if random else content


def _without(value: Any, random: re.Pattern[str]) -> Any:
    """Return a value in which random parts are the same."""
    if isinstance(value, dict):
        return {_without(name, random): _without(one, random) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without(one, random) for one in value]
    return random.sub("random", value) if isinstance(value, str) else value


def calls(db: Db, command: str) -> int:
    """Return how often the store has run a command, given in lower case, also in scripts."""
    stats = "\n".join(db.on_every_primary("INFO", "commandstats"))
    return sum(map(int, re.findall(rf"cmdstat_{command}:calls=(\d+)", stats)))


@cache
def shape_of(key: str) -> str:
    """Return the shape of a key as it is declared."""
    declared = (one for keys in rooms().values() for one in keys.values())
    return next((one.shape for one in declared if one.pattern.match(key)), key)
