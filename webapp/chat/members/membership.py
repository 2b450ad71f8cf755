"""Joining and leaving a group chat, adding and removing members, and who owns it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from webapp.accounts import store as accounts
from webapp.accounts.store import Member
from webapp.chat import keys as chat_keys
from webapp.chat.codec import from_unix_ms
from webapp.chat.ids import digest
from webapp.core.errors import Forbidden
from webapp.core.store import Db, Read, Site, read, script

from . import invitations, policy
from .group_chats import spaced

JOIN = script("chat/members/lua/join.lua")
ADD_MEMBERS = script("chat/members/lua/add_members.lua")
LEAVE = script("chat/members/lua/leave.lua")
SET_OWNER = script("chat/members/lua/set_owner.lua")


@dataclass(frozen=True, slots=True)
class Membership:
    """A member of a chat."""

    member: Member
    is_owner: bool
    joined_at: datetime


def join(site: Site, uid: int, cid: str, secret: str = "") -> None:
    """Join an open chat, or any group chat with the secret of an invitation. At most six trips.

    Joining again does nothing. Raises NotFound; Forbidden if the invitation is not valid, as in
    `require_maker`, or if an owner has removed the member; Conflict (full).
    """
    if site.db.read(is_member(cid, uid)):
        return
    policy.require_chat_quota(site, uid)
    if secret:
        require_maker(site.db, uid, cid, secret)
    site.run(JOIN, cid=cid, uid=uid, sha=digest(secret) if secret else "")


def require_maker(db: Db, uid: int, cid: str, secret: str) -> None:
    """Raise Forbidden if the maker of an invitation may not let a member in. At most four trips."""
    maker = db.read(invitations.creator(cid, secret))
    if maker and not policy.lets_in(db, maker, uid):
        raise Forbidden("chat_invite_bad")


def add(site: Site, uid: int, cid: str, member_uids: Sequence[int]) -> int:
    """Bring people into a group chat, and return how many of them are new.

    Those who do not follow the member must accept first. At most four trips. Raises NotFound,
    Forbidden, Conflict (full).
    """
    invite_check = policy.check_invitees(site, uid, member_uids)
    added = site.run(
        ADD_MEMBERS,
        cid=cid,
        uid=uid,
        invitees=spaced(member_uids),
        must_accept=spaced(invite_check.must_accept),
        bots=spaced(invite_check.bots),
    )
    return int(added)


def leave(site: Site, uid: int, cid: str) -> None:
    """Leave a group chat; do nothing if the member has left it. One trip.

    The last owner hands it over to its longest member who is not suspended. With the last member
    the chat is deleted. Raises NotFound.
    """
    remove(site, uid, cid, uid)


def remove(site: Site, uid: int, cid: str, member_uid: int) -> None:
    """Remove a member from a group chat, as an owner. One trip.

    Raises NotFound, Forbidden, Unavailable.
    """
    site.run(
        LEAVE,
        cid=cid,
        partition=chat_keys.chat_partition(cid),
        uid=uid,
        member=member_uid,
        account_deleted=0,
    )


def promote(db: Db, uid: int, cid: str, member_uid: int) -> None:
    """Make a member an owner, as an owner. One trip. Raises NotFound, Forbidden."""
    db.run(SET_OWNER(cid=cid, uid=uid, member=member_uid, promote=1))


def demote(db: Db, uid: int, cid: str, member_uid: int) -> None:
    """Make an owner a plain member, as an owner. One trip.

    Raises NotFound, Forbidden, and Conflict for the last owner.
    """
    db.run(SET_OWNER(cid=cid, uid=uid, member=member_uid, promote=0))


def is_member(cid: str, uid: int) -> Read[bool]:
    """Read whether somebody belongs to a chat."""
    return read(("ZSCORE", chat_keys.chat_members(cid), uid), lambda score: score is not None)


def list_members(db: Db, cid: str) -> list[Membership]:
    """Return the members of a chat, in the order they came, without deleted accounts. Two trips."""
    owners = read(("SMEMBERS", chat_keys.chat_owners(cid)), lambda uids: set(map(int, uids)))
    joined_at, owner_uids = db.fetch(_joined_at(cid), owners)
    members = db.read(accounts.get_many(joined_at))
    return [
        Membership(member, uid in owner_uids, joined_at[uid]) for uid, member in members.items()
    ]


def _joined_at(cid: str) -> Read[dict[int, datetime]]:
    def parse(flat: Sequence[str]) -> dict[int, datetime]:
        pairs = zip(flat[::2], flat[1::2], strict=True)
        return {int(uid): from_unix_ms(int(joined_us) // 1000) for uid, joined_us in pairs}

    return read(("ZRANGE", chat_keys.chat_members(cid), 0, -1, "WITHSCORES"), parse)
