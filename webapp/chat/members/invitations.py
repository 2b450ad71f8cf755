"""Invitations to chats: `<cid>.<secret>`. Only the secret's hash is stored."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.chat import keys as chat_keys
from webapp.chat.codec import from_unix_ms, parse_chat
from webapp.chat.ids import digest, parse_cid
from webapp.chat.members import keys as member_keys
from webapp.chat.models import Chat
from webapp.core.errors import Forbidden
from webapp.core.store import Db, Read, Site, gather, read, script

SET_INVITE = script("chat/members/lua/invite.lua")
SECRET_BYTES = 18


@dataclass(frozen=True, slots=True)
class Invite:
    """An invitation as it is listed. `sha` names it, but does not let anybody in."""

    sha: str
    uses_left: int
    expires: datetime
    creator_uid: int

    @property
    def is_valid(self) -> bool:
        """Return True while it may be used."""
        return self.uses_left > 0 and self.expires > datetime.now(UTC)


def create(site: Site, uid: int, cid: str, uses: int, hours: int) -> str:
    """Make an invitation and return it. It cannot be read again. One trip.

    Raises NotFound, Forbidden, Conflict (CHAT_INVITES_MAX reached).
    """
    secret = secrets.token_urlsafe(SECRET_BYTES)
    site.run(
        SET_INVITE,
        cid=cid,
        uid=uid,
        sha=digest(secret),
        uses=uses,
        lifetime=hours * 3_600_000,
        limit=site.config.chat_invites_max,
    )
    return f"{cid}.{secret}"


def revoke(db: Db, uid: int, cid: str, sha: str) -> None:
    """Revoke one's own invitation, or any as an owner, if it exists. One trip.

    Raises NotFound, Forbidden.
    """
    db.run(SET_INVITE(cid=cid, uid=uid, sha=sha, uses="", lifetime=0, limit=0))


def parse_token(token: str) -> tuple[str, str]:
    """Return the chat's id and the secret of an invitation. Raises Forbidden if it is malformed."""
    cid, _, secret = token.partition(".")
    if not secret or parse_cid(cid) is None:
        raise Forbidden("chat_invite_bad")
    return cid, secret


def list_active(cid: str) -> Read[list[Invite]]:
    """Read the valid invitations of a chat, by when they expire."""

    def parse(flat: Sequence[str]) -> list[Invite]:
        invites = map(parse_invite, flat[::2], flat[1::2])
        return sorted(filter(lambda invite: invite.is_valid, invites), key=lambda one: one.expires)

    return read(("HGETALL", member_keys.chat_invites(cid)), parse)


def open_chat(cid: str) -> Read[Chat | None]:
    """Read a chat that anybody may join; None for any other."""
    return _chat(cid).map(lambda chat: chat if chat and chat.kind == "open" else None)


def creator(cid: str, secret: str) -> Read[int | None]:
    """Read the member who made an invitation, or None."""
    return _invite(cid, secret).map(lambda invite: invite.creator_uid if invite else None)


def invited_chat(token: str) -> Read[Chat]:
    """Read the chat that an invitation leads to. Raises Forbidden if it is not valid."""
    cid, secret = parse_token(token)

    def require(found: tuple[Chat | None, Invite | None]) -> Chat:
        chat, invite = found
        if chat is None or invite is None or not invite.is_valid:
            raise Forbidden("chat_invite_bad")
        return chat

    return gather(_chat(cid), _invite(cid, secret)).map(require)


def _chat(cid: str) -> Read[Chat | None]:
    fields = read(("HGETALL", chat_keys.chat(cid)), list)
    member_count = read(("ZCARD", chat_keys.chat_members(cid)), int)
    return gather(fields, member_count).map(
        lambda found: parse_chat(cid, *found) if found[0] else None
    )


def _invite(cid: str, secret: str) -> Read[Invite | None]:
    sha = digest(secret)
    command = ("HGET", member_keys.chat_invites(cid), sha)
    return read(command, lambda value: parse_invite(sha, value) if value else None)


def parse_invite(sha: str, value: str) -> Invite:
    """Parse an invitation as it is stored under `sha`: `left expires by`."""
    uses_left, expires, creator_uid = map(int, value.split())
    return Invite(sha, uses_left, from_unix_ms(expires), creator_uid)
