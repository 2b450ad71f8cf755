"""Hide a member's boosts from one's home, and show them again.

It is private, as a mute is: stored in the partition of the member who hides, projected nowhere.
"""

from webapp.accounts import store as accounts
from webapp.accounts.collections.collection import Collection
from webapp.accounts.member import Member
from webapp.core.errors import Invalid
from webapp.core.store import Db, Site
from webapp.core.web import Page
from webapp.following import keys
from webapp.following.member_pages import member_page

HIDDEN_BOOSTS_MAX = 1_000  # members whose boosts one member hides
HIDDEN_BOOSTS = Collection(
    keys.hidden_boosts,
    bound=lambda _config: HIDDEN_BOOSTS_MAX,
    full="HIDDENBOOSTSFULL",
    added="boosts_hidden",
    removed="boosts_shown",
)


def hide(site: Site, uid: int, login: str) -> Member:
    """Hide the boosts of the member of a login. Return the member. Safe to repeat.

    Three trips. Raises NotFound, Invalid for oneself, Conflict at HIDDEN_BOOSTS_MAX, Forbidden for
    a suspended member, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    if target.uid == uid:
        raise Invalid("hide_own_boosts")
    site.db.run(HIDDEN_BOOSTS.add(site.config, uid, target.uid))
    return target


def show(site: Site, uid: int, login: str) -> Member:
    """Show the boosts of the member of a login again. Return the member. Safe to repeat.

    Three trips. Raises NotFound, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    site.db.run(HIDDEN_BOOSTS.remove(site.config, uid, target.uid))
    return target


def page(db: Db, uid: int, before: int | None, size: int) -> Page[Member]:
    """Return a page of those whose boosts a member hides, hidden last first. See `member_page`."""
    return member_page(db, keys.hidden_boosts(uid), before, size, remove_deleted=True)
