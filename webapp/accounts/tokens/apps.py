"""A member's own apps: OAuth 1.0a consumers, each with one access token of the member's.

Both keys are `<uid>-<random>`, so that they tell the partition. They are names, not secrets; their two secrets are
shown once and kept sealed, for a signature can only be checked by who knows them.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime

from webapp.accounts import keys as account_keys
from webapp.accounts import store as accounts
from webapp.accounts.member import Member, parse_member
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.net import encryption
from webapp.core.store.client import Db
from webapp.core.store.ids import parse_id, partition_of
from webapp.core.store.reads import read
from webapp.core.store.scripts import script

from . import keys

CREATE = script("accounts/tokens/lua/create_app.lua")
AUTHENTICATE = script("accounts/tokens/lua/authenticate_app.lua")
REVOKE = script("accounts/tokens/lua/revoke.lua")
CONSUMER_KEY_PATTERN = re.compile(r"(\d{1,16})-([0-9a-f]{24})\Z")


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """What an app signs with."""

    consumer_key: str
    consumer_secret: str = field(repr=False)  # no log line shows it
    token: str
    token_secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class App:
    """An app as its owner sees it listed. `key`: its consumer key."""

    consumer_key: str
    name: str
    token: str
    created: datetime
    last_used: datetime | None


def create(db: Db, config: Config, uid: int, name: str) -> AppCredentials:
    """A new app of a member: the only time its secrets are shown. Raises Conflict at APPS_MAX, NotFound, Forbidden."""
    credentials = AppCredentials(
        f"{uid}-{secrets.token_hex(12)}",
        secrets.token_hex(32),
        f"{uid}-{secrets.token_hex(20)}",
        secrets.token_hex(32),
    )
    _, app_id = _parse(credentials.consumer_key)
    sealed_secrets = encryption.seal(
        config,
        _purpose(credentials.consumer_key),
        f"{credentials.consumer_secret} {credentials.token_secret}",
    )
    names = [keys.app(uid, app_id), keys.apps(uid), account_keys.user(uid)]
    db.run(CREATE(names, uid, app_id, name, credentials.token, sealed_secrets, config.apps_max))
    return credentials


def load(db: Db, config: Config, consumer_key: str) -> AppCredentials | None:
    """The keys and secrets of an app, in one trip, or None when there is none (any more)."""
    uid, app_id = _parse(consumer_key)
    token, sealed_secrets = (
        db.run(("HMGET", keys.app(uid, app_id), "token", "secrets")) if uid else (None, None)
    )
    unsealed = (
        encryption.unseal(config, _purpose(consumer_key), sealed_secrets)
        if sealed_secrets
        else None
    )
    if not token or not unsealed:
        return None
    consumer_secret, _, token_secret = unsealed.partition(" ")
    return AppCredentials(consumer_key, consumer_secret, token, token_secret)


def authenticate(
    db: Db, config: Config, consumer_key: str, nonce: str, nonce_ttl: int
) -> Member | None:
    """Whose app has signed a request; None when it is none (any more). `nonce`: what makes the request the only one of
    its kind for `life` seconds. Raises Unauthorized when it came before.
    """
    uid, app_id = _parse(consumer_key)
    if not uid:
        return None
    digest = hashlib.sha256(nonce.encode("utf-8", "replace")).hexdigest()[:32]
    names = [keys.app(uid, app_id), account_keys.user(uid), keys.nonce(uid, app_id, digest)]
    fields = db.run(AUTHENTICATE(names, nonce_ttl, config.session_touch))
    return parse_member(uid, fields) if fields else None


def find_owner(db: Db, consumer_key: str) -> Member | None:
    """Whose app this is, or None when it is none (any more) or its owner is suspended. One trip."""
    uid, app_id = _parse(consumer_key)
    if not uid:
        return None
    exists, owner = db.fetch(read(("EXISTS", keys.app(uid, app_id)), bool), accounts.get(uid))
    return owner if exists and owner and not owner.suspended else None


def list_apps(db: Db, uid: int) -> list[App]:
    """A member's apps, the newest first. Two trips."""
    app_ids = db.run(("ZRANGE", keys.apps(uid), 0, -1, "REV"))
    rows = db.trip(
        *(("HMGET", keys.app(uid, id_), "name", "token", "created", "used") for id_ in app_ids)
    )
    return [
        App(
            f"{uid}-{id_}",
            name,
            token,
            _datetime_from_seconds(created),
            _datetime_from_seconds(used) if used else None,
        )
        for id_, (name, token, created, used) in zip(app_ids, rows, strict=True)
        if name is not None
    ]


def revoke(db: Db, config: Config, uid: int, consumer_key: str) -> bool:
    """Revokes a member's app; False when it is none of theirs (any more). Whoever streams with it is told."""
    owner_uid, app_id = _parse(consumer_key)
    if owner_uid != uid:
        return False
    p = partition_of(uid)
    names = [keys.app(uid, app_id), keys.apps(uid), event_keys.outbox(p)]
    return bool(db.run(REVOKE(names, uid, app_id, p, config.outbox_max, *request_id_args())))


def _parse(consumer_key: str) -> tuple[int, str]:
    """(uid, id), or (0, "") when it is no consumer key."""
    match = CONSUMER_KEY_PATTERN.match(consumer_key)
    uid = parse_id(match[1]) if match else None
    return (uid, match[2]) if match and uid else (0, "")


def _purpose(consumer_key: str) -> str:
    return f"app {consumer_key}"


def _datetime_from_seconds(seconds: str) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)
