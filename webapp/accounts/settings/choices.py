"""Store a member's private choices, which apply in all their browsers."""

from webapp.core.store import Db, script

REMEMBER = script("accounts/settings/lua/remember.lua")


def remember(db: Db, uid: int, **fields: str) -> None:
    """Store fields of the user hash; an empty value removes the field. One trip.

    Raises NotFound, Forbidden (suspended), Unavailable.
    """
    db.run(REMEMBER(uid=uid, fields=fields))
