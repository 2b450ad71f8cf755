"""Signing up: claiming a login, redeeming an invitation and creating the account.

A login is claimed first, in the login's own partition; then the account is created in the member's.
A crash between the two leaves a claim that anyone may take over after a minute. The use of an
invitation is given back the same way.
"""

from collections.abc import Callable, Mapping

from webapp.core.bans.texts import check_texts
from webapp.core.errors import Conflict, Forbidden, Refused, Unavailable
from webapp.core.store import Command, Db, Site, script

from . import keys
from .invitations import invites
from .member import Member, datetime_from_ms
from .passwords import hashing
from .store import NO_UID, claimed_uid, uid_of_claim

CLAIM = script("accounts/lua/claim_login.lua")
CREATE = script("accounts/lua/create.lua")
RELEASE = script("accounts/lua/release_claim.lua")


def sign_up(
    site: Site,
    login: str,
    name: str,
    password: str,
    invite: str | None = None,
    application: Mapping[str, str] | None = None,
) -> Member:
    """Create an account, using up one place of `invite` if that is given.

    `application`: as of `email.addresses.application`, if moderators are to accept them first.

    Raises Conflict when the login is taken, Forbidden when the invitation is not valid,
    RefusedText. Five trips, eight with an invitation.
    """
    _require_free(site.db, login)
    password_hash = hashing.hash_password(password, site.config.password_cost)
    uid = site.db.run(("INCR", keys.last_uid()))
    inviter = site.db.read(invites.maker(invite)) if invite else NO_UID
    if invite is not None and not invites.redeem(site.db, invite, uid):
        raise Forbidden("invite_bad")
    try:
        return create_account(
            site,
            uid,
            login,
            name,
            password_hash,
            first_steps=True,
            application=application,
            inviter=inviter,
        )
    except Refused as refusal:
        if invite is not None and not refusal.may_have_run:
            invites.release(site.db, invite, uid)
        raise


def create_account(
    site: Site,
    uid: int,
    login: str,
    name: str,
    password_hash: str,
    bot_owner: int = NO_UID,
    first_steps: bool = False,
    application: Mapping[str, str] | None = None,
    inviter: int = NO_UID,
    owner_claim: str = "",
) -> Member:
    """Create the account of a new uid. A bot has an owner and no password, and cannot sign in.

    `first_steps`: they are offered on the member's home. `application`: as for `sign_up`.
    `inviter`: a uid. `owner_claim`: on the site, no older than one on a login; its member becomes
    an admin. Two to four trips. Raises Conflict when the login is taken, RefusedText.
    """
    flagged = check_texts(site.config, login, name)
    claim = claim_login(site.db, login, uid)
    command = CREATE(
        site.config,
        uid=uid,
        login=login,
        name=name,
        hash=password_hash,
        claimed_at=(owner_claim or claim).partition(":")[2],
        bot_owner=bot_owner or "",
        flagged=flagged,
        steps=1 if first_steps else None,
        rights="admin" if owner_claim else "",
        inviter=inviter or "",
        **(application or {}),
    )
    joined_ms = _create(site, command, login, claim)
    return Member(uid, login, name, datetime_from_ms(joined_ms), bot_owner=bot_owner)


def _create(site: Site, command: Command, login: str, claim: str) -> str:
    """Run the script that creates an account. Return when it joined, unix ms. At most two trips.

    If it is certainly not created, its claim is released.
    """
    try:
        return str(site.db.run(command))
    except Unavailable as refusal:
        if refusal.code == "overloaded":
            site.run(RELEASE, login=keys.login(login), claim=claim)
        raise


def _require_free(db: Db, login: str) -> None:
    """Raise Conflict if the login has an account, before the work of hashing. Two trips."""
    owner_uid = db.read(claimed_uid(login))
    if owner_uid and _uses(db, owner_uid, login):
        raise Conflict("taken")


def claim_key(db: Db, key: str, uid: int, is_used: Callable[[int], bool]) -> str:
    """Claim a key, such as that of a login, and return the claim, `uid:unix ms`.

    One that is old enough is taken over, unless `is_used` says that its member uses it. Two trips,
    and those of `is_used`. Raises Conflict when it is taken.
    """
    claimed, claim, *is_old = db.run(CLAIM(login=key, uid=uid, old_claim=""))
    if not claimed and is_old[0] and not is_used(uid_of_claim(claim) or NO_UID):
        claimed, claim, *_ = db.run(CLAIM(login=key, uid=uid, old_claim=claim))
    if not claimed:
        raise Conflict("taken")
    return str(claim)


def claim_login(db: Db, login: str, uid: int) -> str:
    """Claim the login and return the claim, `uid:unix ms`. Raises Conflict when it is taken.

    A claim whose account was never created, or has another login, is taken over once it is old
    enough.
    """
    return claim_key(db, keys.login(login), uid, lambda owner: _uses(db, owner, login))


def _uses(db: Db, uid: int, login: str) -> bool:
    """Return True if a login is a member's, was theirs before, or is that of a deleted account."""
    names = ("login", "former_login", "removed")
    *logins, removed = db.run(("HMGET", keys.user(uid), *names))
    return bool(removed) or any(one and one.lower() == login.lower() for one in logins)
