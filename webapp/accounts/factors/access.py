"""What opens an account besides its password: passkeys, access tokens and apps."""

from __future__ import annotations

from webapp.accounts.passkeys.store import Passkey, passkeys
from webapp.accounts.tokens import apps
from webapp.accounts.tokens import store as tokens
from webapp.accounts.tokens.listed_credentials import ListedCredential
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.scripts import script

CLOSE = script("accounts/factors/lua/close_access.lua")
Access = tuple[list[Passkey], list[ListedCredential], list[ListedCredential]]


def listed(db: Db, uid: int) -> Access:
    """Return a member's passkeys, access tokens and apps. Five trips."""
    return db.read(passkeys(uid)), tokens.list_tokens(db, uid), apps.list_apps(db, uid)


def close(site: Site, uid: int, session_sha: str, agent: str = "") -> None:
    """Remove them all, and end all sessions but this one. One trip.

    The private feed ends too, and the worker revokes the tokens of bots. `agent`: `Device.note`.
    Raises Conflict if the session has ended, Unavailable.
    """
    site.run(CLOSE, uid=uid, session_sha=session_sha, agent=agent)
