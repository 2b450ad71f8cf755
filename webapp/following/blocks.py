"""Who blocks whom. The blocker's own list is the truth; the list of blockers is projected from it.

A block ends the follows in both directions, and requests to, and keeps both from following again. Nobody is told that
they are blocked.
"""

from __future__ import annotations

from collections.abc import Collection

from .. import keys
from ..accounts.store import Member, find, member_command, member_from
from ..config import Config
from ..db import Db
from ..errors import Invalid
from ..events import trace
from ..ids import partition_of
from ..paging import Page, below
from ..scripts import script

BLOCK = script("following/block.lua")
UNBLOCK = script("following/unblock.lua")


def block(db: Db, config: Config, uid: int, login: str) -> Member:
    """Blocks the member of this name, whom it returns; again is no change. Raises NotFound, Invalid for oneself,
    Conflict at BLOCKS_MAX, Forbidden for a suspended blocker, Unavailable.
    """
    target = find(db, login)
    if target.uid == uid:
        raise Invalid("block_yourself")
    p = partition_of(uid)
    names = [keys.blocks(uid), keys.following(uid), keys.home(uid), keys.outbox(p), keys.active(p), keys.user(uid)]
    names.append(keys.requested(uid))
    db.run(BLOCK(names, uid, target.uid, config.blocks_max, p, config.outbox_max, *trace()))
    return target


def unblock(db: Db, config: Config, uid: int, login: str) -> Member:
    """Unblocks the member of this name, whom it returns; again is no change. Raises NotFound, Unavailable."""
    target = find(db, login)
    p = partition_of(uid)
    db.run(UNBLOCK([keys.blocks(uid), keys.outbox(p)], uid, target.uid, p, config.outbox_max, *trace()))
    return target


def listed(db: Db, uid: int, before: int | None = None, size: int = 100) -> Page[Member]:
    """A page of those a member blocks, the newest first; `before`: the last page's cursor. Two trips."""
    newest = ("ZRANGE", keys.blocks(uid), below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, size + 1, "WITHSCORES")
    flat = db.run(newest)
    uids, cursors = [int(other) for other in flat[::2]], [int(score) for score in flat[1::2]]
    replies = db.trip(*map(member_command, uids[:size]))
    found = (member_from(other, reply) for other, reply in zip(uids, replies, strict=False))
    # Those who are being deleted are left out, until the worker has taken them off the list.
    return Page(tuple(member for member in found if member), cursors[size - 1] if len(uids) > size else None)


def between(db: Db, uid: int, others: Collection[int]) -> set[int]:
    """Those of `others` whom the member blocks or who block the member, as it is at this moment. One trip, none without
    others.
    """
    asked = sorted(set(others) - {uid})
    if not asked:
        return set()
    # Asked of everybody's own list: the list of blockers comes after it.
    own, *theirs = db.trip(
        ("ZMSCORE", keys.blocks(uid), *asked), *(("ZSCORE", keys.blocks(other), uid) for other in asked)
    )
    return {other for other, mine, their in zip(asked, own, theirs, strict=True) if mine or their}
