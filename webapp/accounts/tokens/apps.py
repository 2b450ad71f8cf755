"""A member's own apps: OAuth 1.0a consumers, each with one access token of the member's.

Both keys are `<uid>-<random>`, so that they name the member's partition. They are names, not
secrets. The two secrets are shown once and stored sealed: checking a signature needs them.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass, field, replace
from functools import partial

from webapp.accounts import store as accounts
from webapp.accounts.member import MEMBER_FIELDS, Member, parse_member
from webapp.core.net import encryption
from webapp.core.store import Db, Site, parse_id, read, script

from . import keys
from .listed_credentials import ListedCredential, listed_credentials

CREATE = script("accounts/tokens/lua/create_app.lua")
AUTHENTICATE = script("accounts/tokens/lua/authenticate_app.lua")
REVOKE = script("accounts/tokens/lua/revoke.lua")
CONSUMER_KEY_PATTERN = re.compile(r"(\d{1,16})-([0-9a-f]{24})\Z")


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """The OAuth 1.0a keys with which an app signs its requests."""

    consumer_key: str
    consumer_secret: str = field(repr=False)  # kept out of log lines
    token: str
    token_secret: str = field(repr=False)


def create(
    site: Site, uid: int, name: str, session_sha: str = "", agent: str = ""
) -> AppCredentials:
    """Create an app and return its credentials; the secrets cannot be read again. One trip.

    `session_sha` names the session that creates it, which must not have ended meanwhile; "" without
    one. `agent`: the browser's User-Agent, for the security log. Raises Conflict if it has or at
    APPS_MAX, NotFound, Forbidden.
    """
    app_id = secrets.token_hex(12)
    credentials = AppCredentials(
        consumer_key=f"{uid}-{app_id}",
        consumer_secret=secrets.token_hex(32),
        token=f"{uid}-{secrets.token_hex(20)}",
        token_secret=secrets.token_hex(32),
    )
    secret_text = f"{credentials.consumer_secret} {credentials.token_secret}"
    site.run(
        CREATE,
        session_sha=session_sha,
        uid=uid,
        id=app_id,
        name=name,
        token=credentials.token,
        sealed_secrets=encryption.seal(site.config, purpose(credentials.consumer_key), secret_text),
        check_session=int(bool(session_sha)),
        agent=agent,
    )
    return credentials


def load(site: Site, consumer_key: str) -> AppCredentials | None:
    """Return the credentials of an app, None if there is no such app. One trip."""
    uid, app_id = _parse(consumer_key)
    if not uid:
        return None
    token, sealed = site.db.run(("HMGET", keys.app(uid, app_id), "token", "secrets"))
    unsealed = encryption.unseal(site.config, purpose(consumer_key), sealed) if sealed else None
    if not token or not unsealed:
        return None
    consumer_secret, _, token_secret = unsealed.partition(" ")
    return AppCredentials(consumer_key, consumer_secret, token, token_secret)


def authenticate(site: Site, consumer_key: str, nonce: str, nonce_ttl: int) -> Member | None:
    """Return the owner of the app that signed a request, None if there is no such app. One trip.

    `nonce` identifies the request for `nonce_ttl` seconds. Raises Unauthorized if it was used
    before.
    """
    uid, app_id = _parse(consumer_key)
    if not uid:
        return None
    nonce_sha = hashlib.sha256(nonce.encode("utf-8", "replace")).hexdigest()[:32]
    fields = site.run(
        AUTHENTICATE,
        uid=uid,
        app_id=app_id,
        nonce_sha=nonce_sha,
        nonce_ttl=nonce_ttl,
        fields=MEMBER_FIELDS,
    )
    return parse_member(uid, fields) if fields else None


def find_owner(db: Db, consumer_key: str) -> Member | None:
    """Return the owner of an app, None if there is no such app or its owner is suspended.

    One trip.
    """
    uid, app_id = _parse(consumer_key)
    if not uid:
        return None
    exists, owner = db.fetch(read(("EXISTS", keys.app(uid, app_id)), bool), accounts.get(uid))
    return owner if exists and owner and not owner.suspended else None


def list_apps(db: Db, uid: int) -> list[ListedCredential]:
    """Return a member's apps, newest first, by their consumer keys. Two trips."""
    apps = listed_credentials(db, keys.apps(uid), partial(keys.app, uid))
    return [replace(app, id=f"{uid}-{app.id}") for app in apps]


def revoke(site: Site, uid: int, consumer_key: str, agent: str = "") -> bool:
    """Revoke a member's app, and tell open streams. Return False if they have no such app.

    One trip.
    """
    owner_uid, app_id = _parse(consumer_key)
    if owner_uid != uid:
        return False
    reply = site.run(
        REVOKE,
        entry=keys.app(uid, app_id),
        list=keys.apps(uid),
        uid=uid,
        id=app_id,
        agent=agent,
    )
    return bool(reply)


def _parse(consumer_key: str) -> tuple[int, str]:
    """Return (uid, app id) of a consumer key, (0, "") if it is malformed."""
    match = CONSUMER_KEY_PATTERN.match(consumer_key)
    uid = parse_id(match[1]) if match else None
    return (uid, match[2]) if match and uid else (0, "")


def purpose(consumer_key: str) -> str:
    """Return the purpose for which the secrets of an app are sealed."""
    return f"app {consumer_key}"
