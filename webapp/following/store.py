"""Following and unfollowing.

A follower's own list is the truth; the target's list of followers is projected from it.
"""

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.errors import Conflict, Forbidden, Invalid
from webapp.core.store import Site, script

from . import keys

FOLLOW = script("following/lua/follow.lua")
UNFOLLOW = script("following/lua/unfollow.lua")


def follow(site: Site, uid: int, login: str) -> None:
    """Follow the member of a login, as `follow_member` does. Two trips more. Raises NotFound."""
    follow_member(site, uid, accounts.get_by_login(site.db, login))


def unfollow(site: Site, uid: int, login: str) -> None:
    """Unfollow the member of a login, as `unfollow_member`. Two trips more. Raises NotFound."""
    unfollow_member(site, uid, accounts.get_by_login(site.db, login))


def follow_member(site: Site, uid: int, target: Member) -> None:
    """Follow a member, or request to if they are protected.

    Following again changes nothing. One trip, two for a protected member. Raises Invalid for
    oneself, Forbidden for a suspended member or where one blocks the other, Conflict at
    FOLLOWING_MAX or REQUESTS_MAX.
    """
    if target.uid == uid:
        raise Invalid("yourself")
    if target.suspended:
        raise Forbidden("suspended")
    if target.protected:
        waiting = site.db.run(("ZCARD", keys.follow_requests(target.uid)))
        if waiting >= site.config.requests_max:
            raise Conflict("requests_full")
    site.run(FOLLOW, uid=uid, target=target.uid, by_request=int(target.protected))


def unfollow_member(site: Site, uid: int, target: Member) -> None:
    """Unfollow a member, or take back the request to follow.

    Unfollowing again changes nothing. One trip. Raises Unavailable.
    """
    site.run(UNFOLLOW, uid=uid, target=target.uid)
