"""Pinning lists to a member's home, and their order there."""

from __future__ import annotations

from webapp.core.site import Site
from webapp.core.store.scripts import script

PLACE = script("lists/pins/lua/place.lua")
PINNED_MAX = 8  # tabs besides those that every home has


def pin(site: Site, uid: int, number: int, place: int = PINNED_MAX) -> None:
    """Pin a list of one's own at a place, from 0, or move it there if it is pinned. One trip.

    Raises NotFound, Conflict (PINNED_MAX reached).
    """
    site.db.run(PLACE(uid=uid, number=number, place=place, limit=PINNED_MAX))


def unpin(site: Site, uid: int, number: int) -> None:
    """Unpin a list, if it is pinned. One trip. Raises NotFound."""
    site.db.run(PLACE(uid=uid, number=number, place=-1, limit=PINNED_MAX + 1))
