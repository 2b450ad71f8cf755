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

from .. import keys, secrets_box
from ..config import Config
from ..db import Db
from ..events import trace
from ..ids import parse_id, partition_of
from ..scripts import script
from .store import Member, member_command, member_from

MAKE = script("accounts/make_app.lua")
USE = script("accounts/use_app.lua")
REVOKE = script("accounts/revoke_token.lua")
KEY = re.compile(r"(\d{1,16})-([0-9a-f]{24})\Z")


@dataclass(frozen=True, slots=True)
class Pair:
    """What an app signs with."""

    consumer_key: str
    consumer_secret: str = field(repr=False)  # no log line shows it
    token: str
    token_secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class App:
    """An app as its owner sees it listed. `key`: its consumer key."""

    key: str
    name: str
    token: str
    created: datetime
    used: datetime | None


def make(db: Db, config: Config, uid: int, name: str) -> Pair:
    """A new app of a member: the only time its secrets are shown. Raises Conflict at APPS_MAX, NotFound, Forbidden."""
    pair = Pair(
        f"{uid}-{secrets.token_hex(12)}", secrets.token_hex(32), f"{uid}-{secrets.token_hex(20)}", secrets.token_hex(32)
    )
    _, id_ = _parse(pair.consumer_key)
    sealed = secrets_box.seal(config, _purpose(pair.consumer_key), f"{pair.consumer_secret} {pair.token_secret}")
    names = [keys.app(uid, id_), keys.apps(uid), keys.user(uid)]
    db.run(MAKE(names, uid, id_, name, pair.token, sealed, config.apps_max))
    return pair


def load(db: Db, config: Config, consumer_key: str) -> Pair | None:
    """The keys and secrets of an app, in one trip, or None when there is none (any more)."""
    uid, id_ = _parse(consumer_key)
    token, sealed = db.run(("HMGET", keys.app(uid, id_), "token", "secrets")) if uid else (None, None)
    opened = secrets_box.unseal(config, _purpose(consumer_key), sealed) if sealed else None
    if not token or not opened:
        return None
    consumer_secret, _, token_secret = opened.partition(" ")
    return Pair(consumer_key, consumer_secret, token, token_secret)


def use(db: Db, config: Config, consumer_key: str, nonce: str, life: int) -> Member | None:
    """Whose app has signed a request; None when it is none (any more). `nonce`: what makes the request the only one of
    its kind for `life` seconds. Raises Unauthorized when it came before.
    """
    uid, id_ = _parse(consumer_key)
    if not uid:
        return None
    digest = hashlib.sha256(nonce.encode("utf-8", "replace")).hexdigest()[:32]
    names = [keys.app(uid, id_), keys.user(uid), keys.nonce(uid, id_, digest)]
    found = db.run(USE(names, life, config.session_touch))
    return member_from(uid, found) if found else None


def owner(db: Db, consumer_key: str) -> Member | None:
    """Whose app this is, or None when it is none (any more) or its owner is suspended. One trip."""
    uid, id_ = _parse(consumer_key)
    if not uid:
        return None
    exists, fields = db.trip(("EXISTS", keys.app(uid, id_)), member_command(uid))
    member = member_from(uid, fields) if exists else None
    return None if member is None or member.suspended else member


def listed(db: Db, uid: int) -> list[App]:
    """A member's apps, the newest first. Two trips."""
    ids = db.run(("ZRANGE", keys.apps(uid), 0, -1, "REV"))
    found = db.trip(*(("HMGET", keys.app(uid, id_), "name", "token", "created", "used") for id_ in ids))
    return [
        App(f"{uid}-{id_}", name, token, _time(created), _time(used) if used else None)
        for id_, (name, token, created, used) in zip(ids, found, strict=True)
        if name is not None
    ]


def revoke(db: Db, config: Config, uid: int, consumer_key: str) -> bool:
    """Revokes a member's app; False when it is none of theirs (any more). Whoever streams with it is told."""
    of, id_ = _parse(consumer_key)
    if of != uid:
        return False
    p = partition_of(uid)
    names = [keys.app(uid, id_), keys.apps(uid), keys.outbox(p)]
    return bool(db.run(REVOKE(names, uid, id_, p, config.outbox_max, *trace())))


def _parse(consumer_key: str) -> tuple[int, str]:
    """(uid, id), or (0, "") when it is no consumer key."""
    match = KEY.match(consumer_key)
    uid = parse_id(match[1]) if match else None
    return (uid, match[2]) if match and uid else (0, "")


def _purpose(consumer_key: str) -> str:
    return f"app {consumer_key}"


def _time(seconds: str) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)
