"""Where a status was written, and taking that off all that a member wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys

REMOVE_LOCATIONS = script("statuses/attachments/lua/remove_locations.lua")
BATCH = 1_000  # statuses one script looks at


@dataclass(frozen=True, slots=True)
class Place:
    """Where a status was written, if its author said so: WGS 84 degrees, and what the place is called, if anything."""

    lat: float
    long: float
    name: str = ""


def place_fields(place: Place | None) -> tuple[Any, ...]:
    """The fields of a status that say so, and their values; none where its author did not."""
    return (
        ("lat", f"{place.lat:.6f}", "long", f"{place.long:.6f}", "place", place.name)
        if place
        else ()
    )


def remove_locations(db: Db, config: Config, uid: int) -> None:
    """Takes the places off all statuses of a member, in batches; again does no harm. Raises Unavailable."""
    for list_key in status_keys.authored_lists(uid):
        names = [list_key, status_keys.status.prefix(uid), event_keys.outbox(partition_of(uid))]
        args = (
            BATCH,
            partition_of(uid),
            config.outbox_max,
            *request_id_args(),
            int(list_key == status_keys.restricted_statuses(uid, uid)),
        )
        start = "-inf"
        while last := db.run(REMOVE_LOCATIONS(names, uid, start, *args)):
            start = f"({last}"
