"""Authenticating a caller of the API: by access token, or as the member who is signed in."""

from __future__ import annotations

from webapp.accounts.store import Member
from webapp.accounts.tokens import store as tokens
from webapp.core.errors import Unauthorized
from webapp.core.site import Site


def authenticate(site: Site, authorization: str, viewer: Member | None) -> Member:
    """Return the caller, by the Authorization header or, without one, by the session.

    Raises Unauthorized, Unavailable.
    """
    scheme, _, token = authorization.strip().partition(" ")
    if scheme.lower() == "bearer":
        return Unauthorized.unless(tokens.authenticate(site, token.strip()), "bad_token")
    if scheme or viewer is None:
        raise Unauthorized("who_are_you_here")
    return viewer
