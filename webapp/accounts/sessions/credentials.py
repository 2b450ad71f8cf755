"""Passwords of accounts: signing in with one, and changing it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import keys
from webapp.accounts.member import MEMBER_FIELDS, Member, parse_member
from webapp.accounts.passwords import hashing
from webapp.accounts.passwords.strength import is_common
from webapp.accounts.store import LOGIN_PATTERN, NO_UID, claimed_uid
from webapp.core.errors import Forbidden, Invalid
from webapp.core.metrics.names import SIGNINS
from webapp.core.metrics.recorder import count
from webapp.core.store import Read, Site, constant, read, script

from .store import INITIAL_EPOCH

DOUBT = script("accounts/sessions/lua/doubt_password.lua")
REHASH = script("accounts/sessions/lua/rehash_password.lua")
PROVE = script("accounts/sessions/lua/prove_session.lua")
NOTE_FAILED = script("accounts/security_log/lua/note_failed.lua")
SET_PASSWORD = script("accounts/sessions/lua/set_password.lua")


@dataclass(frozen=True, slots=True)
class Verified:
    """A member who has proved who they are, and their epoch then.

    `second_step`: a code is needed. `waits`: moderators have yet to accept the member.
    """

    member: Member
    epoch: str
    second_step: bool
    waits: bool = False
    password_until: int = 0  # unix seconds, 0 for no end


def sign_in(site: Site, login: str, password: str, agent: str = "") -> Verified:
    """Return the member with this login and password.

    `agent`: the browser's User-Agent, for the security log. Raises Invalid for an unknown login or
    a wrong password, after the same work; Forbidden when the member is suspended or not yet
    accepted, or was refused. Two trips, three where the password is wrong or is hashed again, and
    one more for a common password, which has to be replaced.
    """
    claimed, declined_hash = site.db.fetch(claimed_uid(login), _declined_hash(login))
    uid = claimed or NO_UID
    # The epoch is read first: a password changed in between does not fit it.
    verified, stored_hash = site.db.fetch(verified_member(uid), _password_hash(uid))
    known_hash = stored_hash if verified else declined_hash
    password_ok = hashing.verify(known_hash, password, site.config.password_cost)
    if password_ok and verified is None:
        raise Forbidden("declined")
    if not password_ok or verified is None or 0 < verified.password_until < time.time():
        site.run(NOTE_FAILED, uid=uid, agent=agent)
        raise Invalid("wrong_password")
    require_open(verified)
    if stored_hash and hashing.needs_rehash(stored_hash, site.config.password_cost):
        new_hash = hashing.hash_password(password, site.config.password_cost)
        site.run(REHASH, uid=uid, old_hash=stored_hash, new_hash=new_hash)
        stored_hash = new_hash
    if is_common(password):
        site.run(DOUBT, uid=uid, hash=stored_hash)
    count(SIGNINS)
    return verified


def require_open(verified: Verified) -> None:
    """Raise Forbidden for a member who is suspended, or not yet accepted."""
    if verified.member.suspended:
        raise Forbidden("waiting" if verified.waits else "suspended")


def verify_password(site: Site, uid: int, password: str) -> str:
    """Return the stored hash of a member's password. Raises Invalid if it is another one.

    One trip.
    """
    stored_hash = site.db.read(_password_hash(uid))
    if not hashing.verify(stored_hash, password, site.config.password_cost):
        raise Invalid("not_your_password")
    return str(stored_hash)


def prove(site: Site, uid: int, password: str, session_sha: str) -> None:
    """Note in a session that its member has just entered their password. Two trips.

    Raises Invalid when it is wrong, Conflict when it or the session has just been changed.
    """
    stored_hash = verify_password(site, uid, password)
    site.run(PROVE, session_sha=session_sha, uid=uid, hash=stored_hash)


def change_password(
    site: Site,
    uid: int,
    old_password: str,
    new_password: str,
    keep_session: str,
    revoke_tokens: bool = False,
    agent: str = "",
) -> int:
    """Change a member's password and end their sessions except `keep_session` (a sha).

    `revoke_tokens`: revoke their tokens and apps too, and let the worker revoke their bots'
    tokens. `agent`: the browser's User-Agent, for the security log. Return how many sessions
    ended. Two trips. Raises Invalid when `old_password` is wrong, Conflict when it has just been
    changed.
    """
    reply = site.run(
        SET_PASSWORD,
        uid=uid,
        old_hash=verify_password(site, uid, old_password),
        new_hash=hashing.hash_password(new_password, site.config.password_cost),
        keep_session=keep_session,
        revoke=int(revoke_tokens),
        agent=agent,
    )
    return int(reply)


def reset_password(
    site: Site, uid: int, new_password: str, expires: int | None = None, agent: str = ""
) -> int:
    """Change a member's password without the old one: for an operator, or with the link of a mail.

    `expires`: unix seconds, where the member has to replace it by then. `agent`: as above. Ends all
    sessions and revokes all tokens and apps, and their bots' tokens. Return how many sessions
    ended. One trip. Raises NotFound; Forbidden for a bot, which has no password.
    """
    reply = site.run(
        SET_PASSWORD,
        uid=uid,
        old_hash="",
        new_hash=hashing.hash_password(new_password, site.config.password_cost),
        keep_session="",
        revoke=1,
        agent=agent,
        expires=expires,
    )
    return int(reply)


def verified_member(uid: int) -> Read[Verified | None]:
    """Read a member who has proved who they are, None for a deleted account."""

    def parse(reply: Sequence[Any]) -> Verified | None:
        *fields, epoch, second_step, waiting, until = reply
        member = parse_member(uid, fields)
        if member is None:
            return None
        steps = bool(second_step), bool(waiting), int(until or 0)
        return Verified(member, epoch or INITIAL_EPOCH, *steps)

    names = (*MEMBER_FIELDS, "epoch", "second_step", "waiting", "password_until")
    return read(("HMGET", keys.user(uid), *names), parse)


def _declined_hash(login: str) -> Read[str | None]:
    """Read the password of a sign-up that moderators refused, and that nobody has made again."""
    if not LOGIN_PATTERN.match(login):
        return constant(None)
    return read(("GET", keys.declined(login)), lambda stored_hash: stored_hash)


def _password_hash(uid: int) -> Read[str | None]:
    return read(("GET", keys.password(uid)), lambda stored_hash: stored_hash)
