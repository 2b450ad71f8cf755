"""A status that a member wants to do something with: whether it is there, and for them."""

from __future__ import annotations

from typing import NamedTuple

from .. import keys
from ..accounts.quoting import Quoting
from ..accounts.store import Member, member_command, member_from
from ..db import Command, Db
from ..errors import Forbidden, NotFound, Refused
from .answerers import unpack_rule
from .seeing import Between
from .visibility import Visibility, unpack, visible


class Aim(NamedTuple):
    """Its author, how visible it is; the statuses above it, its poll and who may reply, as they are stored; whether who
    wants something is among these, and whether they follow its author; and who may quote it.
    """

    author: Member
    visibility: Visibility
    above: str | None
    poll: str | None
    may: str | None
    among: bool
    followed: bool
    quoting: Quoting


def aimed(db: Db, uid: int, status_id: int, refusal: str) -> Aim:
    """A status that a member wants to answer, to like, to vote in or to quote. Two trips. Raises NotFound, also where
    it is not for them; Forbidden when its author is suspended or, with this refusal, where one blocks the other.
    """
    wanted = ("author", "above", "vis", "who", "poll", "may", "quoting")
    by, above, vis, who, poll, may, quoting = db.run(("HMGET", keys.status(status_id), *wanted))
    if by is None:
        raise NotFound("no_status")
    author, rule = int(by), unpack_rule(may)
    # The author's own list of blocks: the member's list of blockers comes after it.
    ties: list[Command] = [("ZSCORE", keys.blocks(author), uid)]
    ties += [("ZSCORE", of(uid), author) for of in (keys.blocks, keys.following)]
    fields, blocked, blocking, followed, *among = db.trip(member_command(author), *ties, *rule.commands(uid))
    member = member_from(author, fields)
    between = Between(uid, follows=frozenset({author} if followed else ()))
    if member is None or not between.may_see(author, visibility := visible(vis, member), unpack(who)):
        raise NotFound("no_status")
    if member.suspended:
        raise Forbidden("suspended")
    if blocked or blocking:
        raise Forbidden(refusal)
    return Aim(member, visibility, above, poll, may, rule.admits(uid, among), bool(followed), Quoting(quoting or ""))


def quotable(db: Db, uid: int, status_id: int) -> Aim:
    """A status that a member wants to quote. Two trips. Raises NotFound; Forbidden, besides, where not everybody may
    see it, or its author lets others quote it.
    """
    aim = aimed(db, uid, status_id, "cannot_quote")
    if aim.visibility.limited:
        raise Forbidden("not_for_quotes")
    if uid != aim.author.uid and aim.quoting is not Quoting.EVERYONE:
        if aim.quoting is Quoting.NOBODY:
            raise Forbidden("quoted_by_nobody")
        if not aim.followed:
            raise Forbidden("quoted_by_followers")
    return aim


def foreign(db: Db, status_id: int) -> Refused:
    """Why a member may not change a status that is not theirs. Of what not everybody may see it is not told that it
    exists (limited.lua says the same). Two trips, one where it is gone.
    """
    by, vis = db.run(("HMGET", keys.status(status_id), "author", "vis"))
    author = member_from(int(by), db.run(member_command(int(by)))) if by else None
    for_all = author and not visible(vis, author).limited
    return Forbidden("not_yours") if for_all else NotFound("no_status")
