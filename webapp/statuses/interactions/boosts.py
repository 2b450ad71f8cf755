"""Boosting a status, and taking the boost back.

The member's own list is the truth. Who boosts a status, how many they are, and the entries in
homes are projected from it.
"""

from webapp.core.errors import Forbidden
from webapp.core.store import Site, script
from webapp.statuses import keys as status_keys
from webapp.statuses.visibility.targets import StoredTarget, load_target

BOOST = script("statuses/interactions/lua/boost.lua")
UNBOOST = script("statuses/interactions/lua/unboost.lua")


def boost(
    site: Site, uid: int, status_id: int, network: str = "", stored: StoredTarget | None = None
) -> None:
    """Boost a status. Doing it again changes nothing. One trip more than `load_target`.

    Above boosts_max the oldest boost is taken back. `network`: see `posting_network`. Raises
    NotFound; Forbidden if the member or the author is suspended, if one blocks the other, or if not
    everybody may see the status; Conflict.
    """
    target = load_target(site.db, uid, status_id, "cannot_boost", stored)
    if target.visibility.restricted:  # as are statuses of a protected author
        raise Forbidden("not_for_boosts")
    site.run(BOOST, uid=uid, id=status_id, author=target.author.uid, network=network)


def unboost(site: Site, uid: int, status_id: int) -> None:
    """Take a boost back, if there is one. Two trips."""
    author = site.db.run(("HGET", status_keys.status(status_id), "author"))
    if author is None:  # projections remove the boosts of deleted statuses
        return
    site.run(UNBOOST, uid=uid, id=status_id, author=author)
