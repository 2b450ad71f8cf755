"""Cookie-token sessions (after Redis in Action, 2.1): who a browser is signed in as.

The cookie is `uid.token`, the token 256 random bits; only its SHA-256 is stored, in the member's own partition.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from .. import keys
from ..config import Config
from ..db import Db
from ..ids import PARTITIONS, parse_id, partition_of
from ..scripts import script
from .store import Member, date_from

START = script("accounts/start_session.lua")
SESSION = script("accounts/session.lua")
TRIM = script("accounts/trim_sessions.lua")
TRIM_BATCH = 1_000  # sessions one call of the periodic job removes


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in browser. `touched`: its life was just extended, so its cookie should be too."""

    member: Member
    touched: bool


def start(db: Db, config: Config, uid: int) -> str:
    """A new session's cookie value. Raises NotFound when the member is gone."""
    token = secrets.token_urlsafe(32)
    sha = _sha(token)
    db.run(START([keys.session(uid, sha), keys.sessions(partition_of(uid)), keys.user(uid)], uid, sha, _life(config)))
    return f"{uid}.{token}"


def load(db: Db, config: Config, cookie: str) -> Session | None:
    """The session of a cookie, in one trip, or None when it is no session (any more)."""
    uid, sha = _parse(cookie)
    if uid is None:
        return None
    found = db.run(
        SESSION(
            [keys.session(uid, sha), keys.sessions(partition_of(uid)), keys.user(uid)],
            *(uid, sha, _life(config), config.session_touch),
        )
    )
    return Session(Member(uid, found[0], found[1], date_from(found[2])), bool(found[3])) if found else None


def end(db: Db, cookie: str) -> None:
    """Ends the session of a cookie."""
    uid, sha = _parse(cookie)
    if uid is not None:
        db.trip(("DEL", keys.session(uid, sha)), ("ZREM", keys.sessions(partition_of(uid)), sha))


def trim(db: Db, config: Config, partition: int) -> int:
    """Removes a partition's expired sessions and those above its share; returns how many. A periodic job."""
    share = max(config.sessions_max // PARTITIONS, 1)
    return int(db.run(TRIM([keys.sessions(partition), keys.session(partition, "")], share, _life(config), TRIM_BATCH)))


def _parse(cookie: str) -> tuple[int | None, str]:
    number, _, token = cookie.partition(".")
    return (parse_id(number), _sha(token)) if len(cookie) < 100 else (None, "")


def _sha(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _life(config: Config) -> int:
    return config.session_days * 86_400
