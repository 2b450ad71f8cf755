"""Where a status was written, and taking that off all that a member wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import keys
from ..config import Config
from ..db import Db
from ..events import trace
from ..ids import partition_of
from ..scripts import script

SCRUB = script("statuses/scrub.lua")
BATCH = 1_000  # statuses one script looks at


@dataclass(frozen=True, slots=True)
class Place:
    """Where a status was written, if its author said so: WGS 84 degrees, and what the place is called, if anything."""

    lat: float
    long: float
    name: str = ""


def placed(place: Place | None) -> tuple[Any, ...]:
    """The fields of a status that say so, and their values; none where its author did not."""
    return ("lat", f"{place.lat:.6f}", "long", f"{place.long:.6f}", "place", place.name) if place else ()


def scrub(db: Db, config: Config, uid: int) -> None:
    """Takes the places off all statuses of a member, in batches; again does no harm. Raises Unavailable."""
    for listed in keys.written(uid):
        names = [listed, keys.status_prefix(uid), keys.outbox(partition_of(uid))]
        given = (BATCH, partition_of(uid), config.outbox_max, *trace(), int(listed == keys.limited(uid, uid)))
        bound = "-inf"
        while last := db.run(SCRUB(names, uid, bound, *given)):
            bound = f"({last}"
