"""The declaration in a `keys.py` that a live key should keep: its kind, its bound, its expiry."""

import re
from dataclasses import dataclass
from functools import cache

from webapp.config import Config
from webapp.core.store.schema import Hash, List, Set, Stream, ZSet
from webapp.core.store.schema_docs import rooms

UNKNOWN = "not declared"
COLLECTIONS = (Hash, ZSet, Set, List, Stream)
# "DRAFTS_MAX", "at most 64", "the newest 1,000 to 2,000": the last number counts. Not "at most
# 12 KiB", nor "360 samples of 10 s", which is one of several bounds.
BOUND_PATTERN = re.compile(
    r"(?:(?:at most|the newest|the largest) (?:[\d,]+ to )?(\d[\d,]*)"
    r"|(?:at most )?([A-Z][A-Z_]+_MAX))"
    r"(?! KiB)(?=[\s;,]|\Z)"
)


@dataclass(frozen=True, slots=True)
class Kind:
    """The promises of a declaration. `shape`: how its keys are made."""

    shape: str
    bound: str = ""
    is_collection: bool = False

    @property
    def expires(self) -> bool:
        """Return True if every such key has an expiry."""
        return self.bound.startswith("expires") and "empty" not in self.bound

    def length_max(self, config: Config) -> int | None:
        """Return how many entries a key of this kind may have; None if nothing says it."""
        match = BOUND_PATTERN.match(self.bound) if self.is_collection else None
        if match is None:
            return None
        if match[1]:
            return int(match[1].rstrip(",").replace(",", ""))
        limit = getattr(config, match[2].lower(), None)
        return limit if isinstance(limit, int) else None


NOT_DECLARED = Kind(UNKNOWN)


def kind_of(name: str) -> Kind:
    """Return the kind of a live key."""
    kinds = _kinds_by_noun().get(name.split(":")[0], ())
    return next((kind for pattern, kind in kinds if pattern.match(name)), NOT_DECLARED)


@cache
def _kinds_by_noun() -> dict[str, list[tuple[re.Pattern[str], Kind]]]:
    found: dict[str, list[tuple[re.Pattern[str], Kind]]] = {}
    for key in (key for keys in rooms().values() for key in keys.values()):
        kind = Kind(key.shape, key.bound, isinstance(key.type, COLLECTIONS))
        found.setdefault(key.shape.split(":")[0], []).append((key.pattern, kind))
    return found
