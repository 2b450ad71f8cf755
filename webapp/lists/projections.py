"""Projections: lists that members are on, and the timelines of lists. All are safe to run twice."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys
from webapp.timelines.fanout.partitions import drain

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
        """The list as others name it."""
        return f"{self.owner}:{self.number}"


def sync_listed_on(context: Context, events: Sequence[Event]) -> None:
    """Bring the members' own lists of lists up to what the lists say.

    A status posted meanwhile may have missed the list, so its next visit rebuilds it. Members whose
    account is being deleted are removed from the list again.
    """
    memberships = [
        _Membership(int(event.data["uid"]), int(event.data["list"]), int(event.data["target"]))
        for event in events
    ]
    now = time.time()
    scores = context.db.trip(
        *(("ZSCORE", keys.list_members(one.owner, one.number), one.target) for one in memberships)
    )
    counts = context.db.trip(
        *(
            _sync_command(event, one, score)
            for event, one, score in zip(events, memberships, scores, strict=True)
        )
    )
    rebuilds = (
        ("ZADD", keys.active_lists(partition_of(one.owner)), "XX", f"{-now:.6f}", one.name)
        for one in memberships
    )
    removals = (
        _remove_member_command(event, one.owner, one.target)
        for event, one, count in zip(events, memberships, counts, strict=True)
        if count < 0
    )
    context.db.trip(*rebuilds, *removals)


def purge_deleted_list(context: Context, events: Sequence[Event]) -> None:
    """Remove deleted lists from their members' own lists of lists."""
    for event in events:
        owner, number = int(event.data["uid"]), int(event.data["list"])
        _remove_listed_on(context, owner, number, event.data["members"].split())


def on_block(context: Context, events: Sequence[Event]) -> None:
    """Remove both members of a block from each other's lists, unless the block is gone."""
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    scores = context.db.trip(
        *(("ZSCORE", following_keys.blocks(uid), target) for uid, target in pairs)
    )
    context.db.trip(
        *(
            _remove_member_command(event, owner, target)
            for event, (uid, other), score in zip(events, pairs, scores, strict=True)
            if score
            for owner, target in ((uid, other), (other, uid))
        )
    )


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Remove deleted accounts from all lists, and delete theirs.

    If the worker dies, the next one goes on where it stopped.
    """
    for event in events:
        uid = int(event.data["uid"])
        for names in drain(context, keys.listed_on(uid)):
            owners = sorted({int(name.partition(":")[0]) for name in names})
            context.db.trip(*(_remove_member_command(event, owner, uid) for owner in owners))
        for number in map(int, context.db.run(("ZRANGE", keys.lists(uid), 0, -1))):
            _delete_list(context, uid, number)
            context.heartbeat()
        context.db.run(("UNLINK", keys.home_excluded(uid)))


def _delete_list(context: Context, owner: int, number: int) -> None:
    """Delete a list of an account that is gone. Three trips."""
    members = context.db.run(("ZRANGE", keys.list_members(owner, number), 0, -1))
    _remove_listed_on(context, owner, number, members)
    context.db.trip(
        ("UNLINK", keys.list_(owner, number)),
        ("UNLINK", keys.list_members(owner, number)),
        ("UNLINK", keys.list_home(owner, number)),
        ("ZREM", keys.active_lists(partition_of(owner)), f"{owner}:{number}"),
        ("ZREM", keys.lists(owner), number),
    )


def _remove_listed_on(context: Context, owner: int, number: int, uids: Iterable[str]) -> None:
    """Remove a list from its members' own lists of lists. One trip."""
    context.db.trip(*(("ZREM", keys.listed_on(int(uid)), f"{owner}:{number}") for uid in uids))


def _sync_command(event: Event, membership: _Membership, score: str | None) -> Command:
    """Return the command that adds the list to the member's own, or removes it.

    `score`: when the member was added, None if they are not on the list.
    """
    target = membership.target
    source, token = event.fence
    return SYNC_MEMBER(
        fences=event_keys.fences(partition_tag(target)),
        followers=keys.listed_on(target),
        member=account_keys.user(target),
        source=source,
        token=token,
        uid=membership.name,
        followed_at=score or "",
        is_event=1,  # being protected keeps nobody off lists
        was_requested=1,
    )


def _remove_member_command(event: Event, owner: int, target: int) -> Command:
    """Return the command that removes a member from all lists of an owner."""
    p = partition_of(owner)
    source, token = event.fence
    return REMOVE_MEMBER(
        fences=event_keys.fences(partition_tag(owner)),
        lists=keys.lists(owner),
        list_prefix=keys.list_.prefix(p),
        members_prefix=keys.list_members.prefix(p),
        active=keys.active_lists(p),
        excluded=keys.home_excluded(owner),
        outbox=event_keys.outbox(p),
        source=source,
        token=token,
        uid=owner,
        target=target,
        partition=p,
        rid=event.rid,
    )
