"""Bounded sets of members whom a member names by login."""

from dataclasses import dataclass

from webapp.accounts import store as accounts
from webapp.accounts.collections.collection import Collection
from webapp.accounts.member import Member
from webapp.core.errors import Invalid
from webapp.core.store import Site


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
        """Remove the member of a login. Return the member. Safe to repeat. Three trips.

        Raises NotFound, Unavailable.
        """
        target = accounts.get_by_login(site.db, login)
        site.db.run(self.remove(site.config, uid, target.uid))
        return target
