"""The caller of an endpoint: a member through an app, an app alone, or anybody."""

from collections.abc import Callable
from typing import Any

from flask import g, request

from webapp.accounts.tokens import store as tokens
from webapp.accounts.tokens.store import TokenHolder
from webapp.core.errors import Forbidden, Refused, Unauthorized
from webapp.core.metrics.recorder import RECORDER
from webapp.core.net.proxies import client_network
from webapp.core.store import Read, Site
from webapp.core.web import Requester, config, db, rate_limits, site

from . import scopes
from .oauth import apps
from .oauth.apps import OAuthApp

TOKEN_INVALID = "The access token is invalid"
OUTSIDE_SCOPES = "This action is outside the authorized scopes"
MEMBER_NEEDED = "This method requires an authenticated user"

EarlyRead = Callable[[Requester], Read[Any]]


class MemberNeeded(Refused, status=422):
    """A call of an app alone, which only a member's app can make."""


def load_caller(scope: str, public: bool, early: EarlyRead) -> None:
    """Set `g.viewer`, None for a visitor or an app alone, and `g.token`. One trip for a member.

    `early`: makes a read that travels with the token, for whom the token names. A call of
    `g.prefetched` returns its result.

    A cookie never counts: other sites may call these addresses. Raises Unauthorized without a valid
    token, Forbidden without the scope or before the member is accepted, MemberNeeded, RateLimited.
    """
    g.viewer, g.token = None, None
    presented = bearer_token()
    subject = tokens.sha_of(presented) if presented else client_network()
    counting = rate_limits.count_call("client_api", subject, config().limit_api)
    g.calls, held, g.prefetched = db().fetch(
        counting,
        tokens.held(site(), presented),
        early(tokens.requester_of(presented)).deferred(),
    )
    if g.calls.wait:
        raise rate_limits.limit_error(g.calls.wait)
    if presented:
        g.token = _holder(site(), held, presented)
        g.viewer = g.token.member
        if g.viewer and not g.viewer.bot_owner:
            RECORDER.come(g.viewer.uid)
        require_scope(g.token, scope)
    if g.token and g.viewer is None and not public:
        raise MemberNeeded("api_member", MEMBER_NEEDED)
    if g.viewer is None and not public:
        raise Unauthorized("api_token", TOKEN_INVALID)


def find_holder(site: Site, token: str) -> TokenHolder:
    """Return the holder of a token: a member, or an app. Two trips at most.

    Raises Unauthorized, and Forbidden before the member is accepted.
    """
    return _holder(site, site.db.read(tokens.held(site, token)), token)


def _holder(site: Site, held: TokenHolder | None, token: str) -> TokenHolder:
    """Return the holder of a token. `held`: the member whose token it is, None if none was found.

    Errors as `find_holder`.
    """
    if held and held.member and held.member.suspended:
        raise Forbidden("waiting")
    holder = tokens.with_active_owner(site, held) or apps.holder(site, token)
    if holder is None:
        raise Unauthorized("api_token", TOKEN_INVALID)
    return holder


def calling_app() -> OAuthApp:
    """Return the app whose token calls. One trip. Raises Unauthorized."""
    app = db().read(apps.find(g.token.app)) if g.token and g.token.app else None
    if app is None:
        raise Unauthorized("api_token", TOKEN_INVALID)
    return app


def require_scope(holder: TokenHolder, scope: str) -> None:
    """Check that a token allows what needs a scope. Raises Forbidden."""
    if not scopes.allows(holder.scopes, scope):
        raise Forbidden("api_scope", OUTSIDE_SCOPES)


def bearer_token() -> str:
    """Return the token of the Authorization header, "" without one."""
    scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
