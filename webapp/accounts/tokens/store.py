"""Access tokens for scripts: `linnet_<uid>_<secret>`, shown once, stored as the secret's SHA-256."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.accounts import keys as account_keys
from webapp.accounts import store as accounts
from webapp.accounts.member import Member, parse_member
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import parse_id, partition_of
from webapp.core.store.scripts import script

from . import keys

CREATE = script("accounts/tokens/lua/create_token.lua")
AUTHENTICATE = script("accounts/tokens/lua/authenticate_token.lua")
REVOKE = script("accounts/tokens/lua/revoke.lua")
TOKEN_PATTERN = re.compile(
    r"linnet_(\d{1,16})_([A-Za-z0-9-]{43})\Z"
)  # a beginning that finders of leaks know


@dataclass(frozen=True, slots=True)
class Token:
    """An access token as its owner sees it listed. `sha` names it and opens nothing."""

    sha: str
    name: str
    created: datetime
    last_used: datetime | None


def create(db: Db, config: Config, uid: int, name: str, session_sha: str = "") -> str:
    """A new token of a member: the only time it can be read. `session`: the sha of the one that asks, which must not
    have ended meanwhile. Raises Conflict at TOKENS_MAX or when it has, NotFound, Forbidden.
    """
    secret = secrets.token_urlsafe(32).replace("_", "-")  # which parts a token
    sha = _sha(secret)
    names = [
        keys.token(uid, sha),
        keys.tokens(uid),
        account_keys.user(uid),
        account_keys.session(uid, session_sha),
    ]
    db.run(CREATE(names, uid, sha, name, config.tokens_max, int(bool(session_sha))))
    return f"linnet_{uid}_{secret}"


def authenticate(db: Db, config: Config, token: str) -> Member | None:
    """Whose token this is, in one trip, or None when it is none (any more). A bot's is good as long as its owner is
    (a trip more).
    """
    match = TOKEN_PATTERN.match(token)
    uid = parse_id(match[1]) if match else None
    if not match or uid is None:
        return None
    fields = db.run(
        AUTHENTICATE(
            [keys.token(uid, _sha(match[2])), account_keys.user(uid)], uid, config.session_touch
        )
    )
    member = parse_member(uid, fields) if fields else None
    if member and member.bot_owner:
        owner = db.read(accounts.get(member.bot_owner))
        return member if owner and not owner.suspended else None
    return member


def list_tokens(db: Db, uid: int) -> list[Token]:
    """A member's tokens, the newest first. Two trips."""
    shas = db.run(("ZRANGE", keys.tokens(uid), 0, -1, "REV"))
    rows = db.trip(*(("HMGET", keys.token(uid, sha), "name", "created", "used") for sha in shas))
    return [
        Token(
            sha,
            name,
            _datetime_from_seconds(created),
            _datetime_from_seconds(used) if used else None,
        )
        for sha, (name, created, used) in zip(shas, rows, strict=True)
        if name is not None
    ]


def revoke(db: Db, config: Config, uid: int, sha: str) -> bool:
    """Revokes a member's token; False when it is none of theirs (any more)."""
    p = partition_of(uid)
    names = [keys.token(uid, sha), keys.tokens(uid), event_keys.outbox(p)]
    return bool(db.run(REVOKE(names, uid, sha, p, config.outbox_max, *request_id_args())))


def _sha(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _datetime_from_seconds(seconds: str) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)
