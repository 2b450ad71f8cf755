"""The owner of a site: whether there are members yet, and making the first one an admin."""

from __future__ import annotations

import base64
import hmac

from webapp.config import Config
from webapp.core.errors import Conflict, Refused
from webapp.core.site import Site
from webapp.core.store.client import Db

from . import keys, registration
from .member import Member
from .passwords import hashing

FIRST_UIDS = 100  # a site with more of them had members, whatever became of these
CODE_BYTES = 15


def is_fresh(db: Db) -> bool:
    """Return True if nobody has an account. Sign-ups that failed have used uids. Two trips."""
    last_uid = int(db.run(("GET", keys.last_uid())) or 0)
    if not last_uid or last_uid > FIRST_UIDS:
        return not last_uid
    return not any(db.trip(*(("EXISTS", keys.user(uid)) for uid in range(1, last_uid + 1))))


def setup_code(config: Config) -> str:
    """Return the code that makes its holder the owner of a site without members.

    It follows from the secret key, so that all processes know it and none stores it.
    """
    digest = hmac.digest(config.secret_key.encode(), b"owner of a new site", "sha256")
    return base64.b32encode(digest[:CODE_BYTES]).decode().lower()


def is_setup_code(config: Config, text: str) -> bool:
    """Return True if a text is the code."""
    return hmac.compare_digest(text.strip().lower().encode(), setup_code(config).encode())


def make_owner(site: Site, login: str, name: str, password: str) -> Member:
    """Create the account of the owner, an admin from the start. Up to eight trips.

    One call of many at the same time succeeds. Its claim on the role lasts for half a minute; after
    a minute without an account another call may take it. Raises Conflict, Unavailable.
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
        if refusal.code != "store_down":  # the account was certainly not created
            site.db.run(registration.RELEASE(login=keys.owner(), claim=claim))
        raise
