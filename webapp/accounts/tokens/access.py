"""List and remove what opens an account besides its password: passkeys, tokens and apps."""

from webapp.core.store import Db, Site, script

from . import apps, store as tokens
from .listed_credentials import ListedCredential

CLOSE = script("accounts/tokens/lua/close_access.lua")


def listed(db: Db, uid: int) -> tuple[list[ListedCredential], list[ListedCredential]]:
    """Return a member's access tokens and apps. Four trips."""
    return tokens.list_tokens(db, uid), apps.list_apps(db, uid)


def close(site: Site, uid: int, session_sha: str, agent: str) -> None:
    """Remove passkeys, tokens and apps, and end all sessions but this one. One trip.

    The private feed ends too, and the worker revokes the tokens of bots. `agent`: `Device.note`.
    Raises Conflict if the session has ended.
    """
    site.run(CLOSE, uid=uid, session_sha=session_sha, agent=agent)
