"""Projections: the lists of those who are invited and of who invites, and notifications of groups.

Safe to run twice.
"""

from collections.abc import Iterator, Sequence

from webapp.accounts import keys as account_keys
from webapp.community.groups import keys
from webapp.core.events.outbox import SYNC_ENTRY, Context, Event
from webapp.core.store import Command
from webapp.notifications.notices import Notice, remove_command, sync_notices
from webapp.statuses.visibility import keys as group_keys

INVITED_TO_MAX = 100
INVITED_MAX = 500


def sync_invitations(context: Context, events: Sequence[Event]) -> None:
    """Bring both lists of each invitation up to date, then the notification. Five trips at most."""
    invited = [(event, int(uid)) for event in events for uid in event.data["uids"].split()]
    stored = context.db.trip_all(
        ("HGET", keys.group_invitations(event.number("group")), f"@{uid}") for event, uid in invited
    )
    context.db.trip_all(
        command
        for (event, uid), invitation in zip(invited, stored, strict=True)
        for command in _list_commands(event, uid, invitation)
    )
    sync_notices(context, [_notice(event, uid) for event, uid in invited])


def notify_accepted(context: Context, events: Sequence[Event]) -> None:
    """Notify members whose request to join was accepted, until they leave. Three trips at most.

    Their own lists of groups must be up to date.
    """
    changed = [
        (event, event.number("group"), int(uid), "accepted" in event.data)
        for event in events
        for uid in event.data["uids"].split()
    ]
    # A member who joins or leaves in another way keeps no notification of an earlier request.
    context.db.trip_all(
        remove_command(one, uid, "group_accepted", uid, gid)
        for one, gid, uid, new in changed
        if not new
    )
    sync_notices(
        context,
        [
            Notice(event, "group_accepted", uid, uid, gid, group_keys.groups(uid), gid)
            for event, gid, uid, accepted in changed
            if accepted
        ],
    )


def _list_commands(event: Event, uid: int, invitation: str | None) -> Iterator[Command]:
    """Yield the commands that bring the lists of both members up to date."""
    gid, by = event.number("group"), event.number("by")
    _, ends, inviter = (invitation or "  ").split(" ")
    own = ends if inviter == str(by) else ""
    for owner, key, entry, score, limit in (
        (uid, keys.invited_to(uid), gid, ends, INVITED_TO_MAX),
        (by, keys.group_invited(by), f"{gid}:{uid}", own, INVITED_MAX),
    ):
        account = account_keys.user(owner)
        yield SYNC_ENTRY(event, entries=key, account=account, entry=entry, score=score, limit=limit)


def _notice(event: Event, uid: int) -> Notice:
    gid, by = event.number("group"), event.number("by")
    return Notice(event, "invited", by, uid, gid, keys.group_invited(by), f"{gid}:{uid}")
