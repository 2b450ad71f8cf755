"""Switching the second step on and off, and recovery codes."""

from dataclasses import dataclass

from webapp.core.net import encryption
from webapp.core.store import Read, Site, read, script

from . import codes, keys

SWITCH_ON = script("accounts/factors/lua/switch_on.lua")
SWITCH_OFF = script("accounts/factors/lua/switch_off.lua")
REPLACE_CODES = script("accounts/factors/lua/replace_codes.lua")


@dataclass(frozen=True, slots=True)
class SecondStep:
    """A member's second step. `codes_left`: recovery codes that are not used yet."""

    is_on: bool
    codes_left: int


def second_step(uid: int) -> Read[SecondStep]:
    """Read whether a member's sign-in has a second step, and how many recovery codes are left."""
    commands = (
        ("HEXISTS", keys.authenticator(uid), "secret"),
        ("SCARD", keys.recovery_codes(uid)),
    )
    return Read(commands, lambda replies: SecondStep(bool(replies[0]), int(replies[1])))


def switch_on(
    site: Site, uid: int, secret: str, step: int, session_sha: str, agent: str = ""
) -> list[str]:
    """Ask for a code at each sign-in from now on. Return the recovery codes. One trip.

    `step`: of the code that proved the app. It cannot be used again. `agent`: the browser's
    User-Agent, for the security log. Raises Conflict if the
    second step is on already or the session has ended, NotFound, Forbidden.
    """
    recovery_codes = codes.new_recovery_codes()
    site.run(
        SWITCH_ON,
        uid=uid,
        sealed=encryption.seal(site.config, purpose(uid), secret),
        step=step,
        session_sha=session_sha,
        agent=agent,
        hashes=codes.hash_codes(uid, recovery_codes),
    )
    return recovery_codes


def replace_codes(site: Site, uid: int, session_sha: str, agent: str = "") -> list[str]:
    """Return new recovery codes; the old ones are void. One trip.

    Any member may have them. `agent`: as of `switch_on`. Raises Conflict if the session has ended.
    """
    recovery_codes = codes.new_recovery_codes()
    site.run(
        REPLACE_CODES,
        uid=uid,
        session_sha=session_sha,
        agent=agent,
        hashes=codes.hash_codes(uid, recovery_codes),
    )
    return recovery_codes


def switch_off(site: Site, uid: int, agent: str = "") -> bool:
    """Ask for the password alone from now on. Return False if that was so already. One trip."""
    return bool(site.run(SWITCH_OFF, uid=uid, agent=agent))


def stored_codes(uid: int) -> Read[set[str]]:
    """Read a member's recovery codes as they are stored."""
    return read(("SMEMBERS", keys.recovery_codes(uid)), set)


def purpose(uid: int) -> str:
    """Return the purpose that a member's secret is sealed for."""
    return f"authenticator {uid}"
