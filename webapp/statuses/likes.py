"""Who likes what. The member's own list is the truth; a status's list of likes and their number are projected from
it.
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import keys
from ..accounts.store import Member, member_command, member_from
from ..config import Config
from ..db import Db
from ..errors import Forbidden, NotFound
from ..events import trace
from ..ids import partition_of
from ..paging import Page, below
from ..scripts import script

LIKE = script("statuses/like.lua")
UNLIKE = script("statuses/unlike.lua")


@dataclass(frozen=True, slots=True)
class Liking:
    """The author of a status, a page of those who like it, newest first, how many do, and whom of them the viewer
    follows.
    """

    author: Member
    page: Page[Member]
    count: int
    followed: frozenset[int]


def like(db: Db, config: Config, uid: int, status_id: int) -> Member:
    """Likes a status, whose author it returns; again is no change. At LIKES_MAX the oldest like is taken back. Three
    trips. Raises NotFound; Forbidden for a suspended member, where the author is suspended, or where one blocks the
    other; Unavailable.
    """
    author = _author(db, status_id)
    # The author's own list of blocks: the liker's list of blockers comes after it.
    fields, blocked = db.trip(member_command(author), ("ZSCORE", keys.blocks(author), uid))
    member = _shown(author, fields)
    if blocked:
        raise Forbidden("cannot_like")
    p = partition_of(uid)
    names = [keys.liked(uid), keys.acted(uid), keys.outbox(p), keys.user(uid), keys.blocks(uid), keys.blockers(uid)]
    db.run(LIKE(names, uid, status_id, author, config.likes_max, p, config.outbox_max, *trace()))
    return member


def unlike(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Takes a like back; again is no change, and so is what is gone. One trip. Raises Unavailable."""
    p = partition_of(uid)
    db.run(UNLIKE([keys.liked(uid), keys.acted(uid), keys.outbox(p)], uid, status_id, p, config.outbox_max, *trace()))


def liking(db: Db, status_id: int, before: int | None, size: int, viewer: int | None) -> Liking:
    """Who likes a status; `before`: the last page's cursor. Those who are suspended, or whom the viewer blocks or is
    blocked by, are counted and left out. Three trips. Raises NotFound; Forbidden when the author is suspended.
    """
    author = _author(db, status_id)
    newest = ("ZRANGE", keys.likes(status_id), below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, size + 1)
    fields, flat, count = db.trip(
        member_command(author), (*newest, "WITHSCORES"), ("HGET", keys.status(status_id), "likes")
    )
    uids, cursors = [int(uid) for uid in flat[::2]], [int(score) for score in flat[1::2]]
    lists = (keys.following, keys.blocks, keys.blockers) if viewer and uids else ()
    replies = db.trip(*(("ZMSCORE", of(viewer or 0), *uids) for of in lists), *map(member_command, uids))
    sets = [{uid for uid, at in zip(uids, told, strict=True) if at} for told in replies[: len(lists)]]
    followed, hidden = (sets[0], sets[1] | sets[2]) if sets else (set[int](), set[int]())
    found = (member_from(uid, reply) for uid, reply in zip(uids[:size], replies[len(lists) :], strict=False))
    people = tuple(one for one in found if one and not one.suspended and one.uid not in hidden)
    page = Page(people, cursors[size - 1] if len(uids) > size else None)
    return Liking(_shown(author, fields), page, int(count or 0), frozenset(followed))


def _author(db: Db, status_id: int) -> int:
    author = db.run(("HGET", keys.status(status_id), "author"))
    if author is None:
        raise NotFound("no_status")
    return int(author)


def _shown(uid: int, fields: list[str | None]) -> Member:
    member = member_from(uid, fields)
    if member is None:
        raise NotFound("no_status")
    if member.suspended:
        raise Forbidden("suspended")
    return member
