"""Cookie-token sessions (after Redis in Action, 2.1): who a browser is signed in as.

The cookie is `uid.token`, the token 256 random bits; only its SHA-256 is stored, in the member's own partition.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Flask
from werkzeug.http import parse_cookie

from webapp.accounts import keys
from webapp.accounts.member import Member, parse_member
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS, parse_id, partition_of
from webapp.core.store.reads import Read, constant, read
from webapp.core.store.scripts import script
from webapp.core.web.prefetch import Requester
from webapp.errors import Unavailable

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment
COOKIE_NAME = "linnet"
INITIAL_EPOCH = "0"  # the epoch of an account whose password was never changed
START = script("accounts/sessions/lua/start_session.lua")
LOAD = script("accounts/sessions/lua/load_session.lua")
CLOSE_SESSIONS = script("accounts/sessions/lua/close_sessions.lua")
TRIM = script("accounts/sessions/lua/trim_sessions.lua")
TRIM_BATCH = 1_000  # sessions one call of the periodic job removes
USER_AGENT_MAX = 300  # characters of a browser's description that are kept
IP_ADDRESS_MAX = (
    64  # characters: longer than any address is what somebody wrote into a proxy's header
)


@dataclass(frozen=True, slots=True)
class Device:
    """What a session is used with: the address it comes from, and the browser's description of itself."""

    ip_address: str = ""
    user_agent: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in browser. `touched`: its life was just extended, so its cookie should be too."""

    member: Member
    touched: bool


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as its owner sees it listed. `sha` names it and opens nothing; `current` is the one that asks."""

    sha: str
    device: Device
    created: datetime
    last_seen: datetime
    current: bool


def start(
    db: Db, config: Config, uid: int, epoch: str = INITIAL_EPOCH, device: Device = Device()
) -> str:
    """A new session's cookie value. `epoch`: the member's when the password was checked. Raises NotFound when the
    member is gone, Forbidden when suspended, Conflict when the password was changed meanwhile.
    """
    token = secrets.token_urlsafe(32)
    sha = _sha(token)
    names = [*_session_keys(uid, sha), keys.session(uid, "")]
    db.run(
        START(
            names,
            uid,
            sha,
            _ttl_seconds(config),
            epoch,
            config.member_sessions_max,
            *_device_fields(device),
        )
    )
    return f"{uid}.{token}"


def load(db: Db, config: Config, cookie: str, device: Device = Device()) -> Session | None:
    """Return the session of a cookie, None if it has none. One trip."""
    return db.read(session(config, cookie, device))


def is_member(app: Flask, environ: WSGIEnvironment) -> bool:
    """Return True if a request's cookie has a session. One trip; False if the store is down."""
    cookie = parse_cookie(environ.get("HTTP_COOKIE", "")).get(COOKIE_NAME, "")
    try:
        return (
            load(app.extensions["linnet.db"], app.extensions["linnet.config"], cookie) is not None
        )
    except Unavailable:
        return False


def session(config: Config, cookie: str, device: Device = Device()) -> Read[Session | None]:
    """Read the session of a cookie, and extend its life once it is due. None if there is none."""
    uid, sha = _parse_cookie(cookie)
    if uid is None:
        return constant(None)
    command = LOAD(
        _session_keys(uid, sha),
        uid,
        sha,
        _ttl_seconds(config),
        config.session_touch,
        *_device_fields(device),
    )

    def parse(reply: list[Any]) -> Session | None:
        if not reply:
            return None
        *fields, touched = reply
        member = parse_member(uid, fields)
        return Session(member, bool(touched)) if member else None

    return read(command, parse)


def requester(cookie: str) -> Requester | None:
    """Return the member whom a cookie names, before the store has proved it. None if it names none."""
    uid, sha = _parse_cookie(cookie)
    return None if uid is None else Requester(uid, keys.session(uid, sha))


def end(db: Db, config: Config, cookie: str) -> None:
    """Ends the session of a cookie."""
    uid, sha = _parse_cookie(cookie)
    if uid is not None:
        _close_sessions(db, config, uid, "only", sha)


def end_one(db: Db, config: Config, uid: int, sha: str) -> bool:
    """Ends one of a member's sessions; False when it is none of theirs (any more)."""
    return _close_sessions(db, config, uid, "only", sha) > 0


def end_others(db: Db, config: Config, cookie: str) -> int:
    """Ends all sessions of the cookie's member but the cookie's own; returns how many."""
    uid, sha = _parse_cookie(cookie)
    return _close_sessions(db, config, uid, "but", sha) if uid is not None else 0


def list_sessions(db: Db, cookie: str) -> list[SessionInfo]:
    """All sessions of the cookie's member, the newest seen first. Two trips."""
    uid, current_sha = _parse_cookie(cookie)
    if uid is None:
        return []
    shas = db.run(("ZRANGE", keys.member_sessions(uid), 0, -1, "REV"))
    fields = ("uid", "created", "seen", "address", "agent")
    rows = db.trip(*(("HMGET", keys.session(uid, sha), *fields) for sha in shas))
    return [
        SessionInfo(
            sha,
            Device(address or "", agent or ""),
            _datetime_from_seconds(created),
            _datetime_from_seconds(seen),
            sha == current_sha,
        )
        for sha, (owner, created, seen, address, agent) in zip(shas, rows, strict=True)
        if owner == str(uid)
    ]


def trim(db: Db, config: Config, partition: int) -> int:
    """Removes a partition's expired sessions and those above its share; returns how many. A periodic job."""
    share = max(config.sessions_max // PARTITIONS, 1)
    return int(
        db.run(
            TRIM(
                [keys.sessions(partition), keys.session(partition, "")],
                share,
                _ttl_seconds(config),
                TRIM_BATCH,
            )
        )
    )


def sha_of(cookie: str) -> str:
    """The name that a cookie's session is stored under."""
    return _parse_cookie(cookie)[1]


def _close_sessions(db: Db, config: Config, uid: int, mode: str, sha: str) -> int:
    p = partition_of(uid)
    names = [
        keys.member_sessions(uid),
        keys.sessions(p),
        keys.session(uid, ""),
        event_keys.outbox(p),
    ]
    return int(
        db.run(CLOSE_SESSIONS(names, uid, mode, sha, p, config.outbox_max, *request_id_args()))
    )


def _session_keys(uid: int, sha: str) -> list[str]:
    return [
        keys.session(uid, sha),
        keys.sessions(partition_of(uid)),
        keys.user(uid),
        keys.member_sessions(uid),
    ]


def _device_fields(device: Device) -> tuple[str, str]:
    return device.ip_address[:IP_ADDRESS_MAX], device.user_agent.encode(
        "utf-8", "replace"
    ).decode()[:USER_AGENT_MAX]


def _parse_cookie(cookie: str) -> tuple[int | None, str]:
    uid_text, _, token = cookie.partition(".")
    return (parse_id(uid_text), _sha(token)) if len(cookie) < 100 else (None, "")


def _sha(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _datetime_from_seconds(seconds: str) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)


def _ttl_seconds(config: Config) -> int:
    return config.session_days * 86_400
