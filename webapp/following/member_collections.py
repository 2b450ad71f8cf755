"""Bounded sets of members whom a member names by login.

A profile shows whom its member endorses. Hidden boosts and subscriptions are private. Endorsements
and subscriptions are of followed members, and end with the follow.
"""

from dataclasses import dataclass

from webapp.accounts import store as accounts
from webapp.accounts.collections.collection import Collection
from webapp.accounts.member import Member
from webapp.core.errors import Invalid
from webapp.core.store import Db, Site
from webapp.core.web import Page

from . import keys
from .member_pages import member_page

ENDORSEMENTS_MAX = 100  # members on the profile of one member
HIDDEN_BOOSTS_MAX = 1_000  # members whose boosts one member hides
SUBSCRIPTIONS_MAX = 500  # members whose posts notify one member


@dataclass(frozen=True, slots=True)
class MemberCollection(Collection):
    """Keeps members. `oneself`: the refusal of the member who keeps them, "" for none.

    It may be "" where `within` leaves that member out.
    """

    oneself: str = ""

    def add_login(self, site: Site, uid: int, login: str) -> Member:
        """Add the member of a login. Return the member. Safe to repeat. Three trips.

        Raises NotFound, Invalid for oneself, Forbidden for a suspended member, the refusals `full`
        and `outside`.
        """
        target = accounts.get_by_login(site.db, login)
        if self.oneself and target.uid == uid:
            raise Invalid(self.oneself)
        site.db.run(self.add(site.config, uid, target.uid))
        return target

    def remove_login(self, site: Site, uid: int, login: str) -> Member:
        """Remove a login's member. Return them. Safe to repeat. Three trips. Raises NotFound."""
        target = accounts.get_by_login(site.db, login)
        site.db.run(self.remove(site.config, uid, target.uid))
        return target


ENDORSEMENTS = MemberCollection(
    keys.endorsements,
    bound=lambda _config: ENDORSEMENTS_MAX,
    full="ENDORSEMENTSFULL",
    added="profile_edited",
    removed="profile_edited",
    within=keys.following,
    outside="ENDORSENOTFOLLOWED",
)
HIDDEN_BOOSTS = MemberCollection(
    keys.hidden_boosts,
    bound=lambda _config: HIDDEN_BOOSTS_MAX,
    full="HIDDENBOOSTSFULL",
    added="boosts_hidden",
    removed="boosts_shown",
    oneself="hide_own_boosts",
)
SUBSCRIPTIONS = MemberCollection(
    keys.subscriptions,
    bound=lambda _config: SUBSCRIPTIONS_MAX,
    full="SUBSCRIPTIONSFULL",
    added="subscribed",
    removed="unsubscribed",
    names_item=True,
    within=keys.following,
    outside="NOTFOLLOWED",
)
endorse, unendorse = ENDORSEMENTS.add_login, ENDORSEMENTS.remove_login
hide_boosts, show_boosts = HIDDEN_BOOSTS.add_login, HIDDEN_BOOSTS.remove_login
subscribe, unsubscribe = SUBSCRIPTIONS.add_login, SUBSCRIPTIONS.remove_login


def hidden_boosts_page(db: Db, uid: int, before: int | None, size: int) -> Page[Member]:
    """Return a page of those whose boosts a member hides, hidden last first. See `member_page`."""
    return member_page(db, keys.hidden_boosts(uid), before, size, remove_deleted=True)
