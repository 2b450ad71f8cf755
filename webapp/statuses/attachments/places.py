"""Locations of statuses, and removing them from all that a member wrote."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys

REMOVE_LOCATIONS = script("statuses/attachments/lua/remove_locations.lua")
BATCH = 1_000  # statuses of one call


@dataclass(frozen=True, slots=True)
class Place:
    """Where a status was written: WGS 84 degrees, and the name of the place, if any."""

    lat: float
    long: float
    name: str = ""


def place_fields(place: Place | None) -> dict[str, str]:
    """Return the fields of a status that hold a place; none without one."""
    if place is None:
        return {}
    return {"lat": f"{place.lat:.6f}", "long": f"{place.long:.6f}", "place": place.name}


def remove_locations(db: Db, config: Config, uid: int) -> None:
    """Remove the locations of all statuses of a member, a trip for each batch.

    Safe to repeat. Raises Unavailable.
    """
    partition = partition_of(uid)
    for list_key in status_keys.authored_lists(uid):
        bound = "-inf"
        while last := db.run(
            REMOVE_LOCATIONS(
                list=list_key,
                status_prefix=status_keys.status.prefix(uid),
                outbox=event_keys.outbox(partition),
                uid=uid,
                bound=bound,
                limit=BATCH,
                is_restricted=int(list_key == status_keys.restricted_statuses(uid, uid)),
                partition=partition,
                outbox_max=config.outbox_max,
                request_id=request_id.get(),
            )
        ):
            bound = f"({last}"
