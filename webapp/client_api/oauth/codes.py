"""Codes: a member's consent, which the app exchanges for a token once within ten minutes."""

import base64
import hashlib
import re
import secrets

import msgspec

from webapp.accounts.sessions.cookie_value import sha256
from webapp.core.store import Site, parse_id, script

from . import apps
from .apps import OAuthApp

GRANT = script("client_api/oauth/lua/grant_code.lua")
EXCHANGE = script("client_api/oauth/lua/exchange_code.lua")
CODE_SECONDS = 600
APP_TOKENS_MAX = 100  # of one member
APP_DEVICES_MAX = 5  # tokens of one app and member, as an app may be on several devices
CODE_PATTERN = re.compile(r"(\d{1,16})-([A-Za-z0-9_-]{43})\Z")


class Token(msgspec.Struct, kw_only=True):
    """A new token, as apps get it. `created_at`: unix seconds."""

    access_token: str
    token_type: str = "Bearer"
    scope: str
    created_at: int


def grant(
    site: Site,
    uid: int,
    app: OAuthApp,
    redirect: str,
    scopes: tuple[str, ...],
    challenge: str,
    session_sha: str = "",
    agent: str = "",
) -> str:
    """Store a member's consent and return its code. One trip.

    `session_sha`: of the session that gives it, "" without one. `agent`: `Device.note`. Raises
    Conflict if that has ended, NotFound, Forbidden.
    """
    secret = secrets.token_urlsafe(32)
    fields = {
        "app": app.client_id,
        "name": app.name,
        "redirect": redirect,
        "scopes": " ".join(scopes),
        "challenge": challenge,
    }
    site.run(
        GRANT,
        uid=uid,
        sha=sha256(secret),
        session_sha=session_sha,
        agent=agent,
        seconds=CODE_SECONDS,
        fields=fields,
    )
    return f"{uid}-{secret}"


def exchange(site: Site, app: OAuthApp, code: str, redirect: str, verifier: str) -> Token | None:
    """Exchange a code for a token, None if the code is not valid. Two trips.

    `verifier`: the text whose SHA-256 the app sent as its challenge. Raises Conflict at
    APP_TOKENS_MAX; NotFound, Forbidden as `grant`.
    """
    match = CODE_PATTERN.match(code)
    uid = parse_id(match[1]) if match else None
    if match is None or uid is None:
        return None
    secret = secrets.token_urlsafe(32).replace("_", "-")  # as other tokens of members
    reply = site.run(
        EXCHANGE,
        uid=uid,
        code_sha=sha256(match[2]),
        sha=sha256(secret),
        app=app.client_id,
        redirect=redirect,
        challenge=challenge_of(verifier) if verifier else "",
        limit=APP_TOKENS_MAX,
        devices=APP_DEVICES_MAX,
    )
    if not reply:
        return None
    site.db.read(apps.keep(app.client_id))
    scope, created_at = str(reply[0]), int(reply[1])
    return Token(access_token=f"linnet_{uid}_{secret}", scope=scope, created_at=created_at)


def issue(site: Site, uid: int, app: OAuthApp, scopes: tuple[str, ...]) -> Token:
    """Return a token for a member who has given the app their consent just now. Three trips.

    Raises as `exchange`.
    """
    token = exchange(site, app, grant(site, uid, app, "", scopes, ""), "", "")
    assert token  # nobody else has the code
    return token


def challenge_of(verifier: str) -> str:
    """Return the S256 challenge of a verifier (RFC 7636)."""
    digest = hashlib.sha256(verifier.encode("ascii", "replace")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
