"""Posts with a public place around a point."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.store.client import Db
from webapp.core.store.ids import first_id_at
from webapp.core.store.reads import Read
from webapp.statuses.hydration import complete, hydrate
from webapp.statuses.status import Status
from webapp.statuses.viewer.viewer_state import ViewerState
from webapp.statuses.visibility.policy import may_be_found

from .cells import Point, bearing, distance_km, rounded
from .points import POSTS, Found, nearest

SHOWN_MAX = 40  # posts of a page
SPARE = 40  # further posts that are read, in case some are hidden


@dataclass(frozen=True, slots=True)
class NearPost:
    """A post around a point: its distance, and its direction in degrees from north, by east."""

    status: Status
    km: float
    direction: float


def oldest_id() -> int:
    """Return the smallest id of posts that are shown."""
    return first_id_at(int((time.time() - POSTS.keep) * 1000))


def find(centre: Point, radius_km: float) -> Read[list[Found]]:
    """Read the posts nearest to a centre, which is rounded to 1 km."""
    return nearest(POSTS, rounded(centre), radius_km, SHOWN_MAX + SPARE)


def visible_posts(
    db: Db, found: Sequence[Found], centre: Point, radius_km: float, viewer: int
) -> tuple[list[NearPost], ViewerState]:
    """Return those of the found posts that the viewer may see, and the viewer's state of them.

    A post that has lost its place, or is elsewhere now, is left out. So are posts of others who do
    not wish to be found. Two trips.
    """
    pairs = [tuple(map(int, one.member.split(":"))) for one in found]
    entries = [(status_id, author) for status_id, author in pairs if status_id > oldest_id()]
    page = db.read(hydrate(entries, viewer))
    centre, near = rounded(centre), []
    for item in page.visible_in_timelines:
        if not isinstance(item, Status) or not (item.place and item.place.point):
            continue
        km = distance_km(centre, item.place.point)
        may_show = may_be_found(item.author) or item.author.uid == viewer
        if may_show and km <= radius_km * 1.01:
            near.append(NearPost(item, km, bearing(centre, item.place.point)))
    near = near[:SHOWN_MAX]
    state = db.read(complete(viewer, [one.status for one in near], page.viewer_state))
    return near, state
