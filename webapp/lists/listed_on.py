"""Projections: the lists that each member is on, all of them and the public ones.

The lists' own members are the truth. All are safe to run twice.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.core.events.outbox import Context, Event
from webapp.core.store import Command, partition_of, script
from webapp.core.store.schema import MemberKey

from . import keys

SYNC_MEMBER = script("following/lua/sync_follower.lua")
REMOVE_MEMBER = script("lists/lua/remove_member.lua")


@dataclass(frozen=True, slots=True)
class _Membership:
    """A list (its owner and number), and the member that an event says is on it or not."""

    owner: int
    number: int
    target: int

    @property
    def name(self) -> str:
        """Return the name of the list in stored entries: `owner:number`."""
        return f"{self.owner}:{self.number}"


def sync_listed_on(context: Context, events: Sequence[Event]) -> None:
    """Bring the members' own lists of lists up to date with the lists.

    A status posted meanwhile may have missed the list, so its next visit rebuilds it. Members whose
    account is being deleted are removed from the list again.
    """
    memberships = [
        _Membership(event.number("uid"), event.number("list"), event.number("target"))
        for event in events
    ]
    now = time.time()
    counts = _sync(context, list(zip(events, memberships, strict=True)))
    rebuilds = (
        ("ZADD", keys.active_lists(partition_of(one.owner)), "XX", f"{-now:.6f}", one.name)
        for one in memberships
    )
    removals = (
        remove_member_command(event, one.owner, one.target)
        for event, one, count in zip(events, memberships, counts, strict=True)
        if count < 0
    )
    context.db.trip(*rebuilds, *removals)


def sync_public_lists(context: Context, events: Sequence[Event]) -> None:
    """Bring the members of changed lists up to whether everybody may see the list."""
    for event in events:
        owner, number = event.number("uid"), event.number("list")
        uids = context.db.run(("ZRANGE", keys.list_members(owner, number), 0, -1))
        _sync(context, [(event, _Membership(owner, number, int(uid))) for uid in uids])


def remove_listed_on(context: Context, owner: int, number: int, uids: Iterable[str]) -> None:
    """Remove a list from its members' own lists of lists. One trip."""
    context.db.trip_all(
        ("ZREM", key(int(uid)), f"{owner}:{number}")
        for uid in uids
        for key in (keys.listed_on, keys.publicly_listed_on)
    )


def remove_member_command(event: Event, owner: int, target: int) -> Command:
    """Return the command that removes a member from all lists of an owner."""
    return REMOVE_MEMBER(event, uid=owner, target=target)


def _sync(context: Context, memberships: Sequence[tuple[Event, _Membership]]) -> list[int]:
    """Sync members' own lists of lists. Return how many each has, below 0 without an account.

    Two trips.
    """
    replies = context.db.trip(
        *(
            ("ZSCORE", keys.list_members(one.owner, one.number), one.target)
            for _, one in memberships
        ),
        *(("HGET", keys.list_(one.owner, one.number), "private") for _, one in memberships),
    )
    scores, private_flags = replies[: len(memberships)], replies[len(memberships) :]
    counts = context.db.trip(
        *(
            _sync_command(event, one, score, keys.listed_on)
            for (event, one), score in zip(memberships, scores, strict=True)
        ),
        *(
            _sync_command(event, one, None if private else score, keys.publicly_listed_on)
            for (event, one), score, private in zip(memberships, scores, private_flags, strict=True)
        ),
    )
    return counts[: len(memberships)]


def _sync_command(
    event: Event, membership: _Membership, score: str | None, key: MemberKey
) -> Command:
    """Return the command that adds the list to the member's `key`, or removes it.

    `score`: when the member was added, None if they are not on the list.
    """
    target = membership.target
    return SYNC_MEMBER(
        event,
        followers=key(target),
        target=target,
        uid=membership.name,
        followed_at=score or "",
        is_event=1,  # being protected keeps nobody off lists
        was_requested=1,
    )
