"""Change an account as a whole: suspend, protect, delete it, or grant rights."""

from webapp.core.store import Command, Db, Site, script
from webapp.pagecache.member_versions import bump_versions

from . import keys
from .email.addresses import acceptance
from .sessions.credentials import verify_password

SUSPEND = script("accounts/lua/suspend.lua")
PROTECT = script("accounts/lua/protect.lua")
REMOVE = script("accounts/lua/remove.lua")
GRANT = script("accounts/lua/grant.lua")
RIGHTS = ("firehose", "moderator", "admin")
TOMBSTONE_MARGIN = 86_400  # seconds that a tombstone outlives the login it reserves


def suspend(site: Site, uid: int, suspended: bool = True) -> bool:
    """Suspend a member, or restore one. Return False if nothing changes. Three trips.

    Raises NotFound, Unavailable.
    """
    notice = "" if suspended else acceptance(site, uid)
    command = SUSPEND(site.config, uid=uid, suspended=int(suspended), notice=notice)
    return bool(_change(site.db, uid, command))


def protect(site: Site, uid: int, protected: bool = True) -> bool:
    """Protect a member, so that only followers they accept see their posts, or end that.

    Return False if nothing changes. Two trips. Raises NotFound, Forbidden for a suspended member.
    """
    command = PROTECT(site.config, uid=uid, protected=int(protected))
    return bool(_change(site.db, uid, command))


def delete_account(site: Site, uid: int, password: str | None, suspended: str = "") -> None:
    """Delete an account. Nobody sees it from now on; the worker removes its data.

    `password` is None for an operator. `suspended`: the suspension that is the reason, if one is.
    Up to three trips. Raises Invalid when the password is wrong, NotFound, Conflict when it was
    changed meanwhile or the suspension has ended.
    """
    password_hash = verify_password(site, uid, password) if password is not None else ""
    command = REMOVE(
        site.config,
        uid=uid,
        hash=password_hash,
        suspended=suspended,
        tombstone_ttl=site.config.name_kept_days * 86_400 + TOMBSTONE_MARGIN,
    )
    _change(site.db, uid, command)


def grant(db: Db, uid: int, right: str, granted: bool = True) -> tuple[str, ...]:
    """Grant a member one of RIGHTS, or withdraw it. Return all they have now. One trip.

    Raises NotFound.
    """
    command = GRANT(uid=uid, right=right, granted=int(granted))
    return tuple(db.run(command).split())


def rights(db: Db, uid: int) -> tuple[str, ...]:
    """Return the rights that a member was granted. One trip."""
    return tuple((db.run(("HGET", keys.user(uid), "rights")) or "").split())


def _change(db: Db, uid: int, command: Command) -> int:
    """Run a script that changes an account, then drop the cached pages that show the member.

    The event drops them too, but later. Two trips.
    """
    reply = int(db.run(command))
    bump_versions(db, [uid])
    return reply
