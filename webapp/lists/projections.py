"""Projections of lists that are deleted, or whose owners or members go. All are safe to repeat."""

from collections.abc import Sequence

from webapp.core.events.outbox import MORE, Context, Event, more_after, own_entries
from webapp.core.store import partition_of
from webapp.following import keys as following_keys
from webapp.timelines import keys as timeline_keys

from . import keys
from .listed_on import remove_listed_on, remove_member_command

BATCH = 500  # lists that a deleted account is taken off in one slice


def purge_deleted_list(context: Context, events: Sequence[Event]) -> None:
    """Remove deleted lists from their members' own lists of lists."""
    for event in events:
        owner, number = event.number("uid"), event.number("list")
        remove_listed_on(context, owner, number, event.data["members"].split())


def on_block(context: Context, events: Sequence[Event]) -> None:
    """Remove both members of a block from each other's lists, unless the block is gone."""
    blocks = context.db.read(own_entries(events, following_keys.blocks))
    context.db.trip_all(
        remove_member_command(event, owner, target)
        for event, uid, other, score in blocks
        if score
        for owner, target in ((uid, other), (other, uid))
    )


def purge_memberships(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove a deleted account from some lists that it is on.

    Lists that are done leave the account's own, so another worker continues from there.
    """
    uid = event.number("uid")
    if names := context.db.run(("ZRANGE", keys.listed_on(uid), 0, BATCH - 1)):
        owners = sorted({int(name.partition(":")[0]) for name in names})
        context.db.trip_all(remove_member_command(event, owner, uid) for owner in owners)
        context.db.run(("ZREM", keys.listed_on(uid), *names))
    return more_after(names, BATCH)


def purge_lists(context: Context, event: Event, _cursor: str) -> str | None:
    """Delete one list of a deleted account."""
    uid = event.number("uid")
    for number in context.db.run(("ZRANGE", keys.lists(uid), 0, 0)):
        _delete_list(context, uid, int(number))
        return MORE
    context.db.trip(
        ("UNLINK", timeline_keys.home_excluded(uid)), ("UNLINK", keys.publicly_listed_on(uid))
    )
    return None


def _delete_list(context: Context, owner: int, number: int) -> None:
    """Delete a list of an account that is gone. Three trips."""
    members = context.db.run(("ZRANGE", keys.list_members(owner, number), 0, -1))
    remove_listed_on(context, owner, number, members)
    context.db.trip(
        ("UNLINK", keys.list_(owner, number)),
        ("UNLINK", keys.list_members(owner, number)),
        ("UNLINK", keys.list_home(owner, number)),
        ("ZREM", keys.active_lists(partition_of(owner)), f"{owner}:{number}"),
        ("ZREM", keys.lists(owner), number),
    )
