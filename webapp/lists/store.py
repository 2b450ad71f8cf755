"""Creating and changing lists, and who is on them."""

from __future__ import annotations

from collections.abc import Mapping

from webapp.accounts import keys as account_keys
from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.errors import Forbidden, Invalid
from webapp.core.events.outbox import event_arguments
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys

from . import keys

CREATE = script("lists/lua/create.lua")
UPDATE = script("lists/lua/update.lua")
DELETE = script("lists/lua/delete.lua")
SET_MEMBERSHIPS = script("lists/lua/set_memberships.lua")


def create(
    db: Db, config: Config, uid: int, name: str, private: bool = False, exclusive: bool = False
) -> int:
    """Create a list and return its number. One trip.

    Raises NotFound, Forbidden (suspended), Conflict (`lists_max` reached, or the name is taken),
    Unavailable.
    """
    p = partition_of(uid)
    command = CREATE(
        owner=account_keys.user(uid),
        lists=keys.lists(uid),
        list_prefix=keys.list_.prefix(p),
        uid=uid,
        name=name,
        private="1" if private else "",
        exclusive="1" if exclusive else "",
        lists_max=config.lists_max,
        **event_arguments(config, uid),
    )
    return int(db.run(command))


def update(
    db: Db, config: Config, uid: int, number: int, name: str, private: bool, exclusive: bool
) -> None:
    """Change a list of one's own. One trip.

    Raises NotFound, Conflict (another list has the name), Unavailable.
    """
    p = partition_of(uid)
    command = UPDATE(
        lists=keys.lists(uid),
        list_prefix=keys.list_.prefix(p),
        members_prefix=keys.list_members.prefix(p),
        excluded=keys.home_excluded(uid),
        uid=uid,
        number=number,
        name=name,
        private="1" if private else "",
        exclusive="1" if exclusive else "",
        **event_arguments(config, uid),
    )
    db.run(command)


def delete(db: Db, config: Config, uid: int, number: int) -> None:
    """Delete a list of one's own. One trip. Raises NotFound, Unavailable."""
    p = partition_of(uid)
    command = DELETE(
        lists=keys.lists(uid),
        list_prefix=keys.list_.prefix(p),
        members_prefix=keys.list_members.prefix(p),
        home_prefix=keys.list_home.prefix(p),
        active=keys.active_lists(p),
        excluded=keys.home_excluded(uid),
        uid=uid,
        number=number,
        **event_arguments(config, uid),
    )
    db.run(command)


def set_memberships(
    db: Db, config: Config, uid: int, login: str, memberships: Mapping[int, bool]
) -> Member:
    """Add a member to some of one's lists (number -> True), and remove them from others (False).

    All of it is done, or nothing. Return the member. Three trips.

    Raises NotFound, Invalid (oneself), Forbidden (suspended, or one blocks the other), Conflict
    (`list_members_max` reached), Unavailable.
    """
    target = accounts.get_by_login(db, login)
    if target.uid == uid:
        raise Invalid("list_yourself")
    if target.suspended and any(memberships.values()):
        raise Forbidden("suspended")
    p = partition_of(uid)
    command = SET_MEMBERSHIPS(
        owner=account_keys.user(uid),
        lists=keys.lists(uid),
        list_prefix=keys.list_.prefix(p),
        members_prefix=keys.list_members.prefix(p),
        active=keys.active_lists(p),
        excluded=keys.home_excluded(uid),
        blocks=following_keys.blocks(uid),
        blockers=following_keys.blockers(uid),
        uid=uid,
        target=target.uid,
        limit=config.list_members_max,
        **event_arguments(config, uid),
        memberships=[part for number, add in memberships.items() for part in (number, int(add))],
    )
    db.run(command)
    return target
