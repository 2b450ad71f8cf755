"""Members of whom a page shows something that they offer."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store.reads import Read, constant, gather

from .policy import Relationship
from .relationships import relationship


def visible_members(viewer: int | None, uids: Sequence[int]) -> Read[dict[int, Member]]:
    """Read members by uid, without those who are suspended and those whom a block hides.

    `viewer`: None for a visitor.
    """
    if not uids:
        return constant({})

    def visible(found: tuple[dict[int, Member], Relationship]) -> dict[int, Member]:
        members, relation = found
        return {
            uid: member
            for uid, member in members.items()
            if not member.suspended and relation.visible_on_request(uid)
        }

    return gather(accounts.get_many(uids), relationship(viewer, uids)).map(visible)
