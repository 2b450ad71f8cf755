"""Feature a followed member on one's profile, which everybody sees. It ends with the follow."""

from webapp.accounts import store as accounts
from webapp.accounts.collections.collection import Collection
from webapp.accounts.member import Member
from webapp.core.store import Site
from webapp.following import keys

ENDORSEMENTS_MAX = 100  # members on the profile of one member
ENDORSEMENTS = Collection(
    keys.endorsements,
    bound=lambda _config: ENDORSEMENTS_MAX,
    full="ENDORSEMENTSFULL",
    added="profile_edited",
    removed="profile_edited",
    within=keys.following,
    outside="ENDORSENOTFOLLOWED",
)


def endorse(site: Site, uid: int, login: str) -> Member:
    """Feature the member of a login on a member's profile. Return the member. Safe to repeat.

    Three trips. Raises NotFound, Forbidden for a suspended member, Conflict at ENDORSEMENTS_MAX or
    for somebody who is not followed, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    site.db.run(ENDORSEMENTS.add(site.config, uid, target.uid))
    return target


def unendorse(site: Site, uid: int, login: str) -> Member:
    """Take the member of a login off a member's profile. Return the member. Safe to repeat.

    Three trips. Raises NotFound, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    site.db.run(ENDORSEMENTS.remove(site.config, uid, target.uid))
    return target
