"""Who may be written to or brought into a group, and who has to be asked first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.accounts.store import Member, member_command, member_from
from webapp.chat import keys as chat_keys
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.errors import Conflict, Forbidden, NotFound
from webapp.following import keys as following_keys
from webapp.following.blocks import store as blocks

CHAT_QUOTA = script("chat/members/lua/chat_quota.lua")


@dataclass(frozen=True, slots=True)
class InviteCheck:
    """Those who are brought into a chat: of them `asked` do not follow whoever brings them, and answer first; nobody
    asks `bots`.
    """

    must_accept: tuple[int, ...] = ()
    bots: tuple[int, ...] = ()


def check_invitees(
    db: Db, config: Config, uid: int, invitees: Sequence[int], is_new_chat: bool = True
) -> InviteCheck:
    """Who of these has to be asked, if they may come at all. `new`: the chat will be one more on their lists. Two
    trips. Raises NotFound; Forbidden where there is a block between them, or one between their bots' owners; Conflict
    for whose lists are full.
    """
    if not invitees:
        return InviteCheck()
    count = len(invitees)
    replies = db.trip(
        *map(member_command, invitees),
        *(("ZSCORE", following_keys.following(other), uid) for other in invitees),
        *map(_chat_quota_command, invitees),
        member_command(uid),
    )
    members = [
        member
        for other, reply in zip(invitees, replies, strict=False)
        if (member := member_from(other, reply))
    ]
    actor = member_from(uid, replies[-1])
    if actor is None or len(members) < count:
        raise NotFound("no_member")
    if any(member.suspended for member in members) or _any_block(db, actor, members):
        raise Forbidden("cannot_write_them")
    bots = tuple(member.uid for member in members if member.bot_owner)
    follows = dict(zip(invitees, replies[count : 2 * count], strict=True))
    must_accept = tuple(other for other in invitees if not follows[other] and other not in bots)
    if is_new_chat:
        _require_quotas(
            config, dict(zip(invitees, replies[2 * count : -1], strict=True)), must_accept
        )
    return InviteCheck(must_accept, bots)


def require_chat_quota(db: Db, config: Config, uid: int) -> None:
    """Raises Conflict for a member who has as many chats as anyone may. One trip."""
    if db.run(_chat_quota_command(uid))[0] >= config.chats_max:
        raise Conflict("chats_full")


def is_blocked(db: Db, uid: int, other_uid: int) -> bool:
    """Whether one of two blocks the other, or the other's owner where that is a bot. Two trips."""
    replies = db.trip(member_command(uid), member_command(other_uid))
    members = [
        member
        for who, reply in zip((uid, other_uid), replies, strict=True)
        if (member := member_from(who, reply))
    ]
    return len(members) == 2 and _any_block(db, members[0], members[1:])


def _any_block(db: Db, actor: Member, other_members: Sequence[Member]) -> bool:
    """Whether there is a block between anybody of the one side, with their owner, and anybody of the other."""
    their_uids = {who for member in other_members for who in (member.uid, member.bot_owner) if who}
    own_uids = [who for who in (actor.uid, actor.bot_owner) if who]
    return any(blocks.blocked_either_way(db, who, their_uids - {who}) for who in own_uids)


def _require_quotas(
    config: Config, quotas: dict[int, list[int]], must_accept: Sequence[int]
) -> None:
    for uid, (chat_count, request_count) in quotas.items():
        if (
            request_count >= config.chat_requests_max
            if uid in must_accept
            else chat_count >= config.chats_max
        ):
            raise Conflict("their_chats_full")


def _chat_quota_command(uid: int) -> Command:
    return CHAT_QUOTA(
        member_chats=chat_keys.member_chats(uid), chat_state=chat_keys.member_chat_state(uid)
    )
