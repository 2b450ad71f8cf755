"""Requests to follow protected members. The asker's own list is the truth; who waits is projected from it.
`store.follow` asks, and `store.unfollow` takes it back.
"""

from __future__ import annotations

from .. import keys
from ..accounts.store import Member, find, member_command, member_from
from ..config import Config
from ..db import Command, Db
from ..events import trace
from ..ids import partition_of
from ..paging import Page, below
from ..scripts import script

ANSWER = script("following/answer_request.lua")
REMOVE = script("following/remove_follower.lua")


def answer(db: Db, config: Config, uid: int, login: str, accepts: bool) -> bool:
    """Accepts the request of the member of this name, or refuses it; False where none waits (any more). Raises
    NotFound, Unavailable.
    """
    asker, p = find(db, login), partition_of(uid)
    names = [keys.requests(uid), keys.outbox(p)]
    return bool(db.run(ANSWER(names, uid, asker.uid, int(accepts), p, config.outbox_max, *trace())))


def remove(db: Db, config: Config, uid: int, login: str) -> bool:
    """Removes the follower of this name; False where they are none. They are not told. Raises NotFound, Unavailable."""
    follower, p = find(db, login), partition_of(uid)
    names = [keys.followers(uid), keys.outbox(p)]
    return bool(db.run(REMOVE(names, uid, follower.uid, p, config.outbox_max, *trace())))


def waiting(db: Db, uid: int, before: int | None = None, size: int = 100) -> Page[Member]:
    """A page of those who ask to follow a member, the newest first; `before`: the last page's cursor. Two trips."""
    newest = ("ZRANGE", keys.requests(uid), below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, size + 1, "WITHSCORES")
    flat = db.run(newest)
    uids, cursors = [int(other) for other in flat[::2]], [int(score) for score in flat[1::2]]
    replies = db.trip(*map(member_command, uids[:size]))
    found = (member_from(other, reply) for other, reply in zip(uids, replies, strict=False))
    # The requests of suspended and deleted accounts end when the worker comes to it.
    shown = tuple(member for member in found if member and not member.suspended)
    return Page(shown, cursors[size - 1] if len(uids) > size else None)


def count_command(uid: int) -> Command:
    """The command whose reply is how many wait."""
    return ("ZCARD", keys.requests(uid))
