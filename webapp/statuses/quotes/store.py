"""Quotes of a status: detaching them, choosing who may quote, and their page."""

from webapp.accounts import store as accounts
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.core.errors import NotFound
from webapp.core.store import Db, Read, Site, listed_in, read, script
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.visibility.groups import memberships
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.targets import audience, require_own_partition

DETACH = script("statuses/quotes/lua/detach.lua")
REATTACH = script("statuses/quotes/lua/reattach.lua")
SET_QUOTE_POLICY = script("statuses/visibility/lua/set_quote_policy.lua")


def detach(site: Site, uid: int, quote_id: int) -> None:
    """Take a member's status out of another's quote. Doing it again changes nothing. Three trips.

    Raises NotFound, also if the quote is not meant for the member or is of another's status;
    Conflict (detached_max reached).
    """
    status_id = _load_own_quoted(site.db, uid, quote_id)
    site.run(DETACH, uid=uid, id=status_id, quote_id=quote_id)


def reattach(site: Site, uid: int, quote_id: int) -> None:
    """Show a member's status in a quote again. Three trips. Raises as `detach`."""
    status_id = _load_own_quoted(site.db, uid, quote_id)
    site.run(REATTACH, uid=uid, id=status_id, quote_id=quote_id)


def set_quote_policy(db: Db, uid: int, status_id: int, policy: QuotePolicy) -> None:
    """Set who may quote a member's own status. Quotes that exist stay. One trip.

    Raises NotFound; Forbidden if it is somebody else's, or the member is suspended.
    """
    require_own_partition(db, uid, status_id)
    db.run(SET_QUOTE_POLICY(uid=uid, id=status_id, policy=policy.value))


def _load_own_quoted(db: Db, uid: int, quote_id: int) -> int:
    """Return the id of the member's status that a quote shows. Two trips. Raises NotFound."""
    fields: Read[list[str | None]] = read(
        ("HMGET", status_keys.status(quote_id), "quoted_id", "quoted_uid"), lambda reply: reply
    )
    meant_for, (quoted_id, quoted_author) = db.fetch(audience(quote_id), fields)
    if not quoted_id or int(quoted_author or 0) != uid:
        raise NotFound("no_status")
    author, follows, groups = db.fetch(
        accounts.get(meant_for.author),
        listed_in(following_keys.following(uid), [meant_for.author]),
        memberships(uid, meant_for.closed_groups),
    )
    author = NotFound.unless(author, "no_status")
    relationship = Relationship(uid, follows=frozenset(follows), groups=groups)
    meant_for.require_visible(author, relationship)
    return int(quoted_id)
