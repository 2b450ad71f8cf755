"""Apps made for the client API: registering one, and the tokens of apps without a member."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass

from webapp.accounts.sessions.cookie_value import sha256
from webapp.accounts.tokens.store import TokenHolder
from webapp.config import Config
from webapp.core.net.encryption import accepted_keys
from webapp.core.store import Read, Site, read, script, to_dict

from . import keys

REGISTER = script("client_api/oauth/lua/register_app.lua")
UNUSED_SECONDS = 7 * 86_400  # until an app is forgotten that nobody has allowed
OAUTH_APP_DAYS = 400  # after its last new token
APP_TOKEN = "linnetapp_"  # before the client id and the signature of an app's own token
BETWEEN = "~"  # the signature and the scopes, of a token that has not all of its app's


@dataclass(frozen=True, slots=True)
class OAuthApp:
    """An app. `client_id` names it. `redirects`: where it may send its members back to."""

    client_id: str
    name: str
    website: str
    redirects: tuple[str, ...]
    scopes: tuple[str, ...]
    secret_sha: str

    def has_secret(self, secret: str) -> bool:
        """Return True if this is the app's secret."""
        return hmac.compare_digest(self.secret_sha, sha256(secret))


def register(
    site: Site, name: str, website: str, redirects: Sequence[str], scopes: Sequence[str]
) -> tuple[OAuthApp, str]:
    """Register an app. Return it and its secret, which is stored as a SHA-256. One trip."""
    client_id, secret = secrets.token_hex(16), secrets.token_urlsafe(32)
    app = OAuthApp(client_id, name, website, tuple(redirects), tuple(scopes), sha256(secret))
    fields = {
        "name": name,
        "website": website,
        "redirects": "\n".join(redirects),
        "scopes": " ".join(scopes),
        "secret": app.secret_sha,
        "created": int(time.time()),
    }
    site.run(REGISTER, client_id=client_id, seconds=UNUSED_SECONDS, fields=fields)
    return app, secret


def find(client_id: str) -> Read[OAuthApp | None]:
    """Read an app, None if there is none."""

    def parse(reply: Sequence[str]) -> OAuthApp | None:
        fields = to_dict(reply)
        if not fields:
            return None
        redirects = tuple(fields["redirects"].split("\n"))
        scopes = tuple(fields["scopes"].split())
        return OAuthApp(
            client_id, fields["name"], fields["website"], redirects, scopes, fields["secret"]
        )

    return read(("HGETALL", keys.oauth_app(client_id)), parse)


def keep(client_id: str) -> Read[None]:
    """Keep an app that a member has just allowed."""
    command = ("EXPIRE", keys.oauth_app(client_id), OAUTH_APP_DAYS * 86_400)
    return Read((command,), lambda _: None)


def own_token(config: Config, app: OAuthApp, scopes: tuple[str, ...]) -> str:
    """Return the token that stands for an app alone, with some of its scopes.

    Nothing is stored: it is a signature.
    """
    some = scopes if scopes != app.scopes else ()
    named = "".join(f"{BETWEEN}{scope.replace(':', '.')}" for scope in some)
    return f"{APP_TOKEN}{app.client_id}_{_signature(config.secret_key, app, named)}{named}"


def holder(site: Site, token: str) -> TokenHolder | None:
    """Return the holder of an app's own token, or None if the token is not valid. One trip."""
    client_id, _, signed = token.removeprefix(APP_TOKEN).partition("_")
    if not token.startswith(APP_TOKEN) or not client_id.isalnum() or not client_id.isascii():
        return None
    signature, *some = signed.replace(".", ":").split(BETWEEN)
    named = signed.removeprefix(signature)
    app = site.db.read(find(client_id))
    if app is None or not any(
        hmac.compare_digest(_signature(key, app, named).encode(), signature.encode())
        for key in accepted_keys(site.config)
    ):
        return None
    return TokenHolder(None, tuple(some) or app.scopes, app.client_id)


def _signature(key: str, app: OAuthApp, named: str) -> str:
    """Return the signature of an app's token. `named`: the scopes, as the token lists them."""
    message = f"app token {app.client_id} {app.secret_sha}{named}".encode()
    return hmac.new(key.encode(), message, hashlib.sha256).hexdigest()
