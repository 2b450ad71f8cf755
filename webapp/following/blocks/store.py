"""Who blocks whom. The blocker's own list is the truth; the list of blockers is projected from it.

A block ends the follows in both directions, and requests to, and keeps both from following again. Nobody is told that
they are blocked.
"""

from __future__ import annotations

from collections.abc import Collection

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member, find_member, member_command, member_from
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, max_bound
from webapp.errors import Invalid
from webapp.following import keys as following_keys
from webapp.timelines import keys as timeline_keys

BLOCK = script("following/blocks/lua/block.lua")
UNBLOCK = script("following/blocks/lua/unblock.lua")


def block(db: Db, config: Config, uid: int, login: str) -> Member:
    """Blocks the member of this name, whom it returns; again is no change. Raises NotFound, Invalid for oneself,
    Conflict at BLOCKS_MAX, Forbidden for a suspended blocker, Unavailable.
    """
    target = find_member(db, login)
    if target.uid == uid:
        raise Invalid("block_yourself")
    p = partition_of(uid)
    names = [
        following_keys.blocks(uid),
        following_keys.following(uid),
        timeline_keys.home(uid),
        event_keys.outbox(p),
        timeline_keys.active_members(p),
        account_keys.user(uid),
    ]
    names.append(following_keys.sent_follow_requests(uid))
    db.run(
        BLOCK(names, uid, target.uid, config.blocks_max, p, config.outbox_max, *request_id_args())
    )
    return target


def unblock(db: Db, config: Config, uid: int, login: str) -> Member:
    """Unblocks the member of this name, whom it returns; again is no change. Raises NotFound, Unavailable."""
    target = find_member(db, login)
    p = partition_of(uid)
    db.run(
        UNBLOCK(
            [following_keys.blocks(uid), event_keys.outbox(p)],
            uid,
            target.uid,
            p,
            config.outbox_max,
            *request_id_args(),
        )
    )
    return target


def page(db: Db, uid: int, before: int | None = None, size: int = 100) -> Page[Member]:
    """A page of those a member blocks, the newest first; `before`: the last page's cursor. Two trips."""
    range_command = (
        "ZRANGE",
        following_keys.blocks(uid),
        max_bound(before),
        "-inf",
        "BYSCORE",
        "REV",
        "LIMIT",
        0,
        size + 1,
        "WITHSCORES",
    )
    range_reply = db.run(range_command)
    uids, cursors = (
        [int(other) for other in range_reply[::2]],
        [int(score) for score in range_reply[1::2]],
    )
    replies = db.trip(*map(member_command, uids[:size]))
    members = (member_from(other, reply) for other, reply in zip(uids, replies, strict=False))
    # Those who are being deleted are left out, until the worker has taken them off the list.
    return Page(
        tuple(member for member in members if member),
        cursors[size - 1] if len(uids) > size else None,
    )


def blocked_either_way(db: Db, uid: int, uids: Collection[int]) -> set[int]:
    """Those of `others` whom the member blocks or who block the member, as it is at this moment. One trip, none without
    others.
    """
    other_uids = sorted(set(uids) - {uid})
    if not other_uids:
        return set()
    # Asked of everybody's own list: the list of blockers comes after it.
    own_scores, *their_scores = db.trip(
        ("ZMSCORE", following_keys.blocks(uid), *other_uids),
        *(("ZSCORE", following_keys.blocks(other), uid) for other in other_uids),
    )
    return {
        other
        for other, mine, their in zip(other_uids, own_scores, their_scores, strict=True)
        if mine or their
    }
