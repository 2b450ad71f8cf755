"""Sign-ins with a right password that wait for a code.

A sign-in takes five tries. From all devices that are new to it, an account takes five codes of an
app within 30 s, and limit_codes in a day. Known devices have five of their own. So a stranger who
has the password cannot guess a code, and does not lock the owner's devices out. Recovery codes have
80 bits and no such limit: with one the owner signs in on a new device.
"""

import secrets

from webapp.accounts.sessions.cookie_value import parse_cookie, sha256
from webapp.accounts.store import NO_UID
from webapp.core.errors import Invalid
from webapp.core.net import encryption
from webapp.core.store import Read, Site, read, script
from webapp.core.web import rate_limits

from . import codes, keys
from .store import purpose, stored_codes

BEGIN = script("accounts/factors/lua/begin_challenge.lua")
ANSWER = script("accounts/factors/lua/answer_challenge.lua")
CHALLENGE_SECONDS = 600
APP_CODE_LENGTH = 6


def begin(site: Site, uid: int, epoch: str) -> str:
    """Let a sign-in wait for its code. Return its token, `uid.secret`. One trip."""
    secret = secrets.token_urlsafe(32)
    site.run(BEGIN, uid=uid, sha=sha256(secret), epoch=epoch, ttl=CHALLENGE_SECONDS)
    return f"{uid}.{secret}"


def uid_of(token: str) -> int:
    """Return the uid that a sign-in's token names, before the store has proved it."""
    return parse_cookie(token)[0] or NO_UID


def answer(site: Site, token: str, text: str, known_device: bool, agent: str = "") -> str | None:
    """Answer a sign-in with a code of the app or a recovery code. Up to three trips.

    `agent`: the browser's User-Agent, for the security log. Return the member's epoch when it
    began, None if it has expired, was answered, or has had its five tries. Raises Invalid for a
    wrong or used code, RateLimited.
    """
    uid, sha = parse_cookie(token)
    if uid is None:
        return None
    code, step, stored = codes.clean_code(text), None, ""
    is_app_code = len(code) == APP_CODE_LENGTH and code.isdecimal()
    waits = read(("EXISTS", keys.challenge(uid, sha)), bool)
    has_password, sealed, recovery = site.db.fetch(waits, sealed_secret(uid), stored_codes(uid))
    if not has_password:  # so a stranger uses up none of the account's codes
        return None
    if not is_app_code:
        stored = codes.stored_as(uid, recovery, code)
    else:
        step = step_of(site, uid, sealed, code)
        if not known_device:
            rate_limits.consume(site.db, ("codes", str(uid), site.config.limit_codes))
    outcome, epoch = site.run(
        ANSWER,
        uid=uid,
        sha=sha,
        kind="app" if is_app_code else "recovery",
        step="" if step is None else step,
        hash=stored,
        budget="known" if known_device else "new",
        agent=agent,
    )
    if outcome == "wait":
        raise rate_limits.limit_error(codes.STEP_SECONDS)
    if outcome in ("wrong", "used"):
        raise Invalid(f"{outcome}_code")
    return str(epoch) if outcome == "right" else None


def sealed_secret(uid: int) -> Read[str | None]:
    """Read the sealed secret of a member's app, None without one."""
    return read(("HGET", keys.authenticator(uid), "secret"), lambda text: text)


def step_of(site: Site, uid: int, sealed: str | None, code: str) -> int | None:
    """Return the step whose code of a member's app this is, None for a wrong code or no app."""
    secret = encryption.unseal(site.config, purpose(uid), sealed) if sealed else None
    return codes.matching_step(secret, code) if secret else None
