"""People nearby: members who chose to be found for a day, by others who chose it too."""

from __future__ import annotations

from datetime import UTC, datetime

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Db, Read, collect, read
from webapp.statuses import relationship

from . import keys
from .cells import Point, cell_of, rounded
from .points import PEOPLE, add_command, nearest, remove_commands

RADIUS_KM = 100
SHOWN_MAX = 60
STEPS_KM = (2, 5, 20, RADIUS_KM)  # distances are told as "under 2 km" and so on
Position = tuple[str, Point]  # the cell, and the point


def position_of(uid: int) -> Read[Position | None]:
    """Read where a member is found, None if they do not wish to be."""

    def parse(text: str | None) -> Position | None:
        if not text:
            return None
        cell, lat, long = text.split()
        return cell, (float(lat), float(long))

    return read(("GET", keys.position(uid)), parse)


def found_until(uid: int) -> Read[datetime]:
    """Read when a member's position expires."""
    return read(
        ("EXPIRETIME", keys.position(uid)), lambda seconds: datetime.fromtimestamp(seconds, UTC)
    )


def show(db: Db, uid: int, point: Point) -> None:
    """Let a member be found around a point, rounded to 1 km, for a day. Three trips.

    The new cell comes first. A worker or server that dies in between leaves at most an entry that
    readers leave out, because the member's own position names another cell.
    """
    old = db.read(position_of(uid))
    lat, long = point = rounded(point)
    cell = cell_of(point)
    text = f"{cell} {lat} {long}"
    db.trip(
        ("SET", keys.position(uid), text, "EX", PEOPLE.keep), add_command(PEOPLE, str(uid), point)
    )
    if old and old[0] != cell:
        db.trip(*remove_commands(PEOPLE, str(uid), old[0]))


def hide(db: Db, uid: int) -> None:
    """Let a member not be found any more. Two trips at most. Safe to repeat."""
    if old := db.read(position_of(uid)):
        db.trip(("DEL", keys.position(uid)), *remove_commands(PEOPLE, str(uid), old[0]))


def people_near(db: Db, uid: int, centre: Point) -> list[tuple[Member, int]]:
    """Return the members nearest to a member's own position, each with a step of STEPS_KM.

    Names order those of a step, so that the order tells nothing of distances. Those are left out
    whose position has moved or expired, who are suspended or limited, and whom a block or mute
    hides. Two trips.
    """
    found = db.read(nearest(PEOPLE, centre, RADIUS_KM, SHOWN_MAX + 1))
    uids = [int(one.member) for one in found]
    positions, members, relation = db.fetch(
        collect(map(position_of, uids)), accounts.get_many(uids), relationship(uid, uids)
    )
    people = [
        (members[other], _step(one.km))
        for other, one, position in zip(uids, found, positions, strict=True)
        if other != uid and other in members
        if not (members[other].suspended or members[other].limited)
        if position and position[0] == one.cell and relation.visible_in_timelines(other)
    ]
    return sorted(people, key=lambda person: (person[1], person[0].login.lower()))


def _step(km: float) -> int:
    return next((step for step in STEPS_KM if km < step), RADIUS_KM)
