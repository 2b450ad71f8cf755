"""Lists as a viewer may see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Db, Read, gather
from webapp.following.member_pages import uid_page
from webapp.following.profiles import person_details
from webapp.following.relations import followed_among
from webapp.statuses import relationship

from . import keys
from .lookup import List, ListPage, MembersPage, PublicLists, owned, stored_list


def public_lists(owner: int, viewer: int | None) -> Read[PublicLists]:
    """Read a member and the lists that are not private, newest first.

    Raises NotFound; Forbidden if the member is suspended or one blocks the other.
    """

    def build(results: tuple[list[List], tuple[Member, bool]]) -> PublicLists:
        lists, (member, is_visible) = results
        if not is_visible:
            return PublicLists(member, (), restricted=True)
        return PublicLists(member, tuple(one for one in lists if not one.private))

    return gather(owned(owner), _owner(owner, viewer, "no_member")).map(build)


def visible_list(owner: int, number: int, viewer: int | None) -> Read[ListPage]:
    """Read a list that a viewer may see, and its owner.

    Raises NotFound if it does not exist or is private, or only followers may see its owner's lists;
    Forbidden if the owner is suspended or one blocks the other.
    """
    return gather(stored_list(owner, number, viewer), visible_owner(owner, viewer)).map(
        lambda results: ListPage(*results)
    )


def may_read(owner: int, number: int, viewer: int | None) -> Read[bool]:
    """Read whether a viewer may see a list."""
    visible = visible_list(owner, number, viewer)

    def parse(replies: Sequence[Any]) -> bool:
        try:
            visible.parse(replies)
        except (NotFound, Forbidden):
            return False
        return True

    return Read(visible.commands, parse)


def members_page(
    db: Db, owner: int, number: int, viewer: int | None, before: int | None, size: int
) -> tuple[ListPage, MembersPage]:
    """Return a list and a page of its members, added last first. Two trips.

    Only the owner sees suspended members, to remove them. Raises as `visible_list`.
    """
    found, listed = db.fetch(
        visible_list(owner, number, viewer),
        uid_page(keys.list_members(owner, number), before, size),
    )
    uids = listed.scores
    members, followed, details = db.fetch(
        accounts.get_many(uids), followed_among(viewer, uids), person_details(viewer, uids)
    )
    visible = tuple(
        member for member in members.values() if viewer == owner or not member.suspended
    )
    return found, MembersPage(visible, listed.next, followed, details=details)


def visible_owner(owner: int, viewer: int | None) -> Read[Member]:
    """Read the owner of a list. Raises as `visible_list`."""

    def require_visible(found: tuple[Member, bool]) -> Member:
        member, is_visible = found
        if not is_visible:
            raise NotFound("no_list")
        return member

    return _owner(owner, viewer, "no_list").map(require_visible)


def _owner(owner: int, viewer: int | None, not_found: str) -> Read[tuple[Member, bool]]:
    """Read an owner of lists, and whether the viewer may see them.

    Raises NotFound with the code `not_found`; Forbidden as `visible_list`.
    """

    def build(results: tuple[Member | None, Any]) -> tuple[Member, bool]:
        member, relation = results
        if member is None:
            raise NotFound(not_found)
        relation.require_no_block(member)
        return member, relation.may_see_boosts_by(member)

    return gather(accounts.get(owner), relationship(viewer, [owner])).map(build)
