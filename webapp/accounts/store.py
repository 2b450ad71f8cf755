"""Finding members by id or by login. Every other room reads members through this module."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from webapp.core.errors import Forbidden, Invalid, NotFound
from webapp.core.store import Command, Db, Read, collect, constant, gather, read
from webapp.core.text.parser import Entity

from . import keys
from .member import MEMBER_FIELDS, Member as Member, parse_member

LOGIN_PATTERN = re.compile(r"[A-Za-z0-9_]{1,15}\Z")
NO_UID = 0  # a member id that is never assigned
KNOWN_MAX = 20_000  # logins of one process
_known_uids: dict[str, int] = {}  # by login: whose it was when this process last asked
NamedMember = Callable[[Db], Member]


def get(uid: int) -> Read[Member | None]:
    """Read a member. None if there is no account."""
    return read(_member_command(uid), lambda fields: parse_member(uid, fields))


def get_or_404(uid: int) -> Read[Member]:
    """Read a member. Raises NotFound."""
    return get(uid).map(lambda member: NotFound.unless(member, "no_member"))


def get_many(uids: Iterable[int]) -> Read[dict[int, Member]]:
    """Read members by uid, in the order of `uids`. Uids without an account are left out."""
    unique_uids = tuple(dict.fromkeys(uids))

    def parse(replies: Sequence[Any]) -> dict[int, Member]:
        members = map(parse_member, unique_uids, replies)
        return {member.uid: member for member in members if member}

    return Read(tuple(map(_member_command, unique_uids)), parse)


def uid_by_login(login: str) -> Read[int]:
    """Read the uid of a login's owner, whose account may not be finished. Raises NotFound."""
    return claimed_uid(login).map(lambda uid: NotFound.unless(uid, "no_member"))


def claimed_uid(login: str) -> Read[int | None]:
    """Read the uid that has claimed a login, None if nobody has. The account may not exist yet."""
    if not LOGIN_PATTERN.match(login):
        return constant(None)
    return read(("GET", keys.login(login)), uid_of_claim)


def get_by_login(db: Db, login: str) -> Member:
    """Return the member of a login. One trip or two, as `named`. Raises NotFound."""
    return db.read(named(login))(db)


def get_shown(db: Db, login: str) -> Member:
    """Do as `get_by_login`. Raises Forbidden too, if the member is suspended."""
    member = get_by_login(db, login)
    if member.suspended:
        raise Forbidden("suspended")
    return member


def get_other(db: Db, uid: int, login: str, oneself: str) -> Member:
    """Do as `get_by_login`. Raises Invalid with the code `oneself` if that is the member `uid`."""
    member = get_by_login(db, login)
    if member.uid == uid:
        raise Invalid(oneself)
    return member


def named(login: str) -> Read[NamedMember]:
    """Read the member of a login. The result is called with the store, and raises NotFound.

    The call takes a trip unless this process has met the login, and it has the same owner still.
    """
    known_uid = _known_uids.get(login.lower())
    known = get(known_uid) if known_uid else constant(None)
    return gather(claimed_uid(login), known).map(lambda found: partial(_owner, login, *found))


def _owner(login: str, uid: int | None, known: Member | None, db: Db) -> Member:
    if uid and (known is None or known.uid != uid):
        if len(_known_uids) >= KNOWN_MAX:
            _known_uids.clear()
        _known_uids[login.lower()] = uid
        known = db.read(get(uid))
    return NotFound.unless(known if uid else None, "no_member")


def get_many_by_login(db: Db, logins: Collection[str]) -> dict[str, Member]:
    """Return the members of these logins, by login in lower case. Two trips.

    Logins without an account are left out.
    """
    names = list(dict.fromkeys(login.lower() for login in logins if LOGIN_PATTERN.match(login)))
    claimed = dict(zip(names, db.read(collect(map(claimed_uid, names))), strict=True))
    members = db.read(get_many(uid for uid in claimed.values() if uid))
    return {name: members[uid] for name, uid in claimed.items() if uid in members}


def uid_of_claim(claim: str | None) -> int | None:
    """Return the uid in a claim on a login (`uid:ms`), None if there is no claim."""
    return int(claim.partition(":")[0]) if claim else None


def _member_command(uid: int) -> Command:
    return ("HMGET", keys.user(uid), *MEMBER_FIELDS)


def mentioned_members(db: Db, entities: Iterable[Entity]) -> dict[str, Member]:
    """Return the members that entities mention, by login in lower case.

    Two trips, none without mentions.
    """
    logins = [one.text for one in entities if one.kind == "mention"]
    return get_many_by_login(db, logins) if logins else {}


def link_mentions(db: Db, entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return entities without mentions of nobody. Two trips, none without mentions."""
    found = tuple(entities)
    return without_unknown(found, mentioned_members(db, found))


def without_unknown(
    entities: Iterable[Entity], members: Mapping[str, Member]
) -> tuple[Entity, ...]:
    """Return entities without mentions of others than `members`, by login in lower case."""
    return tuple(
        entity for entity in entities if entity.kind != "mention" or entity.text.lower() in members
    )
