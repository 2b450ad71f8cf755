"""Cookie-token sessions (after Redis in Action, 2.1): who a browser is signed in as."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from webapp.accounts import keys
from webapp.accounts.member import MEMBER_FIELDS, Member, parse_member
from webapp.config import Config, Rate
from webapp.core.net.countries import country_of
from webapp.core.store import PARTITIONS, Read, Site, constant, read, script
from webapp.core.web import Requester
from webapp.core.web.rate_limits import Bucket

from .cookie_value import parse_cookie, sha256
from .devices import NO_DEVICE, Device

START = script("accounts/sessions/lua/start_session.lua")
LOAD = script("accounts/sessions/lua/load_session.lua")
CLOSE_SESSIONS = script("accounts/sessions/lua/close_sessions.lua")
TRIM = script("accounts/sessions/lua/trim_sessions.lua")
INITIAL_EPOCH = "0"  # the epoch of an account whose password was never changed
NO_LIMIT: Bucket = ("", Rate(0, 0))


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in browser. `touched`: its life was just extended, so its cookie's must be too.

    `must_change`: it began with a password that has to be replaced first. `limit_wait`: the seconds
    to wait if an action was one too many, 0 if it was not, None if it was not counted.
    """

    member: Member
    touched: bool
    must_change: bool = False
    limit_wait: int | None = None


def start(site: Site, uid: int, epoch: str = INITIAL_EPOCH, device: Device = NO_DEVICE) -> str:
    """Start a session and return its cookie value. One trip. Raises as `starting`."""
    return site.db.read(starting(site.config, uid, epoch, device))[0]


def starting(
    config: Config, uid: int, epoch: str, device: Device, factor: bool = False
) -> Read[tuple[str, bool]]:
    """Start a session. Return its cookie value, and whether its country is new to the member.

    `epoch` is the member's when the password was verified. `factor`: a second factor was used.
    Raises NotFound when the member is gone, Forbidden when suspended, Conflict when the password
    was changed meanwhile.
    """
    token = secrets.token_urlsafe(32)
    sha = sha256(token)
    command = START(
        config,
        uid=uid,
        sha=sha,
        ttl=_ttl_seconds(config),
        epoch=epoch,
        **device.script_arguments(),
        network=device.network,
        factor=int(factor),
        country=country_of(config, device.ip_address),
    )
    return read(command, lambda is_new: (f"{uid}.{token}", bool(is_new)))


def load(site: Site, cookie: str, device: Device = NO_DEVICE) -> Session | None:
    """Return the session of a cookie, None if it has none. One trip."""
    return site.db.read(session(site.config, cookie, device))


def session(
    config: Config, cookie: str, device: Device, limit: Bucket | None = None
) -> Read[Session | None]:
    """Read a cookie's session, and extend its life once that is due. None without a session.

    `limit`: of rates, against which an action of its member is counted, if there is a session.
    """
    uid, sha = parse_cookie(cookie)
    if uid is None:
        return constant(None)
    bucket, rate = limit or NO_LIMIT
    command = LOAD(
        uid=uid,
        sha=sha,
        ttl=_ttl_seconds(config),
        longest=config.session_days_max * 86_400,
        touch_interval=config.session_touch,
        **device.script_arguments(),
        limited=bucket,
        burst=rate.burst,
        period=rate.period,
        fields=MEMBER_FIELDS,
    )

    def parse(reply: list[Any]) -> Session | None:
        if not reply:
            return None
        *fields, must_change, touched, wait = reply
        member = parse_member(uid, fields)
        limit_wait = wait if wait >= 0 else None
        return Session(member, bool(touched), bool(must_change), limit_wait) if member else None

    return read(command, parse)


def requester(cookie: str) -> Requester | None:
    """Return the member a cookie names, before the store has proved it. None if it names none."""
    uid, sha = parse_cookie(cookie)
    return None if uid is None else Requester(uid, keys.session(uid, sha))


def end(site: Site, cookie: str) -> None:
    """End the session of a cookie. One trip."""
    uid, sha = parse_cookie(cookie)
    if uid is not None:
        _close_sessions(site, uid, "only", sha)


def end_one(site: Site, uid: int, sha: str) -> bool:
    """End one of a member's sessions. Return False if the member has no such session. One trip."""
    return _close_sessions(site, uid, "only", sha) > 0


def end_others(site: Site, cookie: str) -> int:
    """End all sessions of the cookie's member except the cookie's. Return how many. One trip."""
    uid, sha = parse_cookie(cookie)
    return _close_sessions(site, uid, "except", sha) if uid is not None else 0


def trim(site: Site, partition: int) -> int:
    """Remove a partition's expired sessions and those above its share. Return how many.

    Old entries of the operator's security log go too. A periodic job. One trip.
    """
    reply = site.run(
        TRIM,
        partition=partition,
        share=max(site.config.sessions_max // PARTITIONS, 1),
        ttl=_ttl_seconds(site.config),
    )
    return int(reply)


def _close_sessions(site: Site, uid: int, mode: str, sha: str) -> int:
    return int(site.run(CLOSE_SESSIONS, uid=uid, mode=mode, sha=sha))


def _ttl_seconds(config: Config) -> int:
    return config.session_days * 86_400
