"""Hide a member's boosts from one's home, and show them again.

It is private, as a mute is: stored in the partition of the member who hides, projected nowhere.
"""

from webapp.accounts.member import Member
from webapp.core.store import Db
from webapp.core.web import Page
from webapp.following import keys
from webapp.following.member_collection import MemberCollection
from webapp.following.member_pages import member_page

HIDDEN_BOOSTS_MAX = 1_000  # members whose boosts one member hides
HIDDEN_BOOSTS = MemberCollection(
    keys.hidden_boosts,
    bound=lambda _config: HIDDEN_BOOSTS_MAX,
    full="HIDDENBOOSTSFULL",
    added="boosts_hidden",
    removed="boosts_shown",
    oneself="hide_own_boosts",
)
hide, show = HIDDEN_BOOSTS.add_login, HIDDEN_BOOSTS.remove_login


def page(db: Db, uid: int, before: int | None, size: int) -> Page[Member]:
    """Return a page of those whose boosts a member hides, hidden last first. See `member_page`."""
    return member_page(db, keys.hidden_boosts(uid), before, size, remove_deleted=True)
