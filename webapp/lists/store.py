"""Lists of members: making and changing them, who is on them, and reading what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import keys
from ..accounts.store import Member, find, member_command, member_from
from ..config import Config
from ..db import Command, Db
from ..errors import Forbidden, Invalid, NotFound
from ..events import trace
from ..ids import partition_of
from ..paging import Page, below
from ..scripts import script
from ..statuses.seeing import Between, between_commands, between_from

MAKE = script("lists/make.lua")
CHANGE = script("lists/change.lua")
DROP = script("lists/drop.lua")
ENLIST = script("lists/enlist.lua")
INDEX = script("lists/index.lua")


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
    holds: bool = False


@dataclass(frozen=True, slots=True)
class Public:
    """A member's lists as others see them; `closed`: they are not for the viewer, as the member is protected."""

    by: Member
    lists: tuple[List, ...]
    closed: bool = False


@dataclass(frozen=True, slots=True)
class People(Page[Member]):
    """A page of who is on a list; `followed`: the uids of those whom the reader follows."""

    followed: frozenset[int] = frozenset()


def make(db: Db, config: Config, uid: int, name: str, private: bool = False, exclusive: bool = False) -> int:
    """Makes a list; returns its number. Raises NotFound, Forbidden for a suspended member; Conflict at LISTS_MAX and
    where there is one of that name; Unavailable.
    """
    p = partition_of(uid)
    names = [keys.user(uid), keys.lists(uid), keys.list_prefix(p), keys.outbox(p)]
    told = (*_stored(private, exclusive), config.lists_max, p, config.outbox_max, *trace())
    return int(db.run(MAKE(names, uid, name, *told)))


def change(db: Db, config: Config, uid: int, number: int, name: str, private: bool, exclusive: bool) -> None:
    """Changes what a list of one's own is. Raises NotFound, Conflict where another has that name, Unavailable."""
    p = partition_of(uid)
    names = [keys.lists(uid), keys.list_prefix(p), keys.list_members_prefix(p), keys.aside(uid), keys.outbox(p)]
    told = (*_stored(private, exclusive), p, config.outbox_max, *trace())
    db.run(CHANGE(names, uid, number, name, *told))


def drop(db: Db, config: Config, uid: int, number: int) -> None:
    """Deletes a list of one's own. Raises NotFound, Unavailable."""
    p = partition_of(uid)
    names = [keys.lists(uid), keys.list_prefix(p), keys.list_members_prefix(p), keys.list_home_prefix(p)]
    names += [keys.active_lists(p), keys.aside(uid), keys.outbox(p)]
    db.run(DROP(names, uid, number, p, config.outbox_max, *trace()))


def enlist(db: Db, config: Config, uid: int, login: str, wanted: Mapping[int, bool]) -> Member:
    """Puts the member of this name, whom it returns, on some of one's lists (`wanted`: number → True) and takes them
    off others (False), all or none; again is no change. Three trips. Raises NotFound, Invalid for oneself, Forbidden
    where one blocks the other and for a suspended member, Conflict at LIST_MEMBERS_MAX, Unavailable.
    """
    target = find(db, login)
    if target.uid == uid:
        raise Invalid("list_yourself")
    if target.suspended and any(wanted.values()):
        raise Forbidden("suspended")
    p = partition_of(uid)
    names = [keys.user(uid), keys.lists(uid), keys.list_prefix(p), keys.list_members_prefix(p), keys.active_lists(p)]
    names += [keys.aside(uid), keys.outbox(p), keys.blocks(uid), keys.blockers(uid)]
    pairs = [part for number, on in wanted.items() for part in (number, int(on))]
    db.run(ENLIST(names, uid, target.uid, config.list_members_max, p, config.outbox_max, *trace(), *pairs))
    return target


def mine(db: Db, uid: int, member: int = 0) -> list[List]:
    """The lists of a member, the newest first, and which of them another `member` is on. One trip."""
    return _indexed(uid, db.run(_index(uid, member)))


def public(db: Db, owner: int, viewer: int | None) -> Public:
    """A member with those of their lists that are not private, the newest first. One trip. Raises NotFound where there
    is no account, Forbidden as `head_from`.
    """
    index, *rest = db.trip(_index(owner), *owner_commands(owner, viewer))
    by, between = _met(owner, viewer, rest, "no_member")
    if not between.sees_boosts(by):
        return Public(by, (), closed=True)
    return Public(by, tuple(one for one in _indexed(owner, index) if not one.private))


def get(db: Db, uid: int, number: int) -> List:
    """A list of one's own. One trip. Raises NotFound."""
    fields, size = db.trip(*list_commands(uid, number))
    return known(uid, number, fields, size, uid)


