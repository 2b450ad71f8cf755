"""Access tokens for scripts: `linnet_<uid>_<secret>`, shown once, stored as a SHA-256."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from webapp.accounts import store as accounts
from webapp.accounts.member import MEMBER_FIELDS, Member, parse_member
from webapp.accounts.sessions.cookie_value import sha256
from webapp.core.store import Db, Read, Site, constant, parse_id, read, script
from webapp.core.web import Requester
from webapp.core.web.prefetching import VISITOR
from webapp.notifications.push import keys as push_keys

from . import keys
from .listed_credentials import ListedCredential, listed_credentials

CREATE = script("accounts/tokens/lua/create_token.lua")
AUTHENTICATE = script("accounts/tokens/lua/authenticate_token.lua")
REVOKE = script("accounts/tokens/lua/revoke.lua")
REVOKE_BEFORE = script("accounts/tokens/lua/revoke_before.lua")
# The prefix lets scanners for leaked secrets find tokens.
TOKEN_PATTERN = re.compile(r"linnet_(\d{1,16})_([A-Za-z0-9-]{43})\Z")


def create(
    site: Site,
    uid: int,
    name: str,
    session_sha: str = "",
    agent: str = "",
    lifetime: int | None = None,
) -> str:
    """Create a token and return it; it cannot be read again. One trip.

    `session_sha` names the session that creates it, which must not have ended meanwhile; "" without
    one. `agent`: the browser's User-Agent, for the security log. `lifetime`: seconds until it ends,
    None without an end. Raises Conflict if the session has ended or at TOKENS_MAX, NotFound,
    Forbidden.
    """
    secret = secrets.token_urlsafe(32).replace("_", "-")  # "_" separates the parts of a token
    sha = sha256(secret)
    site.run(
        CREATE,
        session_sha=session_sha,
        uid=uid,
        sha=sha,
        name=name,
        check_session=int(bool(session_sha)),
        agent=agent,
        lifetime=lifetime or "",
    )
    return f"linnet_{uid}_{secret}"


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """The caller that a token stands for. `member`: None for an app alone. `app`: its client id.

    `scopes`: what the member allowed the app; None for a token that the member made, for all.
    """

    member: Member | None
    scopes: tuple[str, ...] | None = None
    app: str = ""


def authenticate(site: Site, token: str) -> Member | None:
    """Return the owner of a token that the owner made. Trips and None as `holder`.

    None for a token of an app too: its scopes do not cover what only such a token may do.
    """
    found = holder(site, token)
    return found.member if found and found.scopes is None else None


def holder(site: Site, token: str) -> TokenHolder | None:
    """Return the member that a token stands for, None for no token or a suspended owner.

    One trip; two for a bot's token, which is valid only while the bot's owner is not suspended.
    """
    return with_active_owner(site, site.db.read(held(site, token)))


def held(site: Site, token: str) -> Read[TokenHolder | None]:
    """Read the member that a token stands for. `with_active_owner` has the last word.

    A suspended member is one who waits to be accepted.
    """
    uid, sha = _parse(token)
    if uid is None:
        return constant(None)
    command = AUTHENTICATE(site.config, uid=uid, sha=sha, fields=MEMBER_FIELDS)
    return read(command, partial(_parse_holder, uid))


def with_active_owner(site: Site, holder: TokenHolder | None) -> TokenHolder | None:
    """Return a holder, None for one who may not act, or whose owner may not. One trip for a bot."""
    member = holder.member if holder else None
    if member and member.bot_owner:
        member = site.db.read(accounts.get(member.bot_owner))
    return holder if member and not member.suspended else None


def _parse_holder(uid: int, reply: Sequence[str]) -> TokenHolder | None:
    if not reply:
        return None
    *fields, scopes, app = reply
    member = parse_member(uid, fields)
    return TokenHolder(member, tuple(scopes.split()) or None, app) if member else None


def requester_of(token: str) -> Requester:
    """Return the member that a token names, before it is checked. VISITOR if it names none."""
    uid, sha = _parse(token)
    return Requester(uid, keys.token(uid, sha)) if uid else VISITOR


def _parse(token: str) -> tuple[int | None, str]:
    """Return the uid that a token names and the sha of its secret, (None, "") for another text."""
    match = TOKEN_PATTERN.match(token)
    return (parse_id(match[1]), sha256(match[2])) if match else (None, "")


def sha_of(token: str) -> str:
    """Return the sha that a token is stored under."""
    return sha256(token.rpartition("_")[2])


def list_tokens(db: Db, uid: int) -> list[ListedCredential]:
    """Return a member's tokens, newest first. Two trips."""
    devices_key = push_keys.push_devices(uid)
    return listed_credentials(db, keys.tokens(uid), partial(keys.token, uid), devices_key)


def revoke(site: Site, uid: int, sha: str, agent: str = "") -> bool:
    """Revoke a member's token. Return False if the member has no such token. One trip."""
    reply = site.run(
        REVOKE, entry=keys.token(uid, sha), list=keys.tokens(uid), uid=uid, id=sha, agent=agent
    )
    return bool(reply)


def revoke_before(site: Site, uid: int, created_until: int) -> None:
    """Revoke a member's tokens created up to a time (unix seconds). One trip."""
    site.run(REVOKE_BEFORE, uid=uid, created_until=created_until)
