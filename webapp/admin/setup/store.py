"""Make the owner of a site without members, an admin from the start."""

from webapp.accounts import keys, registration
from webapp.accounts.member import Member
from webapp.accounts.owner import is_fresh
from webapp.accounts.passwords import hashing
from webapp.core.errors import Conflict, Refused
from webapp.core.store import Site


def make_owner(site: Site, login: str, name: str, password: str) -> Member:
    """Create the account of the owner, an admin from the start. Up to eight trips.

    One call of many at the same time succeeds. Its claim on the role lasts for half a minute; after
    a minute without an account another call may take it. Raises Conflict.
    """
    if not is_fresh(site.db):
        raise Conflict("has_members")
    password_hash = hashing.hash_password(password, site.config.password_cost)
    uid = int(site.db.run(("INCR", keys.last_uid())))
    try:
        claim = registration.claim_key(
            site.db,
            keys.owner(),
            uid,
            lambda other: bool(site.db.run(("EXISTS", keys.user(other)))),
        )
    except Conflict:
        raise Conflict("has_members") from None
    try:
        return registration.create_account(
            site, uid, login, name, password_hash, first_steps=True, owner_claim=claim
        )
    except Refused as refusal:
        if not refusal.may_have_run:
            site.db.run(registration.RELEASE(login=keys.owner(), claim=claim))
        raise
