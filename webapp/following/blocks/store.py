"""Block and unblock members, and read blocks.

The blocker's own list is the truth; the list of blockers is projected from it. A block ends
follows and follow requests in both directions, and prevents new ones. The blocked member is not
notified.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Db, Read, Site, constant, script
from webapp.core.web import Page
from webapp.following import keys
from webapp.following.member_pages import member_page

BLOCK = script("following/blocks/lua/block.lua")
UNBLOCK = script("following/blocks/lua/unblock.lua")


def block(site: Site, uid: int, login: str) -> Member:
    """Block the member of a login. Return the member. Blocking again changes nothing.

    Three trips. Raises NotFound, Invalid for oneself, Conflict at BLOCKS_MAX, Forbidden for a
    suspended blocker.
    """
    target = accounts.get_other(site.db, uid, login, "block_yourself")
    site.run(BLOCK, uid=uid, target=target.uid)
    return target


def unblock(site: Site, uid: int, login: str) -> Member:
    """Unblock the member of a login. Return the member. Unblocking again changes nothing.

    Three trips. Raises NotFound, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    site.run(UNBLOCK, uid=uid, target=target.uid)
    return target


def page(
    db: Db, uid: int, before: int | None = None, size: int = 100, above: str = "-inf"
) -> Page[Member]:
    """Return a page of those a member blocks, newest first. Two trips."""
    return member_page(db, keys.blocks(uid), before, size, above=above)


def blocked_either_way(db: Db, uid: int, uids: Collection[int]) -> set[int]:
    """Return `blocks_between`. One trip, none without others."""
    return db.read(blocks_between(uid, uids))


def blocks_between(uid: int, uids: Collection[int]) -> Read[set[int]]:
    """Read which `uids` the member blocks, or block the member.

    Everybody's own list is read: lists of blockers are projected from them, and lag behind.
    """
    others = sorted(set(uids) - {uid})
    if not others:
        return constant(set())

    def parse(replies: Sequence[Any]) -> set[int]:
        own_scores, *their_scores = replies
        scores = zip(others, own_scores, their_scores, strict=True)
        return {other for other, own, theirs in scores if own or theirs}

    commands = (
        ("ZMSCORE", keys.blocks(uid), *others),
        *(("ZSCORE", keys.blocks(other), uid) for other in others),
    )
    return Read(commands, parse)