def members(
    db: Db, owner: int, number: int, viewer: int | None, before: int | None, size: int
) -> tuple[List, Member, People]:
    """A list that a viewer may see, its owner, and a page of who is on it, the newest first; who is suspended is shown
    to the owner alone, to take them off. Two trips. Raises NotFound, and Forbidden where the owner is not to be seen.
    """
    range_ = (below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, size + 1, "WITHSCORES")
    *head, flat = db.trip(*head_commands(owner, number, viewer), ("ZRANGE", keys.list_members(owner, number), *range_))
    shown, by = head_from(owner, number, viewer, head)
    uids, scores = [int(uid) for uid in flat[::2]][:size], [int(score) for score in flat[1::2]]
    marks: list[Command] = [("ZMSCORE", keys.following(viewer), *uids)] if viewer and uids else []
    replies = db.trip(*map(member_command, uids), *marks)
    found = [member_from(uid, fields) for uid, fields in zip(uids, replies, strict=False)]
    followed = {uid for uid, at in zip(uids, replies[-1], strict=True) if at} if marks else ()
    people = tuple(one for one in found if one and (viewer == owner or not one.suspended))
    return shown, by, People(people, scores[size - 1] if len(scores) > size else None, frozenset(followed))


def audience(db: Db, owner: int, number: int) -> Sequence[int]:
    """Who is on a list. One trip. Raises Unavailable."""
    return [int(uid) for uid in db.run(("ZRANGE", keys.list_members(owner, number), 0, -1))]


def may_read(db: Db, owner: int, number: int, viewer: int | None) -> bool:
    """Whether a viewer may see a list. One trip. Raises Unavailable."""
    try:
        head_from(owner, number, viewer, db.trip(*head_commands(owner, number, viewer)))
    except (NotFound, Forbidden):
        return False
    return True


def list_commands(owner: int, number: int) -> list[Command]:
    """The commands that read what a list is."""
    fields = ("HMGET", keys.list_(owner, number), "name", "private", "exclusive")
    return [fields, ("ZCARD", keys.list_members(owner, number))]


def head_commands(owner: int, number: int, viewer: int | None) -> list[Command]:
    """The commands whose replies `head_from` reads: of a list, its owner, and what is between them and a viewer."""
    return [*list_commands(owner, number), *owner_commands(owner, viewer)]


def head_from(owner: int, number: int, viewer: int | None, replies: Sequence[Any]) -> tuple[List, Member]:
    """A list that a viewer may see, and its owner. Raises NotFound where there is none, or it is private, or its owner
    protected and the viewer no follower, which is told alike; Forbidden where the owner is suspended, or one blocks the
    other.
    """
    fields, size, *rest = replies
    shown = known(owner, number, fields, size, viewer)
    return shown, owner_from(owner, viewer, rest)


def owner_commands(owner: int, viewer: int | None) -> list[Command]:
    """The commands whose replies `owner_from` reads."""
    return [member_command(owner), *between_commands(viewer, [owner])]


def owner_from(owner: int, viewer: int | None, replies: Sequence[Any]) -> Member:
    """A list's owner. Raises NotFound when the account is gone, or protected and the viewer is no follower; Forbidden
    as `head_from`.
    """
    member, between = _met(owner, viewer, replies, "no_list")
    if not between.sees_boosts(member):
        raise NotFound("no_list")
    return member


def known(owner: int, number: int, fields: Sequence[Any], size: int, viewer: int | None) -> List:
    """The list in replies to `list_commands`. Raises NotFound where there is none, or it is not for the viewer."""
    if fields[0] is None or (fields[1] and viewer != owner):
        raise NotFound("no_list")
    return _list(owner, number, fields, size)


def _met(owner: int, viewer: int | None, replies: Sequence[Any], refusal: str) -> tuple[Member, Between]:
    """The owner in replies to `owner_commands`, whom the viewer may meet, and what is between the two."""
    member, between = member_from(owner, replies[0]), between_from(viewer, [owner], replies[1:])
    if member is None:
        raise NotFound(refusal)
    between.meet(member)
    return member, between


def _index(uid: int, member: int = 0) -> Command:
    p = partition_of(uid)
    return INDEX([keys.lists(uid), keys.list_prefix(p), keys.list_members_prefix(p)], uid, member)


def _indexed(uid: int, rows: Sequence[Any]) -> list[List]:
    return [_list(uid, int(number), fields, size, bool(there)) for number, fields, size, there in rows]


def _list(owner: int, number: int, fields: Sequence[Any], size: int, holds: bool = False) -> List:
    name, private, exclusive = fields
    return List(owner, number, name, bool(private), bool(exclusive), size, holds)


def _stored(*flags: bool) -> list[str]:
    return ["1" if flag else "" for flag in flags]
