"""Following and unfollowing.

A follower's own list is the truth; the target's list of followers is projected from it.
"""

from __future__ import annotations

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.errors import Conflict, Forbidden, Invalid
from webapp.core.site import Site
from webapp.core.store.scripts import script

from . import keys

FOLLOW = script("following/lua/follow.lua")
UNFOLLOW = script("following/lua/unfollow.lua")


def follow(site: Site, uid: int, login: str) -> Member:
    """Follow the member of a login, or request to if they are protected. Return the member.

    Following again changes nothing. Three trips, four for a protected member. Raises NotFound,
    Invalid for oneself, Forbidden for a suspended member or where one blocks the other, Conflict
    at FOLLOWING_MAX or REQUESTS_MAX, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    if target.uid == uid:
        raise Invalid("yourself")
    if target.suspended:
        raise Forbidden("suspended")
    if target.protected:
        _require_room_for_request(site, target.uid)
    command = FOLLOW(
        site.config,
        uid=uid,
        target=target.uid,
        following_max=site.config.following_max,
        requests_max=site.config.requests_max,
        by_request=int(target.protected),
    )
    site.db.run(command)
    return target


def unfollow(site: Site, uid: int, login: str) -> Member:
    """Unfollow the member of a login, or take back the request to follow. Return the member.

    Unfollowing again changes nothing. Three trips. Raises NotFound, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    command = UNFOLLOW(site.config, uid=uid, target=target.uid)
    site.db.run(command)
    return target


def _require_room_for_request(site: Site, uid: int) -> None:
    """Raise Conflict if a member has REQUESTS_MAX follow requests. One trip."""
    if site.db.run(("ZCARD", keys.follow_requests(uid))) >= site.config.requests_max:
        raise Conflict("requests_full")
