"""Who belongs to a chat: making groups, joining, adding, leaving; and what owners may change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webapp.accounts.store import Member, member_command, member_from
from webapp.chat import keys as chat_keys
from webapp.chat.scripts import ChatScript
from webapp.chat.store import Draft, digest, from_unix_ms, to_stored
from webapp.config import Config
from webapp.core.events.outbox import request_id
from webapp.core.store.client import Db
from webapp.errors import Forbidden

from . import invitations
from . import policy as members_policy

CREATE = ChatScript("chat/members/lua/create_group.lua")
JOIN = ChatScript("chat/members/lua/join.lua")
ADD = ChatScript("chat/members/lua/add_members.lua")
LEAVE = ChatScript("chat/members/lua/leave.lua")
SET_OWNER = ChatScript("chat/members/lua/set_owner.lua")
CHANGE = ChatScript("chat/members/lua/edit_group.lua")
DESTROY = ChatScript("chat/members/lua/delete_group.lua")
CHANGEABLE = ("name", "topic", "picture", "shared", "keep", "kind")


@dataclass(frozen=True, slots=True)
class Membership:
    """A member of a chat."""

    member: Member
    is_owner: bool
    joined_at: datetime


def create(
    db: Db,
    config: Config,
    uid: int,
    kind: str,
    name: str,
    member_uids: Sequence[int],
    draft: Draft | None,
    key: str,
    topic: str = "",
    shared: bool = False,
) -> str:
    """Makes a group with its first members and message, and returns its id: the same again for the same key. Those who
    do not follow its maker are asked. Raises NotFound, Forbidden (blocked), Conflict (full), Unavailable.
    """
    member_uids = [other for other in dict.fromkeys(member_uids) if other != uid]
    invite_check = members_policy.check_invitees(db, config, uid, member_uids)
    members_policy.require_chat_quota(db, config, uid)
    cid = _allocate_cid(db, config, uid, key)
    db.run(
        CREATE(
            cid,
            uid=uid,
            kind=kind,
            name=name,
            topic=topic,
            shared=int(shared),
            invitees=_join_uids(member_uids),
            must_accept=_join_uids(invite_check.must_accept),
            bots=_join_uids(invite_check.bots),
            members_max=config.chat_members_max,
            body=to_stored(draft) if draft else "",
            history_max=config.chat_history,
            outbox_max=config.outbox_max,
            rid=request_id.get(),
        )
    )
    return cid


def join(db: Db, config: Config, uid: int, cid: str, secret: str = "") -> None:
    """Joins an open chat, or any group with an invitation's secret; again is no change. Raises NotFound, Forbidden when
    the invitation is not valid, or is of somebody with a block between them, or for whom an owner took out; Conflict
    (full), Unavailable.
    """
    members_policy.require_chat_quota(db, config, uid)
    if (
        secret
        and (creator_uid := invitations.get_creator(db, cid, secret))
        and members_policy.is_blocked(db, uid, creator_uid)
    ):
        raise Forbidden("chat_invite_bad")
    db.run(
        JOIN(
            cid,
            uid=uid,
            sha=digest(secret) if secret else "",
            members_max=config.chat_members_max,
            outbox_max=config.outbox_max,
            rid=request_id.get(),
        )
    )


def add(db: Db, config: Config, uid: int, cid: str, member_uids: Sequence[int]) -> None:
    """Brings others into a group; those who do not follow the one who adds them are asked. Raises NotFound, Forbidden,
    Conflict (full), Unavailable.
    """
    invite_check = members_policy.check_invitees(db, config, uid, member_uids)
    db.run(
        ADD(
            cid,
            uid=uid,
            invitees=_join_uids(member_uids),
            must_accept=_join_uids(invite_check.must_accept),
            bots=_join_uids(invite_check.bots),
            members_max=config.chat_members_max,
            outbox_max=config.outbox_max,
            rid=request_id.get(),
        )
    )


def leave(db: Db, config: Config, uid: int, cid: str) -> None:
    """Leaves a group; again is no change. The last owner hands over to whoever belongs to it longest, the last member
    takes everything along. Raises NotFound, Unavailable.
    """
    remove(db, config, uid, cid, uid)


def remove(db: Db, config: Config, uid: int, cid: str, member_uid: int) -> None:
    """Takes a member out of a group, as an owner. Raises NotFound, Forbidden, Unavailable."""
    db.run(
        LEAVE(
            cid,
            uid=uid,
            member=member_uid,
            account_deleted=0,
            outbox_max=config.outbox_max,
            rid=request_id.get(),
        )
    )


def promote(db: Db, config: Config, uid: int, cid: str, member_uid: int) -> None:
    """Makes a member an owner, as one. Raises NotFound, Forbidden."""
    db.run(SET_OWNER(cid, uid=uid, member=member_uid, promote=1))


def demote(db: Db, config: Config, uid: int, cid: str, member_uid: int) -> None:
    """Makes an owner a member like others; not the last one. Raises NotFound, Forbidden, Conflict."""
    db.run(SET_OWNER(cid, uid=uid, member=member_uid, promote=0))


def change(db: Db, config: Config, uid: int, cid: str, **fields: Any) -> None:
    """Changes fields of a group (CHANGEABLE), as an owner. Raises NotFound, Forbidden, Unavailable."""
    assert fields and set(fields) <= set(CHANGEABLE)
    flat_fields = [
        part
        for name, value in fields.items()
        for part in (name, int(value) if name == "shared" else value)
    ]
    db.run(
        CHANGE(
            cid,
            uid=uid,
            outbox_max=config.outbox_max,
            rid=request_id.get(),
            fields=flat_fields,
        )
    )


def destroy(db: Db, config: Config, uid: int, cid: str) -> None:
    """Deletes a group with all that is in it, as an owner. Raises NotFound, Forbidden, Unavailable."""
    db.run(DESTROY(cid, uid=uid, outbox_max=config.outbox_max, rid=request_id.get()))


def list_members(db: Db, cid: str) -> list[Membership]:
    """Who belongs to a chat, in the order they came; without those whose accounts are gone. Two trips."""
    flat, owner_uids = db.trip(
        ("ZRANGE", chat_keys.chat_members(cid), 0, -1, "WITHSCORES"),
        ("SMEMBERS", chat_keys.chat_owners(cid)),
    )
    joined_at = {
        int(uid): from_unix_ms(int(score) // 1000)
        for uid, score in zip(flat[::2], flat[1::2], strict=True)
    }
    replies = db.trip(*map(member_command, joined_at))
    people = [
        (member_from(uid, reply), at)
        for (uid, at), reply in zip(joined_at.items(), replies, strict=True)
    ]
    return [
        Membership(member, str(member.uid) in owner_uids, at) for member, at in people if member
    ]


def _allocate_cid(db: Db, config: Config, uid: int, key: str) -> str:
    """The number of a new group; the same again for the same key, so that a retried form makes one."""
    number, idempotency_key = (
        db.run(("INCR", chat_keys.last_chat_id())),
        chat_keys.group_idempotency(uid, digest(key)),
    )
    previous = db.run(
        ("SET", idempotency_key, number, "NX", "GET", "EX", config.post_key_hours * 3600)
    )
    return str(previous or number)


def _join_uids(uids: Sequence[int]) -> str:
    return " ".join(map(str, uids))
