"""The secret address of a member's home as a feed: anyone who has it reads the home."""

import re
import secrets
from hmac import compare_digest

from webapp.accounts import keys as account_keys, store as accounts
from webapp.accounts.member import Member
from webapp.accounts.sessions.cookie_value import sha256
from webapp.accounts.settings import choices
from webapp.core.errors import NotFound
from webapp.core.store import Db, Read, Site, parse_id, read, script

CREATE_FEED = script("timelines/lua/create_feed.lua")
KEY_PATTERN = re.compile(r"(\d{1,16})-([A-Za-z0-9_-]{32})\Z")


def create(site: Site, uid: int, agent: str = "") -> str:
    """Make a new key of a member's feed, and end the one before. One trip.

    It is stored as a SHA-256 and cannot be read again. `agent`: `Device.note`, for the security
    logs. Raises NotFound, Forbidden (suspended).
    """
    secret = secrets.token_urlsafe(24)
    site.run(CREATE_FEED, uid=uid, sha=sha256(secret), agent=agent)
    return f"{uid}-{secret}"


def end(db: Db, uid: int) -> None:
    """End the key of a member's feed, if there is one. One trip. Raises as `create`."""
    choices.remember(db, uid, home_feed="")


def exists(uid: int) -> Read[bool]:
    """Read whether a member's feed has a key."""
    return read(("HEXISTS", account_keys.user(uid), "home_feed"), bool)


def owner(db: Db, key: str) -> Member:
    """Return the member whose feed a key opens. One trip. Raises NotFound."""
    match = KEY_PATTERN.match(key)
    uid = parse_id(match[1]) if match else None
    if not match or uid is None:
        raise NotFound("no_feed")
    stored = read(("HGET", account_keys.user(uid), "home_feed"), lambda sha: str(sha or ""))
    member, sha = db.fetch(accounts.get(uid), stored)
    if member is None or member.suspended or not compare_digest(sha, sha256(match[2])):
        raise NotFound("no_feed")
    return member
