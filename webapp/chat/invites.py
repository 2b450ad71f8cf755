"""Invitations to chats: `<cid>.<secret>`, of which only the secret's hash is kept."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from .. import keys
from ..config import Config
from ..db import Db
from ..errors import Forbidden
from ..scripts import script
from .store import Chat, chat_from, digest, moment, names, parse_cid

INVITE = script("chat/invite.lua")
SECRET_BYTES = 18


@dataclass(frozen=True, slots=True)
class Invite:
    """An invitation as it is listed. `sha` names it and opens nothing; `left`: how many may still come with it."""

    sha: str
    left: int
    expires: datetime
    by: int


def make(db: Db, config: Config, uid: int, cid: str, uses: int, hours: int) -> str:
    """A new invitation: the only time it can be read. Raises NotFound, Forbidden, Conflict at CHAT_INVITES_MAX."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    db.run(INVITE(names(cid), uid, digest(secret), uses, hours * 3_600_000, config.chat_invites_max))
    return f"{cid}.{secret}"


def revoke(db: Db, uid: int, cid: str, sha: str) -> None:
    """Ends an invitation: one's own, or any as an owner; again is no change. Raises NotFound, Forbidden."""
    db.run(INVITE(names(cid), uid, sha, "", 0, 0))


def listed(db: Db, cid: str) -> list[Invite]:
    """The invitations of a chat that are still good, the one that expires first first. One trip."""
    flat = db.run(("HGETALL", keys.chat_invites(cid)))
    found = []
    for sha, facts in zip(flat[::2], flat[1::2], strict=True):
        left, expires, by = map(int, facts.split())
        found.append(Invite(sha, left, moment(expires), by))
    now = datetime.now(UTC)
    return sorted((one for one in found if one.left and one.expires > now), key=lambda one: one.expires)


def split(token: str) -> tuple[str, str]:
    """The chat and the secret of an invitation. Raises Forbidden when it is none."""
    cid, _, secret = token.partition(".")
    if not secret or parse_cid(cid) is None:
        raise Forbidden("chat_invite_bad")
    return cid, secret


def open_chat(db: Db, cid: str) -> Chat | None:
    """The chat of this id, if anybody may join it. One trip."""
    flat, count = db.trip(("HGETALL", keys.chat(cid)), ("ZCARD", keys.chat_members(cid)))
    chat = chat_from(cid, flat, count) if flat else None
    return chat if chat and chat.kind == "open" else None


def maker(db: Db, cid: str, secret: str) -> int | None:
    """Whose invitation this is, if it is one. One trip."""
    facts = db.run(("HGET", keys.chat_invites(cid), digest(secret)))
    return int(facts.split()[2]) if facts else None


def peek(db: Db, token: str) -> Chat:
    """The chat that an invitation leads to. One trip. Raises Forbidden when it is not valid (any more)."""
    cid, secret = split(token)
    flat, count, facts = db.trip(
        ("HGETALL", keys.chat(cid)),
        ("ZCARD", keys.chat_members(cid)),
        ("HGET", keys.chat_invites(cid), digest(secret)),
    )
    left, expires = map(int, facts.split()[:2]) if facts else (0, 0)
    if not flat or not left or moment(expires) <= datetime.now(UTC):
        raise Forbidden("chat_invite_bad")
    return chat_from(cid, flat, count)
