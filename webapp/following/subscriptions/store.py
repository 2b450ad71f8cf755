"""Subscribe to a followed member's posts, which then notify the subscriber.

Nobody else sees a subscription. It ends with the follow.
"""

from webapp.following import keys
from webapp.following.member_collection import MemberCollection

SUBSCRIPTIONS_MAX = 500  # members whose posts notify one member
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
subscribe, unsubscribe = SUBSCRIPTIONS.add_login, SUBSCRIPTIONS.remove_login
