"""Members with the rights of moderators."""

from webapp.accounts import lifecycle, store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Site


def as_moderator(site: Site, uid: int, right: str = "moderator") -> Member:
    """Give a member a right, and return them with it."""
    lifecycle.grant(site.db, uid, right)
    return site.db.read(accounts.get_or_404(uid))
