"""Projections: the lists of those who are invited and of who invites, and notifications.

Safe to run twice.
"""

from collections.abc import Sequence

from webapp.community.groups import keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Command
from webapp.notifications.notices import Notice, sync_notices

INVITED_TO_MAX = 100
INVITED_MAX = 500


def sync_invitations(context: Context, events: Sequence[Event]) -> None:
    """Bring both lists of each invitation up to date, then the notification. Five trips at most."""
    invited = [(event, int(uid)) for event in events for uid in event.data["uids"].split()]
    stored = context.db.trip(
        *(
            ("HGET", keys.group_invitations(event.number("group")), f"@{uid}")
            for event, uid in invited
        )
    )
    commands: list[Command] = []
    for (event, uid), invitation in zip(invited, stored, strict=True):
        commands += _list_commands(event.number("group"), uid, event.number("by"), invitation)
    context.db.trip(*commands)
    sync_notices(context, [_notice(event, uid) for event, uid in invited])


def _list_commands(gid: int, uid: int, by: int, invitation: str | None) -> list[Command]:
    """Return the commands that bring the lists of both members up to date."""
    to_key, by_key, entry = keys.invited_to(uid), keys.group_invited(by), f"{gid}:{uid}"
    if invitation is None:
        return [("ZREM", to_key, gid), ("ZREM", by_key, entry)]
    _, ends, inviter = invitation.split()
    own: Command = ("ZADD", by_key, ends, entry) if int(inviter) == by else ("ZREM", by_key, entry)
    return [
        ("ZADD", to_key, ends, gid),
        ("ZREMRANGEBYRANK", to_key, 0, -INVITED_TO_MAX - 1),
        own,
        ("ZREMRANGEBYRANK", by_key, 0, -INVITED_MAX - 1),
    ]


def _notice(event: Event, uid: int) -> Notice:
    gid, by = event.number("group"), event.number("by")
    return Notice(event, "invited", by, uid, gid, keys.group_invited(by), f"{gid}:{uid}")
