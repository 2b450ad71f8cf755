"""A status that a member wants to do something with: whether it is there, and for them."""

from __future__ import annotations

from typing import NamedTuple

from .. import keys
from ..accounts.store import Member, member_command, member_from
from ..db import Command, Db
from ..errors import Forbidden, NotFound, Refused
from .answerers import unpack_rule
from .seeing import Between
from .visibility import Visibility, unpack


class Aim(NamedTuple):
    """Its author, how visible it is; the statuses above it, its poll and who may reply, as they are stored; and whether
    the member is among these.
    """

    author: Member
    visibility: Visibility
    above: str | None
    poll: str | None
    may: str | None
    among: bool


def aimed(db: Db, uid: int, status_id: int, refusal: str) -> Aim:
    """A status that a member wants to answer, to like or to vote in. Two trips. Raises NotFound, also where it is not
    for them; Forbidden when its author is suspended or, with this refusal, blocks them.
    """
    wanted = ("author", "above", "vis", "who", "poll", "may")
    by, above, vis, who, poll, may = db.run(("HMGET", keys.status(status_id), *wanted))
    if by is None:
        raise NotFound("no_status")
    author, visibility, rule = int(by), Visibility(vis or ""), unpack_rule(may)
    # The author's own list of blocks: the member's list of blockers comes after it.
    ties: list[Command] = [("ZSCORE", keys.blocks(author), uid), ("ZSCORE", keys.following(uid), author)]
    fields, blocked, followed, *among = db.trip(member_command(author), *ties, *rule.commands(uid))
    member = member_from(author, fields)
    between = Between(uid, follows=frozenset({author} if followed else ()))
    if member is None or not between.may_see(author, visibility, unpack(who)):
        raise NotFound("no_status")
    if member.suspended:
        raise Forbidden("suspended")
    if blocked:
        raise Forbidden(refusal)
    return Aim(member, visibility, above, poll, may, rule.admits(uid, among))


def foreign(db: Db, status_id: int) -> Refused:
    """Why a member may not change a status that is not theirs. Of what not everybody may see it is not told that it
    exists (limited.lua says the same). One trip.
    """
    author, vis = db.run(("HMGET", keys.status(status_id), "author", "vis"))
    there = author and not Visibility(vis or "").limited
    return Forbidden("not_yours") if there else NotFound("no_status")
