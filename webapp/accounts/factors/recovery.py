"""Account recovery: a recovery code, and a new password in place of a forgotten one.

With two-step login a code of the app is needed as well, never a second recovery code. The answer
and the work are the same for logins that nobody has.
"""

from datetime import datetime

from webapp.accounts import keys as account_keys
from webapp.accounts.member import Member, datetime_from_seconds
from webapp.accounts.passwords import hashing
from webapp.accounts.store import NO_UID, claimed_uid, get
from webapp.core.errors import Invalid
from webapp.core.store import Db, Read, Site, read, script
from webapp.core.web import rate_limits

from . import codes
from .challenges import sealed_secret, step_of
from .store import stored_codes

RECOVER = script("accounts/factors/lua/recover.lua")


def recover(
    site: Site,
    login: str,
    code: str,
    app_code: str,
    new_password: str,
    known_device: bool,
    agent: str = "",
) -> tuple[Member, str]:
    """Replace a forgotten password. Return the member, and their epoch since. Up to four trips.

    `agent`: the browser's User-Agent, for the security log. Ends all sessions; revokes all tokens,
    apps and the private feed. Raises Invalid for a wrong or used code of either kind or an unknown
    login, which look the same; RateLimited, Forbidden for a suspended member.
    """
    uid = site.db.read(claimed_uid(login)) or NO_UID
    member, sealed, stored = site.db.fetch(get(uid), sealed_secret(uid), stored_codes(uid))
    code_hash = codes.stored_as(uid, stored, code)
    new_hash = hashing.hash_password(new_password, site.config.password_cost)
    step = None
    if code_hash and sealed:
        step = _step(site, uid, sealed, codes.clean_code(app_code), known_device)
    outcome, epoch = site.run(
        RECOVER,
        uid=uid,
        hash=code_hash,
        step="" if step is None else step,
        budget="known" if known_device else "new",
        new_hash=new_hash,
        agent=agent,
    )
    if outcome == "wait":
        raise rate_limits.limit_error(codes.STEP_SECONDS)
    if outcome != "right" or member is None:
        raise Invalid("wrong_recovery")
    return member, epoch


def _step(site: Site, uid: int, sealed: str, code: str, known_device: bool) -> int | None:
    """Return the step whose code of the app this is, None for a wrong one. One trip at most.

    Guesses count, with limit_codes, for those who have a recovery code: others cannot use up the
    day's guesses of an account. Raises RateLimited.
    """
    if code and not known_device:
        rate_limits.consume(site.db, ("codes", str(uid), site.config.limit_codes))
    return step_of(site, uid, sealed, code)


def last_recovery(uid: int) -> Read[datetime | None]:
    """Read when a member's password was recovered, if they have not been told yet."""
    return read(
        ("HGET", account_keys.user(uid), "recovered"),
        lambda seconds: datetime_from_seconds(seconds) if seconds else None,
    )


def forget_recovery(db: Db, uid: int) -> None:
    """Note that a member was told of the recovery. One trip."""
    db.run(("HDEL", account_keys.user(uid), "recovered"))
