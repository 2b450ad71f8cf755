"""Statuses that a member has pinned to the profile."""

from webapp.config import Config
from webapp.core.store import Read, Site, partition_of, read, script
from webapp.statuses.status import StoredStatus
from webapp.statuses.visibility.targets import require_own_partition

PIN = script("statuses/edits/lua/pin.lua")
UNPIN = script("statuses/edits/lua/unpin.lua")
LIST_PINS = script("statuses/edits/lua/list_pins.lua")


def pin(site: Site, uid: int, status_id: int) -> None:
    """Pin a member's own status. Doing it again changes nothing. One trip.

    Raises NotFound; Forbidden if it is somebody else's, or the member is suspended; Conflict
    (pinned_max reached).
    """
    require_own_partition(site.db, uid, status_id)
    site.run(PIN, uid=uid, id=status_id)


def unpin(site: Site, uid: int, status_id: int) -> None:
    """Unpin a status, if it is pinned. One trip."""
    if partition_of(status_id) == partition_of(uid):
        site.run(UNPIN, uid=uid, id=status_id)


def pinned(config: Config, uid: int) -> Read[tuple[StoredStatus, ...]]:
    """Read a member's pinned statuses, pinned last first."""
    command = LIST_PINS(uid=uid, limit=config.pinned_max)
    return read(command, lambda rows: tuple(StoredStatus(int(id_), fields) for id_, fields in rows))
