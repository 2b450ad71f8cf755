"""Voting in polls, and ending them.

The member's own record is the truth. Who voted and the tally are projected from it.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress

from webapp.core.errors import Forbidden, Invalid, NotFound, Unavailable
from webapp.core.events.schedule.due import due_entries
from webapp.core.store import Site, script
from webapp.statuses.values.poll import MINUTES_MAX, Poll, pack_vote, unpack_poll
from webapp.statuses.visibility.targets import load_target

from . import keys

VOTE = script("statuses/polls/lua/vote.lua")
END_POLL = script("statuses/polls/lua/end_poll.lua")
BATCH = 100  # polls of one partition that are ended in one run


def vote(site: Site, uid: int, status_id: int, options: Collection[int]) -> bool:
    """Vote for options, by index from 0. Return False if the member has voted so already.

    Three trips.

    Raises NotFound, also if the status is not meant for the member, and Invalid.
    Raises Forbidden for its author, after a suspension of either, and across a block.
    Raises Conflict if the member has voted otherwise or too often, or the poll has ended.
    """
    target = load_target(site.db, uid, status_id, "cannot_vote")
    poll = NotFound.unless(unpack_poll(target.stored_poll, status_id), "no_poll")
    if target.author.uid == uid:
        raise Forbidden("own_poll")
    _require_valid(options, poll)
    voted = site.run(
        VOTE,
        uid=uid,
        id=status_id,
        author=target.author.uid,
        poll=target.stored_poll,
        visibility=target.visibility.value,
        group=target.group,
        bits=pack_vote(options),
        duration_ms=MINUTES_MAX * 60_000,
    )
    return bool(voted)


def close_due(site: Site, partitions: Iterable[int]) -> None:
    """End the polls of these partitions whose time is over, up to BATCH in each.

    Safe to repeat, and to run twice at the same time. A poll whose event cannot be emitted now is
    ended by a later run.
    """
    for partition, due in due_entries(site.db, keys.poll_deadlines, partitions, BATCH):
        for status_id in map(int, due):
            with suppress(Unavailable):
                site.run(END_POLL, partition=partition, id=status_id)


def _require_valid(options: Collection[int], poll: Poll) -> None:
    """Raise Invalid unless a poll can be answered with these options."""
    if not options or (len(options) > 1 and not poll.multiple):
        raise Invalid("bad_vote")
    if not set(options) <= set(range(len(poll.options))):
        raise Invalid("bad_vote")
