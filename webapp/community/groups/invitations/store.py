"""Inviting members to a group by name, and anybody with a link. Only a secret's hash is stored."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.chat.ids import digest
from webapp.chat.members.invitations import SECRET_BYTES, Invite, parse_invite
from webapp.chat.members.policy import lets_in
from webapp.community.groups import keys
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Db, Site, parse_id, script
from webapp.statuses import relationship

INVITE = script("community/groups/lua/invite.lua")
END_INVITATION = script("community/groups/lua/end_invitation.lua")
HOUR_MS = 3_600_000
NAMED_HOURS = 30 * 24  # for which an invitation by name waits
OWN_MAX = 50  # invitations of one member to a group that wait
ALL_MAX = 500


@dataclass(frozen=True, slots=True)
class Invitations:
    """The invitations to a group that wait: links, and members by name."""

    links: Sequence[Invite]
    members: Sequence[tuple[Member, Invite]]


def invite(site: Site, uid: int, gid: int, logins: Collection[str]) -> int:
    """Invite members to a group. Return how many were not in it, or invited. Four trips.

    Raises NotFound; Forbidden if the member may not invite, or a block is between them and one of
    the others; Conflict if one is banned, or OWN_MAX or ALL_MAX reached.
    """
    found = accounts.get_many_by_login(site.db, logins)
    if len(found) < len(logins):
        raise NotFound("no_member")
    uids = list({member.uid for member in found.values()})  # some by two logins
    known = site.db.read(relationship(uid, uids))
    if any(one.suspended for one in found.values()) or known.hidden_on_request:
        raise Forbidden("cannot_invite_them")
    return _add(site, uid, gid, [f"@{one}" for one in uids], 1, NAMED_HOURS)


def make_link(site: Site, uid: int, gid: int, uses: int, hours: int) -> str:
    """Make a link into a group and return its token. It cannot be read again. One trip.

    Raises NotFound, Forbidden, Conflict (OWN_MAX or ALL_MAX reached).
    """
    secret = secrets.token_urlsafe(SECRET_BYTES)
    _add(site, uid, gid, [digest(secret)], uses, hours)
    return f"{gid}.{secret}"


def parse_token(token: str) -> tuple[int, str]:
    """Return the group and the secret of a link's token. Raises Forbidden if it is malformed."""
    number, _, secret = token.partition(".")
    gid = parse_id(number)
    if not (secret and gid):
        raise Forbidden("group_invite_bad")
    return int(gid), secret


def _add(site: Site, uid: int, gid: int, targets: Sequence[str], uses: int, hours: int) -> int:
    reply = site.run(
        INVITE,
        gid=gid,
        uid=uid,
        uses=uses,
        lifetime=hours * HOUR_MS,
        own_max=OWN_MAX,
        all_max=ALL_MAX,
        targets=targets,
    )
    return int(reply)


def end(site: Site, uid: int, gid: int, target: str) -> None:
    """End an invitation, if it exists: one's own, any as an owner, or one for oneself. One trip.

    `target`: the sha of a link, or `@uid` of a member. Raises NotFound, Forbidden.
    """
    site.run(END_INVITATION, gid=gid, uid=uid, target=target)


def waiting(db: Db, gid: int) -> Invitations:
    """Return the invitations to a group that wait, by when they end. Two trips."""
    flat = db.run(("HGETALL", keys.group_invitations(gid)))
    found = [parse_invite(name, value) for name, value in zip(flat[::2], flat[1::2], strict=True)]
    valid = sorted((one for one in found if one.is_valid), key=lambda one: one.expires)
    named = [one for one in valid if one.sha.startswith("@")]
    members = db.read(accounts.get_many([int(one.sha[1:]) for one in named]))
    pairs = ((members.get(int(one.sha[1:])), one) for one in named)
    shown = [(member, one) for member, one in pairs if member and not member.suspended]
    links = [one for one in valid if not one.sha.startswith("@")]
    return Invitations(links, shown)


def require_link(db: Db, uid: int, gid: int, secret: str) -> None:
    """Raise Forbidden if a link does not lead a member into a group any more. Four trips.

    The script that uses it asks also whether its maker may still invite.
    """
    found = db.run(("HGET", keys.group_invitations(gid), digest(secret)))
    invite = parse_invite("", found) if found else None
    if not (invite and invite.is_valid and lets_in(db, invite.creator_uid, uid)):
        raise Forbidden("group_invite_bad")


def holds(db: Db, uid: int, gid: int, target: str) -> bool:
    """Return False if the maker of an invitation may not let a member in. At most four trips.

    Return True after one trip if there is no invitation. `target`: as in `end`.
    """
    found = db.run(("HGET", keys.group_invitations(gid), target))
    return not found or lets_in(db, parse_invite("", found).creator_uid, uid)
