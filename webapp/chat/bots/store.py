"""A member's bots.

A bot is a member without a password; `Member.bot_owner` is the uid of its owner. It lives in its
own partition, its owner's list of bots in the owner's. A place on that list is reserved first, so a
crash between the two leaves a reservation that runs out after a minute.
"""

from contextlib import suppress

from webapp.accounts import (
    keys as account_keys,
    lifecycle,
    profile,
    registration,
    store as accounts,
)
from webapp.accounts.store import Member
from webapp.accounts.tokens import store as tokens
from webapp.chat.inbox import listing
from webapp.chat.members import membership
from webapp.chat.models import Chat
from webapp.core.errors import Conflict, NotFound, Refused
from webapp.core.store import Db, Read, Site, read, script

from . import keys

RESERVE_BOT = script("chat/bots/lua/reserve_bot.lua")


def create_bot(site: Site, uid: int, login: str, name: str) -> Member:
    """Make a bot of a member. Up to ten trips.

    Raises Conflict if the login is taken or the member has BOTS_MAX bots, Forbidden for a bot or a
    suspended member, NotFound.
    """
    bot_uid = _reserve(site, uid, login)
    try:
        bot = registration.create_account(site, bot_uid, login, name, "", bot_owner=uid)
    except Refused as refusal:
        if not refusal.may_have_run:
            site.db.run(("ZREM", keys.bots(uid), bot_uid))
        raise
    if site.db.run(("ZSCORE", keys.bots(uid), bot_uid)) is None:
        # The owner was deleted meanwhile, and their bots with them.
        lifecycle.delete_account(site, bot_uid, None)
        raise NotFound("no_member")
    return bot


def list_bots(db: Db, uid: int) -> list[Member]:
    """Return the bots of a member, newest first. Two trips."""
    members = db.read(accounts.get_many(reversed(db.read(bot_uids(uid)))))
    return [member for member in members.values() if member.bot_owner == uid]


def get_owned(db: Db, uid: int, login: str) -> Member:
    """Return the member's bot of this login. Two trips. Raises NotFound for anybody else's bot."""
    with suppress(NotFound):
        bot = accounts.get_by_login(db, login)
        if bot.bot_owner == uid:
            return bot
    raise NotFound("no_bot")


def rename(site: Site, uid: int, login: str, name: str) -> None:
    """Change the name of the member's bot. Raises NotFound, Forbidden."""
    profile.edit(site, get_owned(site.db, uid, login).uid, {"name": name})


def remove(site: Site, uid: int, login: str) -> None:
    """Delete the member's bot. The worker removes its data. Raises NotFound."""
    bot = get_owned(site.db, uid, login)
    lifecycle.delete_account(site, bot.uid, None)
    site.db.run(("ZREM", keys.bots(uid), bot.uid))


def group_chats(db: Db, bot_uid: int) -> list[Chat]:
    """Return the group chats of a bot, by their newest message, the newest first. Three trips."""
    return [row.chat for row in listing.inbox(db, bot_uid) if not row.chat.direct_members]


def leave_group(site: Site, uid: int, login: str, cid: str) -> None:
    """Take the member's bot out of a group chat, if it is in it. Raises NotFound."""
    membership.leave(site, get_owned(site.db, uid, login).uid, cid)


def create_token(site: Site, uid: int, bot: Member, name: str, session: str) -> str:
    """Create a token of the member's bot and return it. Two trips, three if that fails.

    `session` is the sha of the session that creates it; the bot lies in another partition, so the
    session is checked afterwards. Raises Conflict if it has ended or at TOKENS_MAX.
    """
    token = tokens.create(site, bot.uid, name)
    if not site.db.run(("EXISTS", account_keys.session(uid, session))):
        tokens.revoke(site, bot.uid, tokens.sha_of(token))
        raise Conflict("changed")
    return token


def _reserve(site: Site, uid: int, login: str) -> int:
    """Reserve a place on the owner's list, and return the uid of the new bot. Six trips.

    Raises Conflict, Forbidden, NotFound.
    """
    listed_uids = site.db.read(bot_uids(uid))
    existing = site.db.read(accounts.get_many(listed_uids))
    # The script checks again. Refusing here uses up no uid.
    if len(existing) >= site.config.bots_max:
        raise Conflict("bots_full")
    if accounts.get_many_by_login(site.db, [login]):
        raise Conflict("taken")
    bot_uid = int(site.db.run(("INCR", account_keys.last_uid())))
    site.run(
        RESERVE_BOT,
        uid=uid,
        bot=bot_uid,
        missing=[listed for listed in listed_uids if listed not in existing],
    )
    return bot_uid


def bot_uids(uid: int) -> Read[list[int]]:
    """Read the uids on a member's list of bots, oldest first. Some may have no account yet."""
    return read(("ZRANGE", keys.bots(uid), 0, -1), lambda uids: [int(one) for one in uids])
