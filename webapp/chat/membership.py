"""Who belongs to a chat: making groups, joining, adding, leaving; and what owners may change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .. import keys
from ..accounts.store import Member, member_command, member_from
from ..config import Config
from ..db import Db
from ..errors import Forbidden
from ..events import trace
from ..scripts import script
from . import asking, invites
from .store import Draft, body, digest, moment, names

CREATE = script("chat/create.lua")
JOIN = script("chat/join.lua")
ADD = script("chat/add.lua")
LEAVE = script("chat/leave.lua")
OWN = script("chat/own.lua")
CHANGE = script("chat/change.lua")
DESTROY = script("chat/destroy.lua")
CHANGEABLE = ("name", "topic", "picture", "shared", "keep", "kind")


@dataclass(frozen=True, slots=True)
class Belonging:
    """A member of a chat."""

    member: Member
    owner: bool
    joined: datetime


def create(
    db: Db,
    config: Config,
    uid: int,
    kind: str,
    name: str,
    others: Sequence[int],
    draft: Draft | None,
    key: str,
    topic: str = "",
    shared: bool = False,
) -> str:
    """Makes a group with its first members and message, and returns its id: the same again for the same key. Those who
    do not follow its maker are asked. Raises NotFound, Forbidden (blocked), Conflict (full), Unavailable.
    """
    others = [other for other in dict.fromkeys(others) if other != uid]
    guests = asking.invited(db, config, uid, others)
    asking.check_own_room(db, config, uid)
    cid = _number(db, config, uid, key)
    db.run(
        CREATE(
            names(cid),
            *(cid, keys.chat_partition(cid), uid, kind, name, topic, int(shared)),
            *(_spaced(others), _spaced(guests.asked), config.chat_members_max),
            *(body(draft) if draft else "", config.chat_history, config.outbox_max, *trace(), _spaced(guests.bots)),
        )
    )
    return cid


def join(db: Db, config: Config, uid: int, cid: str, secret: str = "") -> None:
    """Joins an open chat, or any group with an invitation's secret; again is no change. Raises NotFound, Forbidden when
    the invitation is not valid, or is of somebody with a block between them, or for whom an owner took out; Conflict
    (full), Unavailable.
    """
    asking.check_own_room(db, config, uid)
    if secret and (by := invites.maker(db, cid, secret)) and asking.blocked(db, uid, by):
        raise Forbidden("chat_invite_bad")
    db.run(
        JOIN(
            names(cid),
            *(cid, keys.chat_partition(cid), uid, digest(secret) if secret else ""),
            *(config.chat_members_max, config.outbox_max, *trace()),
        )
    )


def add(db: Db, config: Config, uid: int, cid: str, others: Sequence[int]) -> None:
    """Brings others into a group; those who do not follow the one who adds them are asked. Raises NotFound, Forbidden,
    Conflict (full), Unavailable.
    """
    guests = asking.invited(db, config, uid, others)
    db.run(
        ADD(
            names(cid),
            *(cid, keys.chat_partition(cid), uid, _spaced(others), _spaced(guests.asked)),
            *(config.chat_members_max, config.outbox_max, *trace(), _spaced(guests.bots)),
        )
    )


def leave(db: Db, config: Config, uid: int, cid: str) -> None:
    """Leaves a group; again is no change. The last owner hands over to whoever belongs to it longest, the last member
    takes everything along. Raises NotFound, Unavailable.
    """
    remove(db, config, uid, cid, uid)


def remove(db: Db, config: Config, uid: int, cid: str, other: int) -> None:
    """Takes a member out of a group, as an owner. Raises NotFound, Forbidden, Unavailable."""
    db.run(LEAVE(names(cid), cid, keys.chat_partition(cid), uid, other, 0, config.outbox_max, *trace()))


def promote(db: Db, config: Config, uid: int, cid: str, other: int) -> None:
    """Makes a member an owner, as one. Raises NotFound, Forbidden."""
    db.run(OWN(names(cid), cid, uid, other, 1))


def demote(db: Db, config: Config, uid: int, cid: str, other: int) -> None:
    """Makes an owner a member like others; not the last one. Raises NotFound, Forbidden, Conflict."""
    db.run(OWN(names(cid), cid, uid, other, 0))


def change(db: Db, config: Config, uid: int, cid: str, **fields: Any) -> None:
    """Changes fields of a group (CHANGEABLE), as an owner. Raises NotFound, Forbidden, Unavailable."""
    assert fields and set(fields) <= set(CHANGEABLE)
    flat = [part for name, value in fields.items() for part in (name, int(value) if name == "shared" else value)]
    db.run(CHANGE(names(cid), cid, keys.chat_partition(cid), uid, config.outbox_max, *trace(), *flat))


def destroy(db: Db, config: Config, uid: int, cid: str) -> None:
    """Deletes a group with all that is in it, as an owner. Raises NotFound, Forbidden, Unavailable."""
    db.run(DESTROY(names(cid), cid, keys.chat_partition(cid), uid, config.outbox_max, *trace()))


def members(db: Db, cid: str) -> list[Belonging]:
    """Who belongs to a chat, in the order they came; without those whose accounts are gone. Two trips."""
    flat, owners = db.trip(("ZRANGE", keys.chat_members(cid), 0, -1, "WITHSCORES"), ("SMEMBERS", keys.chat_owners(cid)))
    joined = {int(uid): moment(int(score) // 1000) for uid, score in zip(flat[::2], flat[1::2], strict=True)}
    found = db.trip(*map(member_command, joined))
    people = [(member_from(uid, reply), at) for (uid, at), reply in zip(joined.items(), found, strict=True)]
    return [Belonging(member, str(member.uid) in owners, at) for member, at in people if member]


def _number(db: Db, config: Config, uid: int, key: str) -> str:
    """The number of a new group; the same again for the same key, so that a retried form makes one."""
    number, made = db.run(("INCR", keys.chats())), keys.founded(uid, digest(key))
    before = db.run(("SET", made, number, "NX", "GET", "EX", config.post_key_hours * 3600))
    return str(before or number)


def _spaced(uids: Sequence[int]) -> str:
    return " ".join(map(str, uids))
