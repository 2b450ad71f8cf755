"""Subscribe to a followed member's posts, which then notify the subscriber.

Nobody else sees a subscription. It ends with the follow.
"""

from webapp.accounts import store as accounts
from webapp.accounts.collections.collection import Collection
from webapp.accounts.member import Member
from webapp.core.store import Site
from webapp.following import keys

SUBSCRIPTIONS_MAX = 500  # members whose posts notify one member
SUBSCRIPTIONS = Collection(
    keys.subscriptions,
    bound=lambda _config: SUBSCRIPTIONS_MAX,
    full="SUBSCRIPTIONSFULL",
    added="subscribed",
    removed="unsubscribed",
    names_item=True,
    within=keys.following,
    outside="NOTFOLLOWED",
)


def subscribe(site: Site, uid: int, login: str) -> Member:
    """Subscribe to the posts of the member of a login. Return the member. Safe to repeat.

    Three trips. Raises NotFound, Forbidden for a suspended subscriber or one who does not follow
    the member, Conflict at SUBSCRIPTIONS_MAX, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    site.db.run(SUBSCRIPTIONS.add(site.config, uid, target.uid))
    return target


def unsubscribe(site: Site, uid: int, login: str) -> Member:
    """End the subscription to the posts of the member of a login. Return the member.

    Three trips. Raises NotFound, Unavailable.
    """
    target = accounts.get_by_login(site.db, login)
    site.db.run(SUBSCRIPTIONS.remove(site.config, uid, target.uid))
    return target
