"""Lists of members: making and changing them, who is on them, and reading what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member, find_member, member_command, member_from
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, max_bound
from webapp.errors import Forbidden, Invalid, NotFound
from webapp.following import keys as following_keys
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship_commands, relationship_from

from . import keys

CREATE = script("lists/lua/create.lua")
UPDATE = script("lists/lua/update.lua")
DELETE = script("lists/lua/delete.lua")
SET_MEMBERSHIPS = script("lists/lua/set_memberships.lua")
LIST_ALL = script("lists/lua/list_all.lua")


@dataclass(frozen=True, slots=True)
class List:
    """A list of members. `private`: for its owner alone; `exclusive`: what its members write stays out of the owner's
    home; `size`: how many are on it; `holds`: whether the member whom it was asked about is.
    """

    owner: int
    number: int
    name: str
    private: bool
    exclusive: bool
    size: int = 0
    has_member: bool = False


@dataclass(frozen=True, slots=True)
class PublicLists:
    """A member's lists as others see them; `closed`: they are not for the viewer, as the member is protected."""

    owner: Member
    lists: tuple[List, ...]
    restricted: bool = False


@dataclass(frozen=True, slots=True)
class MembersPage(Page[Member]):
    """A page of who is on a list; `followed`: the uids of those whom the reader follows."""

    followed_uids: frozenset[int] = frozenset()


def create(
    db: Db, config: Config, uid: int, name: str, private: bool = False, exclusive: bool = False
) -> int:
    """Makes a list; returns its number. Raises NotFound, Forbidden for a suspended member; Conflict at LISTS_MAX and
    where there is one of that name; Unavailable.
    """
    p = partition_of(uid)
    command = CREATE(
        owner=account_keys.user(uid),
        lists=keys.lists(uid),
        list_prefix=keys.list_.prefix(p),
        outbox=event_keys.outbox(p),
        uid=uid,
        name=name,
        private="1" if private else "",
        exclusive="1" if exclusive else "",
        lists_max=config.lists_max,
        partition=p,
        outbox_max=config.outbox_max,
        rid=request_id.get(),
    )
    return int(db.run(command))


def change(
    db: Db, config: Config, uid: int, number: int, name: str, private: bool, exclusive: bool
) -> None:
    """Changes what a list of one's own is. Raises NotFound, Conflict where another has that name, Unavailable."""
    p = partition_of(uid)
    command = UPDATE(
        lists=keys.lists(uid),
        list_prefix=keys.list_.prefix(p),
        members_prefix=keys.list_members.prefix(p),
        excluded=keys.home_excluded(uid),
        outbox=event_keys.outbox(p),
        uid=uid,
        number=number,
        name=name,
        private="1" if private else "",
        exclusive="1" if exclusive else "",
        partition=p,
        outbox_max=config.outbox_max,
        rid=request_id.get(),
    )
    db.run(command)


def delete(db: Db, config: Config, uid: int, number: int) -> None:
    """Deletes a list of one's own. Raises NotFound, Unavailable."""
    p = partition_of(uid)
    command = DELETE(
        lists=keys.lists(uid),
        list_prefix=keys.list_.prefix(p),
        members_prefix=keys.list_members.prefix(p),
        home_prefix=keys.list_home.prefix(p),
        active=keys.active_lists(p),
        excluded=keys.home_excluded(uid),
        outbox=event_keys.outbox(p),
        uid=uid,
        number=number,
        partition=p,
        outbox_max=config.outbox_max,
        rid=request_id.get(),
    )
    db.run(command)


def set_memberships(
    db: Db, config: Config, uid: int, login: str, memberships: Mapping[int, bool]
) -> Member:
    """Puts the member of this name, whom it returns, on some of one's lists (`wanted`: number → True) and takes them
    off others (False), all or none; again is no change. Three trips. Raises NotFound, Invalid for oneself, Forbidden
    where one blocks the other and for a suspended member, Conflict at LIST_MEMBERS_MAX, Unavailable.
    """
    target = find_member(db, login)
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
        outbox=event_keys.outbox(p),
        blocks=following_keys.blocks(uid),
        blockers=following_keys.blockers(uid),
        uid=uid,
        target=target.uid,
        limit=config.list_members_max,
        partition=p,
        outbox_max=config.outbox_max,
        rid=request_id.get(),
        memberships=[part for number, on in memberships.items() for part in (number, int(on))],
    )
    db.run(command)
    return target


def owned(db: Db, uid: int, member: int = 0) -> list[List]:
    """The lists of a member, the newest first, and which of them another `member` is on. One trip."""
    return _parse_lists(uid, db.run(_list_all_command(uid, member)))


def public_lists(db: Db, owner: int, viewer: int | None) -> PublicLists:
    """A member with those of their lists that are not private, the newest first. One trip. Raises NotFound where there
    is no account, Forbidden as `head_from`.
    """
    rows, *owner_replies = db.trip(_list_all_command(owner), *owner_commands(owner, viewer))
    owner_member, relationship = _require_owner_visible(owner, viewer, owner_replies, "no_member")
    if not relationship.may_see_boosts_by(owner_member):
        return PublicLists(owner_member, (), restricted=True)
    return PublicLists(
        owner_member, tuple(one for one in _parse_lists(owner, rows) if not one.private)
    )


def get(db: Db, uid: int, number: int) -> List:
    """A list of one's own. One trip. Raises NotFound."""
    list_fields, size = db.trip(*list_commands(uid, number))
    return visible_list_from(uid, number, list_fields, size, uid)


