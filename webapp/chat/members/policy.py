"""Decide who may be written to or brought into a group chat, and who must accept first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from webapp.accounts import keys as account_keys, store as accounts
from webapp.accounts.store import Member
from webapp.chat.ids import direct_members
from webapp.config import Config
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.store import Db, Read, Site, collect, read, script
from webapp.following import keys as following_keys
from webapp.following.blocks import store as blocks

CHAT_QUOTA = script("chat/members/lua/chat_quota.lua")


@dataclass(frozen=True, slots=True)
class InviteCheck:
    """Uids of those who must accept first, as they do not follow the inviter; and of bots.

    Bots never have to accept.
    """

    must_accept: tuple[int, ...] = ()
    bots: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Quota:
    """The number of a member's chats, and of requests that wait for their answer."""

    chats: int
    requests: int


def check_invitees(
    site: Site, uid: int, invitees: Sequence[int], is_new_chat: bool = True
) -> InviteCheck:
    """Return which of `invitees` must accept before they belong to a chat.

    With `is_new_chat` they must take new chats from `uid`, and it must fit on their lists. At most
    three trips, none without invitees. Raises NotFound; Forbidden if a block is between them, or
    between their bots' owners, or they do not take it; Conflict if a list is full.
    """
    if not invitees:
        return InviteCheck()
    members, followers, senders, quotas = site.db.fetch(
        accounts.get_many([uid, *invitees]),
        collect(_follows(invitee, uid) for invitee in invitees),
        collect(map(_chats_from, invitees)),
        collect(map(_quota, invitees)),
    )
    people = [members[invitee] for invitee in invitees if invitee in members]
    if uid not in members or len(people) < len(invitees):
        raise NotFound("no_member")
    if any(member.suspended for member in people) or _any_block(site.db, members[uid], people):
        raise Forbidden("cannot_write_them")
    bots = tuple(member.uid for member in people if member.bot_owner)
    strangers = [
        invitee for invitee, follows in zip(invitees, followers, strict=True) if not follows
    ]
    must_accept = tuple(invitee for invitee in strangers if invitee not in bots)
    if is_new_chat:
        if not all(map(_takes_chat, senders, followers)):
            raise Forbidden("cannot_write_them")
        _require_quotas(site.config, dict(zip(invitees, quotas, strict=True)), must_accept)
    return InviteCheck(must_accept, bots)


def require_chat_quota(site: Site, uid: int) -> None:
    """Raise Conflict if a member has as many chats as anybody may. One trip."""
    if site.db.read(_quota(uid)).chats >= site.config.chats_max:
        raise Conflict("chats_full")


def is_blocked(db: Db, uid: int, other_uid: int) -> bool:
    """Return True if one member blocks the other, or a bot's owner. Two trips."""
    members = db.read(accounts.get_many((uid, other_uid)))
    return len(members) == 2 and _any_block(db, members[uid], [members[other_uid]])


def lets_in(db: Db, maker_uid: int, uid: int) -> bool:
    """Return True if an invitation of its maker leads a member in. At most three trips.

    Not that of a suspended or deleted member, and not past a block.
    """
    members = db.read(accounts.get_many((uid, maker_uid)))
    maker = members.get(maker_uid)
    if maker is None or maker.suspended or uid not in members:
        return False
    return not _any_block(db, members[uid], [maker])


def direct_block(cid: str) -> Read[bool]:
    """Read whether one member of a direct chat blocks the other. False for a group chat."""
    pairs = permutations(direct_members(cid) or (), 2)
    return collect(
        read(("ZSCORE", following_keys.blocks(blocker), blocked), lambda score: score is not None)
        for blocker, blocked in pairs
    ).map(any)


def _any_block(db: Db, actor: Member, people: Iterable[Member]) -> bool:
    """Return True if there is a block between the actor or their owner, and people or theirs."""
    their_uids = {uid for member in people for uid in (member.uid, member.bot_owner) if uid}
    own_uids = [uid for uid in (actor.uid, actor.bot_owner) if uid]
    return any(blocks.blocked_either_way(db, uid, their_uids - {uid}) for uid in own_uids)


def _require_quotas(
    config: Config, quotas: Mapping[int, Quota], must_accept: Sequence[int]
) -> None:
    for uid, quota in quotas.items():
        if uid in must_accept:
            is_full = quota.requests >= config.chat_requests_max
        else:
            is_full = quota.chats >= config.chats_max
        if is_full:
            raise Conflict("their_chats_full")


def _chats_from(uid: int) -> Read[str]:
    """Read who may begin a chat with a member, as `About.chats_from`."""
    return read(("HGET", account_keys.user(uid), "chats_from"), lambda word: word or "")


def _takes_chat(chats_from: str, follows: bool) -> bool:
    return not chats_from or (chats_from == "followed" and follows)


def _follows(uid: int, target: int) -> Read[bool]:
    return read(("ZSCORE", following_keys.following(uid), target), lambda score: score is not None)


def _quota(uid: int) -> Read[Quota]:
    command = CHAT_QUOTA(uid=uid)
    return read(command, lambda reply: Quota(*reply))
