"""Projections of votes: who voted in each poll, and its tally. Safe to repeat."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys

from . import keys

SYNC_VOTE = script("statuses/polls/lua/sync_vote.lua")
BATCH = 500  # votes of a deleted account that are handled in one trip


def sync_votes(context: Context, events: Sequence[Event]) -> None:
    """Count the votes in the members' own records, however late."""
    votes = [(event, int(event.data["uid"]), int(event.data["id"])) for event in events]
    every_bits = context.db.trip(
        *(("HGET", keys.member_votes(uid), status_id) for _, uid, status_id in votes)
    )
    context.db.trip(
        *(_sync_vote(*vote, bits) for vote, bits in zip(votes, every_bits, strict=True) if bits)
    )


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Forget who voted of deleted accounts. Tallies stay.

    What is done is taken off the member's record, so a new owner of the lease goes on from there.
    It runs in the group that syncs, so no vote is synced after it.
    """
    for event in events:
        uid = int(event.data["uid"])
        ids = context.db.run(("HKEYS", keys.member_votes(uid)))
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            context.db.trip(*(_sync_vote(event, uid, int(status_id), "") for status_id in batch))
            context.db.run(("HDEL", keys.member_votes(uid), *batch))
            context.heartbeat()


def _sync_vote(event: Event, uid: int, status_id: int, bits: str) -> Command:
    source, token = event.fence
    return SYNC_VOTE(
        fences=event_keys.fences(partition_tag(status_id)),
        status=status_keys.status(status_id),
        votes=keys.votes(status_id),
        source=source,
        token=token,
        uid=uid,
        bits=bits,
    )
