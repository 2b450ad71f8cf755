"""Invitations to chats: `<cid>.<secret>`, of which only the secret's hash is kept."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.chat import keys as chat_keys
from webapp.chat.scripts import ChatScript
from webapp.chat.store import Chat, chat_from, digest, from_unix_ms, parse_cid
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.errors import Forbidden

SET_INVITE = ChatScript("chat/members/lua/invite.lua")
SECRET_BYTES = 18


@dataclass(frozen=True, slots=True)
class Invite:
    """An invitation as it is listed. `sha` names it and opens nothing; `uses_left`: how many may still come with it."""

    sha: str
    uses_left: int
    expires: datetime
    creator_uid: int


def create(db: Db, config: Config, uid: int, cid: str, uses: int, hours: int) -> str:
    """A new invitation: the only time it can be read. Raises NotFound, Forbidden, Conflict at CHAT_INVITES_MAX."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    db.run(
        SET_INVITE(
            cid,
            uid=uid,
            sha=digest(secret),
            uses=uses,
            lifetime=hours * 3_600_000,
            limit=config.chat_invites_max,
        )
    )
    return f"{cid}.{secret}"


def revoke(db: Db, uid: int, cid: str, sha: str) -> None:
    """Ends an invitation: one's own, or any as an owner; again is no change. Raises NotFound, Forbidden."""
    db.run(SET_INVITE(cid, uid=uid, sha=sha, uses="", lifetime=0, limit=0))


def list_active(db: Db, cid: str) -> list[Invite]:
    """The invitations of a chat that are still good, the one that expires first first. One trip."""
    flat_fields = db.run(("HGETALL", chat_keys.chat_invites(cid)))
    invites = []
    for sha, value in zip(flat_fields[::2], flat_fields[1::2], strict=True):
        uses_left, expires, creator_uid = map(int, value.split())
        invites.append(Invite(sha, uses_left, from_unix_ms(expires), creator_uid))
    now = datetime.now(UTC)
    return sorted(
        (one for one in invites if one.uses_left and one.expires > now), key=lambda one: one.expires
    )


def parse_token(token: str) -> tuple[str, str]:
    """The chat and the secret of an invitation. Raises Forbidden when it is none."""
    cid, _, secret = token.partition(".")
    if not secret or parse_cid(cid) is None:
        raise Forbidden("chat_invite_bad")
    return cid, secret


def get_open_chat(db: Db, cid: str) -> Chat | None:
    """The chat of this id, if anybody may join it. One trip."""
    flat_fields, member_count = db.trip(
        ("HGETALL", chat_keys.chat(cid)), ("ZCARD", chat_keys.chat_members(cid))
    )
    chat = chat_from(cid, flat_fields, member_count) if flat_fields else None
    return chat if chat and chat.kind == "open" else None


def get_creator(db: Db, cid: str, secret: str) -> int | None:
    """Whose invitation this is, if it is one. One trip."""
    value = db.run(("HGET", chat_keys.chat_invites(cid), digest(secret)))
    return int(value.split()[2]) if value else None


def chat_for_token(db: Db, token: str) -> Chat:
    """The chat that an invitation leads to. One trip. Raises Forbidden when it is not valid (any more)."""
    cid, secret = parse_token(token)
    flat_fields, member_count, value = db.trip(
        ("HGETALL", chat_keys.chat(cid)),
        ("ZCARD", chat_keys.chat_members(cid)),
        ("HGET", chat_keys.chat_invites(cid), digest(secret)),
    )
    uses_left, expires = map(int, value.split()[:2]) if value else (0, 0)
    if not flat_fields or not uses_left or from_unix_ms(expires) <= datetime.now(UTC):
        raise Forbidden("chat_invite_bad")
    return chat_from(cid, flat_fields, member_count)
