"""Who likes what, and who did something with a status. The member's own list is the truth; a status's list of likes and
their number are projected from it.
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import keys
from ..accounts.store import Member, member_command, member_from
from ..config import Config
from ..db import Command, Db
from ..errors import NotFound
from ..events import trace
from ..ids import partition_of
from ..paging import Page, below
from ..scripts import script
from .aims import aimed
from .seeing import between_commands, between_from
from .visibility import unpack, visible

LIKE = script("statuses/like.lua")
UNLIKE = script("statuses/unlike.lua")


# The lists that a status has of those who did something with it, by the field that says how many.
LISTS = {"likes": keys.likes, "boosts": keys.boosters}


@dataclass(frozen=True, slots=True)
class Liking:
    """The author of a status, a page of those who like it (or boost it), newest first, how many do, and whom of them
    the viewer follows.
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
    author = aimed(db, uid, status_id, "cannot_like").author
    p = partition_of(uid)
    names = [keys.liked(uid), keys.acted(uid), keys.outbox(p), keys.user(uid), keys.blocks(uid), keys.blockers(uid)]
    db.run(LIKE(names, uid, status_id, author.uid, config.likes_max, p, config.outbox_max, *trace()))
    return author


def unlike(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Takes a like back; again is no change, and so is what is gone. One trip. Raises Unavailable."""
    p = partition_of(uid)
    db.run(UNLIKE([keys.liked(uid), keys.acted(uid), keys.outbox(p)], uid, status_id, p, config.outbox_max, *trace()))


def liking(db: Db, status_id: int, before: int | None, size: int, viewer: int | None, field: str = "likes") -> Liking:
    """Who likes a status, or what else `field` counts; `before`: the last page's cursor. Those who are suspended, or
    whom the viewer blocks or is blocked by, are counted and left out; so is who is protected and not followed. Three
    trips. Raises NotFound, also where it is not for them; Forbidden when the author is suspended, or hidden from them.
    """
    by, vis, who = db.run(("HMGET", keys.status(status_id), "author", "vis", "who"))
    if by is None:
        raise NotFound("no_status")
    author = int(by)
    newest = ("ZRANGE", LISTS[field](status_id), below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, size + 1)
    fields, flat, count = db.trip(
        member_command(author), (*newest, "WITHSCORES"), ("HGET", keys.status(status_id), field)
    )
    uids, cursors = [int(uid) for uid in flat[::2]], [int(score) for score in flat[1::2]]
    ties = between_commands(viewer, [author, *uids])
    marks: list[Command] = [("ZMSCORE", keys.following(viewer), *uids)] if viewer and uids else []
    replies = db.trip(*ties, *map(member_command, uids), *marks)
    between = between_from(viewer, [author, *uids], replies[: len(ties)])
    followed = frozenset(uid for uid, at in zip(uids, replies[-1], strict=True) if at) if marks else frozenset[int]()
    found = (member_from(uid, reply) for uid, reply in zip(uids[:size], replies[len(ties) :], strict=False))
    shown = (one for one in found if one and not one.suspended and between.asked(one.uid))
    people = tuple(filter(between.sees_boosts, shown))  # what protected members do with statuses is for their followers
    page = Page(people, cursors[size - 1] if len(uids) > size else None)
    member = member_from(author, fields)
    if member is None or not between.may_see(author, visible(vis, member), unpack(who)):
        raise NotFound("no_status")
    between.meet(member)
    return Liking(member, page, int(count or 0), followed)
