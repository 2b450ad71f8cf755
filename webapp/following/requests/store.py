"""Requests to follow protected members: answering them, and removing followers.

The requester's own list is the truth; the list of who waits is projected from it.
`following.store` makes requests and takes them back.
"""

from dataclasses import replace

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Db, Read, Site, read, script
from webapp.core.web import Page
from webapp.following import keys
from webapp.following.member_pages import member_page

ANSWER = script("following/requests/lua/answer_request.lua")
REMOVE_FOLLOWER = script("following/requests/lua/remove_follower.lua")


def answer(site: Site, uid: int, login: str, accepted: bool) -> bool:
    """Accept or refuse the request of the member of a login. Return False if there is none.

    Three trips. Raises NotFound, Unavailable.
    """
    requester = accounts.get_by_login(site.db, login)
    return bool(site.run(ANSWER, uid=uid, requester=requester.uid, accepted=int(accepted)))


def remove_follower(site: Site, uid: int, login: str) -> bool:
    """Remove the follower with a login, who is not notified. Return False if they do not follow.

    Three trips. Raises NotFound, Unavailable.
    """
    follower = accounts.get_by_login(site.db, login)
    return bool(site.run(REMOVE_FOLLOWER, uid=uid, follower=follower.uid))


def page(
    db: Db, uid: int, before: int | None = None, size: int = 100, above: str = "-inf"
) -> Page[Member]:
    """Return a page of those who request to follow a member, newest first. Two trips.

    Suspended members are left out: the worker ends their requests.
    """
    found = member_page(db, keys.follow_requests(uid), before, size, above=above)
    active = tuple(member for member in found.items if not member.suspended)
    return replace(found, items=active)


def pending_count(uid: int) -> Read[int]:
    """Read how many requests wait for a member's answer."""
    return read(("ZCARD", keys.follow_requests(uid)), int)
