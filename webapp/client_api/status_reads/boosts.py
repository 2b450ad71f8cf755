"""Boosts, which clients know as statuses with ids of their own."""

from webapp.core.errors import NotFound
from webapp.core.web import db, viewer_uid
from webapp.statuses import BoostRef, Hydrated, hydrate
from webapp.statuses.boost_refs import find_boost


def boosted_status(boost_id: int) -> int:
    """Return the status that a boost shows. Two trips at most.

    Raises NotFound for an id of no boost, and for a boost that the caller may not see.
    """
    ref = NotFound.unless(db().read(find_boost(boost_id)), "no_status")
    load_boost(ref)
    return ref.status_id


def shown_status(number: int | None) -> int | None:
    """Return the status that an id of a status or of a boost stands for; None for None.

    Two trips at most. Raises NotFound for a boost that the caller may not see.
    """
    if number is None or (ref := db().read(find_boost(number))) is None:
        return number
    load_boost(ref)
    return ref.status_id


def load_boost(ref: BoostRef) -> Hydrated:
    """Return a boost with the caller's state. One trip. Raises NotFound if they may not see it."""
    found = db().read(hydrate([ref], viewer_uid()))
    if not found.visible:
        raise NotFound("no_status")
    return found
