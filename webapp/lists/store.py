"""Creating and changing lists, and who is on them."""

from collections.abc import Collection, Mapping

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.bans.texts import check_texts
from webapp.core.errors import Forbidden, Invalid
from webapp.core.store import Site, script

CREATE = script("lists/lua/create.lua")
UPDATE = script("lists/lua/update.lua")
DELETE = script("lists/lua/delete.lua")
SET_MEMBERSHIPS = script("lists/lua/set_memberships.lua")
NAME_MAX = 50  # characters of a list's name
PLACE = script("lists/pins/lua/place.lua")
PINNED_MAX = 8  # tabs besides those that every home has


def create(site: Site, uid: int, name: str, private: bool = False, exclusive: bool = False) -> int:
    """Create a list and return its number. One trip.

    Raises NotFound, Forbidden (suspended), Conflict (`lists_max` reached, or the name is taken),
    RefusedText.
    """
    check_texts(site.config, "" if private else name)
    reply = site.run(
        CREATE,
        uid=uid,
        name=name,
        private="1" if private else "",
        exclusive="1" if exclusive else "",
    )
    return int(reply)


def update(
    site: Site, uid: int, number: int, name: str, private: bool | None, exclusive: bool | None
) -> None:
    """Change a list of one's own. One trip. "" and None keep what it has.

    Raises NotFound, Conflict (another list has the name), RefusedText.
    """
    check_texts(site.config, "" if private else name)
    site.run(
        UPDATE,
        uid=uid,
        number=number,
        name=name,
        private="" if private is None else int(private),
        exclusive="" if exclusive is None else int(exclusive),
    )


def delete(site: Site, uid: int, number: int) -> None:
    """Delete a list of one's own. One trip. Raises NotFound."""
    site.run(DELETE, uid=uid, number=number)


def set_memberships(site: Site, uid: int, login: str, memberships: Mapping[int, bool]) -> Member:
    """Add a member to some of one's lists (number -> True), and remove them from others (False).

    All of it is done, or nothing. Return the member. Three trips.

    Raises NotFound, Invalid (oneself), Forbidden (suspended, or one blocks the other), Conflict
    (`list_members_max` reached).
    """
    target = accounts.get_other(site.db, uid, login, "list_yourself")
    if target.suspended and any(memberships.values()):
        raise Forbidden("suspended")
    site.run(
        SET_MEMBERSHIPS,
        uid=uid,
        target=target.uid,
        memberships=[part for number, add in memberships.items() for part in (number, int(add))],
    )
    return target


def set_members(
    site: Site, uid: int, number: int, members: Collection[Member], is_member: bool
) -> None:
    """Put members on one of one's lists, or take them off it. One trip.

    Who is refused keeps no other from it. Raises as `set_memberships`.
    """
    if any(one.uid == uid for one in members):
        raise Invalid("list_yourself")
    if is_member and any(one.suspended for one in members):
        raise Forbidden("suspended")
    call = {"uid": uid, "memberships": [number, int(is_member)]}
    site.db.trip_all(SET_MEMBERSHIPS(site.config, target=one.uid, **call) for one in members)


def pin(site: Site, uid: int, number: int, place: int = PINNED_MAX) -> None:
    """Pin a list of one's own at a place, from 0, or move it there if it is pinned. One trip.

    Raises NotFound, Conflict (PINNED_MAX reached).
    """
    site.run(PLACE, uid=uid, number=number, place=place, limit=PINNED_MAX)


def unpin(site: Site, uid: int, number: int) -> None:
    """Unpin a list, if it is pinned. One trip. Raises NotFound."""
    site.run(PLACE, uid=uid, number=number, place=-1, limit=PINNED_MAX + 1)
