"""Redirect pages of a member from former logins and other spellings to the login as written."""

from typing import Any

from flask import redirect, request, url_for

from webapp.accounts.member import Member
from webapp.accounts.store import uid_by_login
from webapp.core.store import Read
from webapp.core.web import Requester, Response


def owner_of_page(_: Requester, login: str, **_arguments: object) -> Read[int]:
    """Read the uid of the member whose login a page's address has, for `prefetch`."""
    return uid_by_login(login)


def redirect_to_own(member: Member, login: str, **query: Any) -> Response | None:
    """Return a redirect to this page with the member's login as written; None if it is so.

    `query`: the arguments to keep. Browsers ask for the redirect each time: the login may be
    another member's one day.
    """
    if member.login == login:
        return None
    path = {**(request.view_args or {}), "login": member.login}
    return redirect(url_for(str(request.endpoint), **path, **query), 301)
