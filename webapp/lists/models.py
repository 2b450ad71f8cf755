"""Lists as pages show them."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.accounts.member import Member
from webapp.core.web.pagination import Page
from webapp.following.person_details import NO_DETAILS, PersonDetails


@dataclass(frozen=True, slots=True)
class List:
    """A list of members, of `size` of them.

    `private`: only its owner sees it. `exclusive`: its members' posts stay out of the owner's home.
    `has_member`: whether a certain member is on it, where a read looks for one.
    """

    owner: int
    number: int
    name: str
    private: bool
    exclusive: bool
    size: int = 0
    has_member: bool = False


@dataclass(frozen=True, slots=True)
class ListPage:
    """A list that a viewer may see, and its owner."""

    list: List
    owner: Member


@dataclass(frozen=True, slots=True)
class PublicLists:
    """A member's lists as others see them. `restricted`: only followers may see them."""

    owner: Member
    lists: tuple[List, ...]
    restricted: bool = False


@dataclass(frozen=True, slots=True)
class MembersPage(Page[Member]):
    """A page of a list's members, and the uids of those whom the viewer follows."""

    followed_uids: frozenset[int] = frozenset()
    details: PersonDetails = NO_DETAILS
