"""Following and unfollowing.

A follower's own list is the truth; the target's list of followers is projected from it.
"""

from __future__ import annotations

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.errors import Conflict, Forbidden, Invalid
from webapp.core.store.client import Db
from webapp.core.store.scripts import script

from . import keys

FOLLOW = script("following/lua/follow.lua")
UNFOLLOW = script("following/lua/unfollow.lua")


def follow(db: Db, config: Config, uid: int, login: str) -> Member:
    """Follow the member of a login, or request to if they are protected. Return the member.

    Following again changes nothing. Three trips, four for a protected member. Raises NotFound,
    Invalid for oneself, Forbidden for a suspended member or where one blocks the other, Conflict
    at FOLLOWING_MAX or REQUESTS_MAX, Unavailable.
    """
    target = accounts.get_by_login(db, login)
    if target.uid == uid:
        raise Invalid("yourself")
    if target.suspended:
        raise Forbidden("suspended")
    if target.protected:
        _require_room_for_request(db, config, target.uid)
    command = FOLLOW(
        config,
        uid=uid,
        target=target.uid,
        following_max=config.following_max,
        requests_max=config.requests_max,
        by_request=int(target.protected),
    )
    db.run(command)
    return target


def unfollow(db: Db, config: Config, uid: int, login: str) -> Member:
    """Unfollow the member of a login, or take back the request to follow. Return the member.

    Unfollowing again changes nothing. Three trips. Raises NotFound, Unavailable.
    """
    target = accounts.get_by_login(db, login)
    command = UNFOLLOW(config, uid=uid, target=target.uid)
    db.run(command)
    return target


def _require_room_for_request(db: Db, config: Config, uid: int) -> None:
    """Raise Conflict if a member has REQUESTS_MAX follow requests. One trip."""
    if db.run(("ZCARD", keys.follow_requests(uid))) >= config.requests_max:
        raise Conflict("requests_full")
