"""Where a status was written, and taking that off all that a member wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import keys
from ..config import Config
from ..db import Db
from ..events import request_id_args
from ..ids import partition_of
from ..scripts import script

REMOVE_LOCATIONS = script("statuses/scrub.lua")
BATCH = 1_000  # statuses one script looks at


@dataclass(frozen=True, slots=True)
class Place:
    """Where a status was written, if its author said so: WGS 84 degrees, and what the place is called, if anything."""

    lat: float
    long: float
    name: str = ""


def place_fields(place: Place | None) -> tuple[Any, ...]:
    """The fields of a status that say so, and their values; none where its author did not."""
    return ("lat", f"{place.lat:.6f}", "long", f"{place.long:.6f}", "place", place.name) if place else ()


def remove_locations(db: Db, config: Config, uid: int) -> None:
    """Takes the places off all statuses of a member, in batches; again does no harm. Raises Unavailable."""
    for list_key in keys.authored_lists(uid):
        names = [list_key, keys.status_prefix(uid), keys.outbox(partition_of(uid))]
        args = (BATCH, partition_of(uid), config.outbox_max, *request_id_args(), int(list_key == keys.restricted_statuses(uid, uid)))
        start = "-inf"
        while last := db.run(REMOVE_LOCATIONS(names, uid, start, *args)):
            start = f"({last}"
