"""Make, list and cancel a member's own invitations, and note whom they brought.

Each is for one person and lasts a week. A used one counts until it expires, which bounds how many
people a member invites in a week.
"""

import time
from collections.abc import Sequence

from webapp.accounts import keys
from webapp.core.errors import NotFound, Refused
from webapp.core.events.outbox import SYNC_ENTRY, Context, Event
from webapp.core.store import Command, Read, Site, read, read_numbers, script

from . import invites

LIST_OWN = script("accounts/invitations/lua/list_own.lua")
CANCEL_UNUSED = script("accounts/invitations/lua/cancel_unused.lua")
INVITED_MAX = 500
LIFETIME_SECONDS = 7 * 86_400


def create(site: Site, uid: int, note: str) -> invites.Invite:
    """Make an invitation for one person. Three trips; another one if it is refused.

    Raises Conflict (INVITES_MAX reached), Forbidden for a suspended member.
    """
    invite = invites.create(site.db, 1, LIFETIME_SECONDS, note, uid)
    try:
        site.run(LIST_OWN, uid=uid, code=invite.code, expires=invite.expires.timestamp())
    except Refused:
        invites.cancel(site.db, invite.code)
        raise
    return invite


def expirations(uid: int) -> Read[invites.Expirations]:
    """Read a member's invitations that have not expired, the last to expire first."""
    bounds = ("+inf", time.time(), "BYSCORE", "REV", "WITHSCORES")
    return read(("ZRANGE", keys.own_invites(uid), *bounds), invites.parse_expirations)


def cancel(site: Site, uid: int, code: str) -> None:
    """Cancel an invitation that nobody has used. Three trips. Raises NotFound, Conflict."""
    NotFound.unless(site.db.run(("ZSCORE", keys.own_invites(uid), code)), "no_invite")
    site.run(CANCEL_UNUSED, code=code)
    site.db.trip(("ZREM", keys.invites(), code), ("ZREM", keys.own_invites(uid), code))


def cancel_all(context: Context, events: Sequence[Event]) -> None:
    """Cancel the invitations of members who were suspended or deleted. Two trips."""
    own = [keys.own_invites(event.number("uid")) for event in events]
    codes = context.db.trip_all(("ZRANGE", key, 0, -1) for key in own)
    commands = [
        command for found in codes for one in found for command in invites.cancel_commands(one)
    ]
    if commands:
        context.db.trip(*commands)


def list_invited(context: Context, events: Sequence[Event]) -> None:
    """Note for those who invited new members that they came. Two trips."""
    uids = [event.number("uid") for event in events]
    found = context.db.trip_all(("HMGET", keys.user(uid), "invited_by", "joined") for uid in uids)
    commands: list[Command] = [
        SYNC_ENTRY(
            event,
            entries=keys.invited_members(int(by)),
            account=keys.user(int(by)),
            entry=uid,
            score=joined,
            limit=INVITED_MAX,
        )
        for event, uid, (by, joined) in zip(events, uids, found, strict=True)
        if by
    ]
    if commands:
        context.db.trip(*commands)


def inviter_of(uid: int) -> Read[int]:
    """Read the uid of who made a member's invitation, 0 if nobody did."""
    return read(("HGET", keys.user(uid), "invited_by"), lambda by: int(by or 0))


def invited_by(uid: int, count: int) -> Read[list[int]]:
    """Read the newest members who signed up with invitations of a member."""
    return read_numbers(("ZRANGE", keys.invited_members(uid), 0, count - 1, "REV"))