def members_page(
    db: Db, owner: int, number: int, viewer: int | None, before: int | None, size: int
) -> tuple[List, Member, MembersPage]:
    """A list that a viewer may see, its owner, and a page of who is on it, the newest first; who is suspended is shown
    to the owner alone, to take them off. Two trips. Raises NotFound, and Forbidden where the owner is not to be seen.
    """
    range_ = (max_bound(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, size + 1, "WITHSCORES")
    *head_replies, range_reply = db.trip(
        *list_and_owner_commands(owner, number, viewer),
        ("ZRANGE", keys.list_members(owner, number), *range_),
    )
    list_, owner_member = list_and_owner_from(owner, number, viewer, head_replies)
    uids, scores = (
        [int(uid) for uid in range_reply[::2]][:size],
        [int(score) for score in range_reply[1::2]],
    )
    score_commands: list[Command] = (
        [("ZMSCORE", following_keys.following(viewer), *uids)] if viewer and uids else []
    )
    replies = db.trip(*map(member_command, uids), *score_commands)
    loaded = [member_from(uid, fields) for uid, fields in zip(uids, replies, strict=False)]
    followed = (
        {uid for uid, at in zip(uids, replies[-1], strict=True) if at} if score_commands else ()
    )
    visible_members = tuple(one for one in loaded if one and (viewer == owner or not one.suspended))
    return (
        list_,
        owner_member,
        MembersPage(
            visible_members, scores[size - 1] if len(scores) > size else None, frozenset(followed)
        ),
    )


def member_uids(db: Db, owner: int, number: int) -> Sequence[int]:
    """Who is on a list. One trip. Raises Unavailable."""
    return [int(uid) for uid in db.run(("ZRANGE", keys.list_members(owner, number), 0, -1))]


def may_read(db: Db, owner: int, number: int, viewer: int | None) -> bool:
    """Whether a viewer may see a list. One trip. Raises Unavailable."""
    try:
        list_and_owner_from(
            owner, number, viewer, db.trip(*list_and_owner_commands(owner, number, viewer))
        )
    except (NotFound, Forbidden):
        return False
    return True


def list_commands(owner: int, number: int) -> list[Command]:
    """The commands that read what a list is."""
    fields = ("HMGET", keys.list_(owner, number), "name", "private", "exclusive")
    return [fields, ("ZCARD", keys.list_members(owner, number))]


def list_and_owner_commands(owner: int, number: int, viewer: int | None) -> list[Command]:
    """The commands whose replies `head_from` reads: of a list, its owner, and what is between them and a viewer."""
    return [*list_commands(owner, number), *owner_commands(owner, viewer)]


def list_and_owner_from(
    owner: int, number: int, viewer: int | None, replies: Sequence[Any]
) -> tuple[List, Member]:
    """A list that a viewer may see, and its owner. Raises NotFound where there is none, or it is private, or its owner
    protected and the viewer no follower, which is told alike; Forbidden where the owner is suspended, or one blocks the
    other.
    """
    fields, size, *owner_replies = replies
    list_ = visible_list_from(owner, number, fields, size, viewer)
    return list_, owner_from(owner, viewer, owner_replies)


def owner_commands(owner: int, viewer: int | None) -> list[Command]:
    """The commands whose replies `owner_from` reads."""
    return [member_command(owner), *relationship_commands(viewer, [owner])]


def owner_from(owner: int, viewer: int | None, replies: Sequence[Any]) -> Member:
    """A list's owner. Raises NotFound when the account is gone, or protected and the viewer is no follower; Forbidden
    as `head_from`.
    """
    member, relationship = _require_owner_visible(owner, viewer, replies, "no_list")
    if not relationship.may_see_boosts_by(member):
        raise NotFound("no_list")
    return member


def visible_list_from(
    owner: int, number: int, fields: Sequence[Any], size: int, viewer: int | None
) -> List:
    """The list in replies to `list_commands`. Raises NotFound where there is none, or it is not for the viewer."""
    if fields[0] is None or (fields[1] and viewer != owner):
        raise NotFound("no_list")
    return _build_list(owner, number, fields, size)


def _require_owner_visible(
    owner: int, viewer: int | None, replies: Sequence[Any], error_code: str
) -> tuple[Member, Relationship]:
    """The owner in replies to `owner_commands`, whom the viewer may meet, and what is between the two."""
    member, relationship = (
        member_from(owner, replies[0]),
        relationship_from(viewer, [owner], replies[1:]),
    )
    if member is None:
        raise NotFound(error_code)
    relationship.require_no_block(member)
    return member, relationship


def _list_all_command(uid: int, member: int = 0) -> Command:
    p = partition_of(uid)
    return LIST_ALL(
        lists=keys.lists(uid),
        list_prefix=keys.list_.prefix(p),
        members_prefix=keys.list_members.prefix(p),
        uid=uid,
        member=member,
    )


def _parse_lists(uid: int, rows: Sequence[Any]) -> list[List]:
    return [
        _build_list(uid, int(number), fields, size, bool(there))
        for number, fields, size, there in rows
    ]


def _build_list(
    owner: int, number: int, fields: Sequence[Any], size: int, has_member: bool = False
) -> List:
    name, private, exclusive = fields
    return List(owner, number, name, bool(private), bool(exclusive), size, has_member)
