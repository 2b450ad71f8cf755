"""Permanent addresses of statuses: `/@login/id` and the pages below it."""

from webapp.accounts.member import Member
from webapp.accounts.renaming.redirects import redirect_to_own
from webapp.accounts.store import claimed_uid
from webapp.core.errors import NotFound
from webapp.core.web import Response, db


def canonical_redirect(author: Member, login: str, **query: object) -> Response | None:
    """Return a redirect to this page with the author's login as written; None if it is so.

    `query`: the arguments to keep. One trip for another login, which may be a former one. Raises
    NotFound if it is another member's.
    """
    require_author(author, login)
    return redirect_to_own(author, login, **query)


def require_author(author: Member, login: str) -> None:
    """Raise NotFound unless a login is the author's, or was. One trip for another login."""
    if author.login.lower() != login.lower() and db().read(claimed_uid(login)) != author.uid:
        raise NotFound("no_status")
