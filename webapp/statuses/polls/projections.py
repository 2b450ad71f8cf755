"""What votes do elsewhere: who voted in a poll, and what was counted. Safe to run twice."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys

from . import keys

SYNC = script("statuses/polls/lua/sync_vote.lua")
BATCH = 500  # votes of a deleted account that are looked at in one trip


def sync_votes(context: Context, events: Sequence[Event]) -> None:
    """Counts the votes that the members' own records tell, however late. What is gone counts none."""
    votes = [(event, int(event.data["uid"]), int(event.data["id"])) for event in events]
    vote_bits = context.db.trip(
        *(("HGET", keys.member_votes(uid), status_id) for _, uid, status_id in votes)
    )
    context.db.trip(
        *(_sync_command(*pair, bits) for pair, bits in zip(votes, vote_bits, strict=True) if bits)
    )


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts leave the lists of who voted; what a poll has come to stays. What is done is taken off their own
    record, so that a new owner goes on where the last one stopped. In the group that mirrors, or a vote might be
    mirrored after this.
    """
    for event in events:
        uid = int(event.data["uid"])
        ids = context.db.run(("HKEYS", keys.member_votes(uid)))
        for page in (ids[start : start + BATCH] for start in range(0, len(ids), BATCH)):
            context.db.trip(*(_sync_command(event, uid, int(status_id), "") for status_id in page))
            context.db.run(("HDEL", keys.member_votes(uid), *page))
            context.heartbeat()


def _sync_command(event: Event, uid: int, status_id: int, bits: str) -> Command:
    names = [
        event_keys.fences(partition_tag(status_id)),
        status_keys.status(status_id),
        keys.votes(status_id),
    ]
    return SYNC(names, *event.fence, uid, bits)
