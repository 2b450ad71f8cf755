"""Hide a member's boosts from one's home, and show them again.

It is private, as a mute is: stored in the partition of the member who hides, projected nowhere.
"""

from __future__ import annotations

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.errors import Invalid
from webapp.core.site import Site
from webapp.core.store.scripts import script

HIDE = script("following/hidden_boosts/lua/hide.lua")
SHOW = script("following/hidden_boosts/lua/show.lua")
HIDDEN_BOOSTS_MAX = 1_000  # members whose boosts one member hides


def hide(site: Site, uid: int, login: str) -> Member:
    """Hide the boosts of the member of a login. Return the member. Again changes nothing.

    Three trips. Raises NotFound, Invalid for oneself, Conflict at HIDDEN_BOOSTS_MAX, Forbidden for
    a suspended member, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    if target.uid == uid:
        raise Invalid("hide_own_boosts")
    site.db.run(HIDE(site.config, uid=uid, target=target.uid, limit=HIDDEN_BOOSTS_MAX))
    return target


def show(site: Site, uid: int, login: str) -> Member:
    """Show the boosts of the member of a login again. Return the member. Again changes nothing.

    Three trips. Raises NotFound, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    command = SHOW(site.config, uid=uid, target=target.uid)
    site.db.run(command)
    return target
