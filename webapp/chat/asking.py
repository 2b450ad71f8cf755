"""Who may be written to or brought into a group, and who has to be asked first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import keys
from ..accounts.store import Member, member_command, member_from
from ..config import Config
from ..db import Command, Db
from ..errors import Conflict, Forbidden, NotFound
from ..following import blocks
from ..scripts import script

ROOM_LEFT = script("chat/room_left.lua")


@dataclass(frozen=True, slots=True)
class Guests:
    """Those who are brought into a chat: of them `asked` do not follow whoever brings them, and answer first; nobody
    asks `bots`.
    """

    asked: tuple[int, ...] = ()
    bots: tuple[int, ...] = ()


def invited(db: Db, config: Config, uid: int, others: Sequence[int], new: bool = True) -> Guests:
    """Who of these has to be asked, if they may come at all. `new`: the chat will be one more on their lists. Two
    trips. Raises NotFound; Forbidden where there is a block between them, or one between their bots' owners; Conflict
    for whose lists are full.
    """
    if not others:
        return Guests()
    size = len(others)
    replies = db.trip(
        *map(member_command, others),
        *(("ZSCORE", keys.following(other), uid) for other in others),
        *map(_room_left, others),
        member_command(uid),
    )
    people = [member for other, reply in zip(others, replies, strict=False) if (member := member_from(other, reply))]
    me = member_from(uid, replies[-1])
    if me is None or len(people) < size:
        raise NotFound("no_member")
    if any(member.suspended for member in people) or _blocked(db, me, people):
        raise Forbidden("cannot_write_them")
    bots = tuple(member.uid for member in people if member.bot)
    follows = dict(zip(others, replies[size : 2 * size], strict=True))
    asked = tuple(other for other in others if not follows[other] and other not in bots)
    if new:
        _check_room(config, dict(zip(others, replies[2 * size : -1], strict=True)), asked)
    return Guests(asked, bots)


def check_own_room(db: Db, config: Config, uid: int) -> None:
    """Raises Conflict for a member who has as many chats as anyone may. One trip."""
    if db.run(_room_left(uid))[0] >= config.chats_max:
        raise Conflict("chats_full")


def blocked(db: Db, uid: int, other: int) -> bool:
    """Whether one of two blocks the other, or the other's owner where that is a bot. Two trips."""
    fields = db.trip(member_command(uid), member_command(other))
    two = [member for who, reply in zip((uid, other), fields, strict=True) if (member := member_from(who, reply))]
    return len(two) == 2 and _blocked(db, two[0], two[1:])


def _blocked(db: Db, me: Member, people: Sequence[Member]) -> bool:
    """Whether there is a block between anybody of the one side, with their owner, and anybody of the other."""
    others = {who for member in people for who in (member.uid, member.bot) if who}
    mine = [who for who in (me.uid, me.bot) if who]
    return any(blocks.between(db, who, others - {who}) for who in mine)


def _check_room(config: Config, room: dict[int, list[int]], asked: Sequence[int]) -> None:
    for other, (wanted, waiting) in room.items():
        if waiting >= config.chat_requests_max if other in asked else wanted >= config.chats_max:
            raise Conflict("their_chats_full")


def _room_left(uid: int) -> Command:
    return ROOM_LEFT([keys.member_chats(uid), keys.chat_marks(uid)])
