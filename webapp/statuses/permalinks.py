"""Permanent addresses of statuses: `/@login/id` and the pages below it."""

from __future__ import annotations

from flask import redirect, request, url_for
from werkzeug.wrappers import Response

from webapp.accounts.member import Member
from webapp.core.errors import NotFound


def canonical_redirect(author: Member, login: str, **query: object) -> Response | None:
    """Return a redirect to this page with the author's login as written; None if it is so.

    `query`: the arguments to keep. Raises NotFound if the login is another member's.
    """
    if author.login.lower() != login.lower():
        raise NotFound("no_status")
    if author.login == login:
        return None
    path = {**(request.view_args or {}), "login": author.login}
    return redirect(url_for(str(request.endpoint), **path, **query), 301)  # type: ignore[arg-type]
