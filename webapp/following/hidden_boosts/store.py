"""Hide a member's boosts from one's home, and show them again.

It is private, as a mute is: stored in the partition of the member who hides, projected nowhere.
"""

from __future__ import annotations

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.errors import Invalid
from webapp.core.store.client import Db
from webapp.core.store.scripts import script

HIDE = script("following/hidden_boosts/lua/hide.lua")
SHOW = script("following/hidden_boosts/lua/show.lua")
HIDDEN_BOOSTS_MAX = 1_000  # members whose boosts one member hides


def hide(db: Db, config: Config, uid: int, login: str) -> Member:
    """Hide the boosts of the member of a login. Return the member. Again changes nothing.

    Three trips. Raises NotFound, Invalid for oneself, Conflict at HIDDEN_BOOSTS_MAX, Forbidden for
    a suspended member, Unavailable.
    """
    target = accounts.get_by_login(db, login)
    if target.uid == uid:
        raise Invalid("hide_own_boosts")
    db.run(HIDE(config, uid=uid, target=target.uid, limit=HIDDEN_BOOSTS_MAX))
    return target


def show(db: Db, config: Config, uid: int, login: str) -> Member:
    """Show the boosts of the member of a login again. Return the member. Again changes nothing.

    Three trips. Raises NotFound, Unavailable.
    """
    target = accounts.get_by_login(db, login)
    command = SHOW(config, uid=uid, target=target.uid)
    db.run(command)
    return target
