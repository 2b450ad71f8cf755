"""Bots: accounts without a password that a member owns and speaks for, by access tokens and webhooks.

A bot is a member like others, but for `Member.bot`, the uid of its owner. It lives in its own partition; the owner's
list of bots lies in the owner's. A place there is taken first, so that a crash between the two leaves one that is given
on after a minute.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle, profile, registration
from webapp.accounts.store import (
    Member,
    find_members,
    find_uid,
    member_command,
    member_from,
)
from webapp.chat.members import membership
from webapp.chat.messages import reading
from webapp.chat.store import Chat
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.scripts import script
from webapp.errors import Conflict, NotFound, Refused

from . import keys

CREATE_BOT = script("chat/bots/lua/reserve_bot.lua")
UNBOUNDED_OUTBOX = 2**53  # of an outbox that takes an event however many wait


def create_bot(db: Db, config: Config, uid: int, login: str, name: str) -> Member:
    """Makes a bot of a member. Raises Conflict when the name is taken or at BOTS_MAX, Forbidden for a bot or a
    suspended member, NotFound, Unavailable.
    """
    entries = db.run(("ZRANGE", keys.bots(uid), 0, -1))
    listed_bots = _load_members(db, entries)
    if (
        len(list(filter(None, listed_bots))) >= config.bots_max
    ):  # soon enough to use up no id; so is a name that is taken
        raise Conflict("bots_full")
    if find_members(db, [login]):
        raise Conflict("taken")
    bot_uid = db.run(("INCR", account_keys.last_uid()))
    stale_uids = [
        entry for entry, member in zip(entries, listed_bots, strict=True) if member is None
    ]
    db.run(
        CREATE_BOT(
            bots=keys.bots(uid),
            user=account_keys.user(uid),
            uid=uid,
            bot=bot_uid,
            limit=config.bots_max,
            missing=stale_uids,
        )
    )
    try:
        created = registration.create_account(db, config, bot_uid, login, name, "", bot_owner=uid)
    except Refused as refusal:
        if refusal.code != "store_down":  # certainly not made
            db.run(("ZREM", keys.bots(uid), bot_uid))
        raise
    if (
        db.run(("ZSCORE", keys.bots(uid), bot_uid)) is None
    ):  # its owner was deleted meanwhile, and their bots with them
        lifecycle.delete_account(db, config, bot_uid, None)
        raise NotFound("no_member")
    return created


def list_bots(db: Db, uid: int) -> list[Member]:
    """The bots of a member, the newest first. Two trips."""
    found = _load_members(db, db.run(("ZRANGE", keys.bots(uid), 0, -1, "REV")))
    return [member for member in found if member and member.bot_owner == uid]


def get_owned(db: Db, uid: int, login: str) -> Member:
    """The member's bot of this name. Raises NotFound for a bot of somebody else too."""
    with suppress(NotFound):
        bot_uid = find_uid(db, login)
        bot = member_from(bot_uid, db.run(member_command(bot_uid)))
        if bot and bot.bot_owner == uid:
            return bot
    raise NotFound("no_bot")


def rename(db: Db, config: Config, uid: int, login: str, name: str) -> None:
    """Calls the member's bot of this login otherwise. Raises NotFound, Forbidden, Unavailable."""
    profile.edit(db, config, get_owned(db, uid, login).uid, {"name": name})


def remove(db: Db, config: Config, uid: int, login: str) -> None:
    """Deletes the member's bot of this name: its account, and what it owned by the worker. Raises NotFound,
    Unavailable.
    """
    bot = get_owned(db, uid, login)
    lifecycle.delete_account(db, config, bot.uid, None)
    db.run(("ZREM", keys.bots(uid), bot.uid))


def groups(db: Db, bot_uid: int) -> list[Chat]:
    """The groups a bot belongs to, the one that was written to last first. Three trips."""
    return [row.chat for row in reading.inbox(db, bot_uid) if not row.chat.direct_members]


def leave_group(db: Db, config: Config, uid: int, login: str, cid: str) -> None:
    """Takes the member's bot of this name out of a group; again is no change. Raises NotFound, Unavailable."""
    membership.leave(db, config, get_owned(db, uid, login).uid, cid)


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """The bots of deleted accounts are deleted too. Safe to run twice."""
    # An event that waited for room in its own partition would wait for itself.
    config = replace(context.config, outbox_max=UNBOUNDED_OUTBOX)
    for event in events:
        uid = int(event.data["uid"])
        for bot in context.db.run(("ZRANGE", keys.bots(uid), 0, -1)):
            with suppress(NotFound, Conflict):
                lifecycle.delete_account(context.db, config, int(bot), None)
        context.db.run(("UNLINK", keys.bots(uid)))


def _load_members(db: Db, uids: Sequence[str]) -> list[Member | None]:
    replies = db.trip(*(member_command(int(uid)) for uid in uids))
    return [member_from(int(uid), reply) for uid, reply in zip(uids, replies, strict=True)]
