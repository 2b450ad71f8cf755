"""List the members who like or boost a status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.errors import NotFound
from webapp.core.store import Db, Read, constant, gather, read
from webapp.core.web import Page
from webapp.following.member_pages import uid_page
from webapp.following.profiles import PersonDetails, person_details
from webapp.statuses import keys as status_keys
from webapp.statuses.visibility.groups import memberships
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship
from webapp.statuses.visibility.targets import audience

from . import keys

# The lists of members of a status, by the field that holds their count.
LIST_KEYS = {"likes": keys.likers, "boosts": keys.boosters}


@dataclass(frozen=True, slots=True)
class LikersPage:
    """A page of members who like or boost a status, newest first.

    `first`: who did so before all others, None if the viewer does not see them.
    """

    author: Member  # of the status
    page: Page[Member]
    count: int  # of all of them
    followed_uids: frozenset[int]  # those on the page whom the viewer follows
    first: Member | None
    details: PersonDetails


def likers(
    db: Db,
    status_id: int,
    before: int | None,
    size: int,
    viewer: int | None,
    field: str = "likes",
    above: str = "-inf",
) -> LikersPage:
    """Return members who like (`field`: or "boosts") a status, below `before`. Three trips.

    `above`: a lower bound of the cursors. Members hidden from the viewer, suspended ones, and
    protected ones whom the viewer does not follow are counted and left out. Raises NotFound, also
    if the status is not meant for the viewer; Forbidden if its author is suspended, or hidden.
    """
    meant_for = db.read(audience(status_id))
    key = LIST_KEYS[field](status_id)
    author, entries, (first_uids, count) = db.fetch(
        accounts.get(meant_for.author),
        uid_page(key, before, size, above),
        _first_and_count(key, status_id, field),
    )
    uids = list(entries.scores)
    relation, groups, members, details = db.fetch(
        relationship(viewer, [meant_for.author, *uids, *first_uids]),
        memberships(viewer or 0, meant_for.closed_groups),
        accounts.get_many({*uids, *first_uids}),
        person_details(viewer, uids),
    )
    if author is None:
        raise NotFound("no_status")
    meant_for.require_visible(author, replace(relation, groups=groups))
    relation.require_no_block(author)
    visible = {uid: member for uid, member in members.items() if is_visible(member, relation)}
    shown = tuple(visible[uid] for uid in uids if uid in visible)
    page = Page(shown, entries.next, first=entries.first)
    first = next((visible[uid] for uid in first_uids if uid in visible), None)
    return LikersPage(author, page, count, relation.follows.intersection(uids), first, details)


def _first_and_count(key: str, status_id: int, field: str) -> Read[tuple[list[int], int]]:
    """Read the oldest uid of a list (a list of one or none), and the list's length."""
    return gather(
        read(("ZRANGE", key, 0, 0), lambda uids: list(map(int, uids))),
        read(("HGET", status_keys.status(status_id), field), lambda stored: int(stored or 0)),
    )


def is_visible(member: Member, relation: Relationship) -> bool:
    """Return True if the viewer may see a member's likes, as with boosts of protected ones."""
    return (
        not member.suspended
        and relation.visible_on_request(member.uid)
        and relation.may_see_boosts_by(member)
    )


def few_likers(status_id: int, viewer: int | None) -> Read[list[int]]:
    """Read the uids who liked a status first, and the newest two. None for a visitor."""
    if viewer is None:
        return constant([])
    key = keys.likers(status_id)

    def parse(replies: Sequence[Any]) -> list[int]:
        return list(map(int, dict.fromkeys(chain(*replies))))

    return Read((("ZRANGE", key, 0, 0), ("ZRANGE", key, 0, 1, "REV")), parse)
