"""Places of statuses, and removing them from all that a member wrote."""

from dataclasses import dataclass

from webapp.core.store import Site, script
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses import keys as status_keys

HIDE_PLACES = script("statuses/attachments/lua/hide_places.lua")


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a status: a name, WGS 84 degrees, or both."""

    lat: float | None = None
    long: float | None = None
    name: str = ""

    @property
    def point(self) -> tuple[float, float] | None:
        """Return latitude and longitude, None for a place that has only a name."""
        return None if self.lat is None or self.long is None else (self.lat, self.long)


def place_fields(place: Place | None) -> dict[str, str]:
    """Return the fields of a status that hold a place; none without one."""
    if place is None:
        return {}
    named = {"place": place.name}
    if point := place.point:
        return {"lat": f"{point[0]:.6f}", "long": f"{point[1]:.6f}", **named}
    return named


def remove_locations(site: Site, uid: int) -> None:
    """Hide the places of all that a member has written. The worker erases them.

    Safe to repeat. Two trips. Raises Unavailable.
    """
    site.run(HIDE_PLACES, lists=status_keys.authored_lists(uid), uid=uid)
    bump_versions(site.db, [uid])
