"""What a member's own list says of chats: how far they have read, what is muted, put away or asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import keys
from ..config import Config
from ..db import Command, Db
from ..following import blocks
from ..scripts import script
from . import membership
from .store import is_direct, names, other

SEE = script("chat/see.lua")
MARK = script("chat/mark.lua")
BADGE = script("chat/badge.lua")
ANSWER = script("chat/answer.lua")
TELL = script("chat/tell.lua")
UNLIST = script("chat/unlist.lua")
CHANNEL = "chat"  # what happens in chats is told here, to whoever listens at that moment


@dataclass(frozen=True, slots=True)
class Badge:
    """What is unread in all chats that are neither muted, put away nor waiting; how many requests wait; and what is
    unread in each chat.
    """

    total: int
    requests: int
    chats: dict[str, int]


def read(db: Db, uid: int, cid: str, upto: int, quiet: bool = False) -> int:
    """Marks a chat as read up to a message, which only moves forward; returns how far they have read. `quiet`: nobody
    is told of it now. Two trips; the second says in the member's list what the first has told the others, and may be
    done again. Raises Forbidden.
    """
    mark = int(db.run(SEE(names(cid), cid, keys.chat_partition(cid), uid, upto, int(quiet))))
    db.run(_mark(uid, cid, "read", mark))
    return mark


def see(db: Db, uid: int, cid: str, upto: int, quiet: bool = False) -> None:
    """As `read`, for a member whom the chat has just shown message `upto`; `quiet`: nobody is told of it now. One trip.
    Raises Forbidden.
    """
    look = SEE(names(cid), cid, keys.chat_partition(cid), uid, upto, int(quiet))
    db.trip(look, _mark(uid, cid, "read", upto))


def set_flag(db: Db, uid: int, cid: str, flag: str, on: bool) -> None:
    """Makes a chat `muted`, or `archived` until something comes; or not any more. Raises NotFound."""
    assert flag in ("muted", "archived")
    db.run(_mark(uid, cid, flag, 1 if on else ""))


def answer(db: Db, config: Config, uid: int, cid: str, how: str) -> None:
    """Answers a request: `accept`, or `ignore` of which nobody is told: a direct chat is taken off the list until one
    writes in it, a group is left. Raises NotFound, Forbidden, Unavailable.
    """
    assert how in ("accept", "ignore")
    if how == "ignore" and is_direct(cid):
        db.run(UNLIST([keys.member_chats(uid), keys.chat_marks(uid)], uid, cid))
    elif how == "ignore":
        membership.leave(db, config, uid, cid)
    elif is_direct(cid):
        db.trip(ANSWER(names(cid), cid, uid), _mark(uid, cid, "waiting", ""))
    else:
        db.run(_mark(uid, cid, "waiting", ""))


def waits(db: Db, uid: int, cid: str) -> bool:
    """Whether a chat waits for a member's answer, or was ignored. One trip."""
    return bool(db.run(("HGET", keys.chat_marks(uid), "waiting:" + cid)))


def waiting_command(uid: int, cid: str) -> Command:
    """The command that tells whether a member was asked to a chat and has not accepted, 1 or 0."""
    return ("HEXISTS", keys.chat_marks(uid), "waiting:" + cid)


def badge_command(uid: int) -> Command:
    """The command whose reply `badge_from` reads."""
    return BADGE([keys.member_chats(uid), keys.chat_marks(uid)])


def badge_from(reply: Sequence[Any]) -> Badge:
    """The badge in a reply to `badge_command`."""
    total, requests, *flat = reply
    return Badge(total, requests, dict(zip(flat[::2], flat[1::2], strict=True)))


def typing(db: Db, uid: int, cid: str) -> None:
    """Tells who looks at a chat that somebody is writing, but for whom they block or are blocked by. Nothing is kept.
    Raises Forbidden.
    """
    to = other(cid, uid)
    if to is None or not blocks.between(db, uid, [to]):
        db.run(TELL(names(cid), cid, uid, "t"))


def _mark(uid: int, cid: str, mark: str, value: object) -> Command:
    return MARK([keys.member_chats(uid), keys.chat_marks(uid)], uid, cid, mark, value)
