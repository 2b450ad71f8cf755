"""Lists as pages show them, and their reads for any viewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts.member import Member
from webapp.core.errors import NotFound
from webapp.core.store import Read, gather, read, script
from webapp.core.web import Page
from webapp.following.profiles import NO_DETAILS, PersonDetails

from . import keys

LIST_ALL = script("lists/lua/list_all.lua")


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


def get(uid: int, number: int) -> Read[List]:
    """Read a list of one's own. Raises NotFound."""
    return stored_list(uid, number, uid)


def owned(uid: int, member: int = 0) -> Read[list[List]]:
    """Read the lists of a member, newest first. `member`: sets `has_member` of the lists."""
    command = LIST_ALL(uid=uid, member=member)

    def parse(rows: Sequence[Any]) -> list[List]:
        return [
            build_list(uid, int(number), fields, size, bool(has_member))
            for number, fields, size, has_member in rows
        ]

    return read(command, parse)


def member_uids(owner: int, number: int) -> Read[list[int]]:
    """Read the members of a list."""
    return read(
        ("ZRANGE", keys.list_members(owner, number), 0, -1), lambda uids: list(map(int, uids))
    )


def stored_list(owner: int, number: int, viewer: int | None) -> Read[List]:
    """Read a list for a viewer. Raises NotFound, also if the list is private."""

    def build(found: tuple[Sequence[Any], int]) -> List:
        fields, size = found
        if fields[0] is None or (fields[1] and viewer != owner):
            raise NotFound("no_list")
        return build_list(owner, number, fields, size)

    return gather(
        read(("HMGET", keys.list_(owner, number), "name", "private", "exclusive"), list),
        read(("ZCARD", keys.list_members(owner, number)), int),
    ).map(build)


def build_list(
    owner: int, number: int, fields: Sequence[Any], size: int, has_member: bool = False
) -> List:
    """Build a list of its (name, private, exclusive)."""
    name, private, exclusive = fields
    return List(owner, number, name, bool(private), bool(exclusive), size, has_member)
