"""A member's list of their own sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.accounts.member import datetime_from_seconds
from webapp.core.store import Db, Read, collect, read

from .cookie_value import parse_cookie
from .devices import Device


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as its owner sees it listed. `sha` names it and opens nothing."""

    sha: str
    device: Device
    created: datetime
    last_seen: datetime
    current: bool


def list_sessions(db: Db, cookie: str) -> list[SessionInfo]:
    """Return all sessions of the cookie's member, the last seen first. Two trips."""
    uid, current_sha = parse_cookie(cookie)
    if uid is None:
        return []
    shas = db.run(("ZRANGE", account_keys.member_sessions(uid), 0, -1, "REV"))
    infos = db.read(collect(_session_info(uid, sha, sha == current_sha) for sha in shas))
    return [info for info in infos if info]


def _session_info(uid: int, sha: str, current: bool) -> Read[SessionInfo | None]:
    """Read a session, None if it has expired."""

    def parse(fields: Sequence[Any]) -> SessionInfo | None:
        owner, created, seen, address, agent = fields
        if owner != str(uid):
            return None
        device = Device(address or "", agent or "")
        return SessionInfo(
            sha, device, datetime_from_seconds(created), datetime_from_seconds(seen), current
        )

    names = ("uid", "created", "seen", "address", "agent")
    return read(("HMGET", account_keys.session(uid, sha), *names), parse)
