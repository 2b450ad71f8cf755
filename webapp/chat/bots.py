"""Bots: accounts without a password that a member owns and speaks for, by access tokens and webhooks.

A bot is a member like others, but for `Member.bot`, the uid of its owner. It lives in its own partition; the owner's
list of bots lies in the owner's. A place there is taken first, so that a crash between the two leaves one that is given
on after a minute.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from .. import keys
from ..accounts import profile, standing
from ..accounts.store import Member, create, find_all, find_uid, member_command, member_from
from ..config import Config
from ..db import Db
from ..errors import Conflict, NotFound, Refused
from ..events import Context, Event
from ..scripts import script
from . import membership, reading
from .store import Chat

MAKE = script("chat/make_bot.lua")
UNBOUNDED = 2**53  # of an outbox that takes an event however many wait


def make(db: Db, config: Config, uid: int, login: str, name: str) -> Member:
    """Makes a bot of a member. Raises Conflict when the name is taken or at BOTS_MAX, Forbidden for a bot or a
    suspended member, NotFound, Unavailable.
    """
    entries = db.run(("ZRANGE", keys.bots(uid), 0, -1))
    there = _members(db, entries)
    if len(list(filter(None, there))) >= config.bots_max:  # soon enough to use up no id; so is a name that is taken
        raise Conflict("bots_full")
    if find_all(db, [login]):
        raise Conflict("taken")
    bot = db.run(("INCR", keys.uids()))
    gone = [entry for entry, member in zip(entries, there, strict=True) if member is None]
    db.run(MAKE([keys.bots(uid), keys.user(uid)], uid, bot, config.bots_max, *gone))
    try:
        made = create(db, config, bot, login, name, "", owner=uid)
    except Refused as refusal:
        if refusal.code != "store_down":  # certainly not made
            db.run(("ZREM", keys.bots(uid), bot))
        raise
    if db.run(("ZSCORE", keys.bots(uid), bot)) is None:  # its owner was deleted meanwhile, and their bots with them
        standing.remove(db, config, bot, None)
        raise NotFound("no_member")
    return made


def listed(db: Db, uid: int) -> list[Member]:
    """The bots of a member, the newest first. Two trips."""
    found = _members(db, db.run(("ZRANGE", keys.bots(uid), 0, -1, "REV")))
    return [member for member in found if member and member.bot == uid]


def owned(db: Db, uid: int, login: str) -> Member:
    """The member's bot of this name. Raises NotFound for a bot of somebody else too."""
    with suppress(NotFound):
        number = find_uid(db, login)
        bot = member_from(number, db.run(member_command(number)))
        if bot and bot.bot == uid:
            return bot
    raise NotFound("no_bot")


def rename(db: Db, config: Config, uid: int, login: str, name: str) -> None:
    """Calls the member's bot of this login otherwise. Raises NotFound, Forbidden, Unavailable."""
    profile.edit(db, config, owned(db, uid, login).uid, {"name": name})


def remove(db: Db, config: Config, uid: int, login: str) -> None:
    """Deletes the member's bot of this name: its account, and what it owned by the worker. Raises NotFound,
    Unavailable.
    """
    bot = owned(db, uid, login)
    standing.remove(db, config, bot.uid, None)
    db.run(("ZREM", keys.bots(uid), bot.uid))


def groups(db: Db, bot: int) -> list[Chat]:
    """The groups a bot belongs to, the one that was written to last first. Three trips."""
    return [row.chat for row in reading.listing(db, bot) if not row.chat.direct]


def leave(db: Db, config: Config, uid: int, login: str, cid: str) -> None:
    """Takes the member's bot of this name out of a group; again is no change. Raises NotFound, Unavailable."""
    membership.leave(db, config, owned(db, uid, login).uid, cid)


def dissolve(context: Context, events: Sequence[Event]) -> None:
    """The bots of deleted accounts are deleted too. Safe to run twice."""
    # An event that waited for room in its own partition would wait for itself.
    config = replace(context.config, outbox_max=UNBOUNDED)
    for event in events:
        uid = int(event.data["uid"])
        for bot in context.db.run(("ZRANGE", keys.bots(uid), 0, -1)):
            with suppress(NotFound, Conflict):
                standing.remove(context.db, config, int(bot), None)
        context.db.run(("UNLINK", keys.bots(uid)))


def _members(db: Db, uids: Sequence[str]) -> list[Member | None]:
    replies = db.trip(*(member_command(int(uid)) for uid in uids))
    return [member_from(int(uid), reply) for uid, reply in zip(uids, replies, strict=True)]
