"""Projections of votes: who voted in each poll, and its tally. Safe to repeat."""

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event, more_after
from webapp.core.store import Command, script

from . import keys

SYNC_VOTE = script("statuses/polls/lua/sync_vote.lua")
BATCH = 500  # votes of one slice


def sync_votes(context: Context, events: Sequence[Event]) -> None:
    """Count the votes in the members' own records, however late."""
    votes = [(event, event.number("uid"), event.number("id")) for event in events]
    every_bits = context.db.trip_all(
        ("HGET", keys.member_votes(uid), status_id) for _, uid, status_id in votes
    )
    context.db.trip_all(
        _sync_vote(*vote, bits) for vote, bits in zip(votes, every_bits, strict=True) if bits
    )


def purge_deleted_account(context: Context, event: Event, _cursor: str) -> str | None:
    """Forget some votes of a deleted account. Tallies stay.

    Finished entries are taken off the member's record, so a new owner of the lease continues there.
    All votes were synced before.
    """
    uid = event.number("uid")
    ids = context.db.run(("HRANDFIELD", keys.member_votes(uid), BATCH))
    if ids:
        context.db.trip_all(_sync_vote(event, uid, int(status_id), "") for status_id in ids)
        context.db.run(("HDEL", keys.member_votes(uid), *ids))
    return more_after(ids, BATCH)


def _sync_vote(event: Event, uid: int, status_id: int, bits: str) -> Command:
    return SYNC_VOTE(event, status_id=status_id, uid=uid, bits=bits)
