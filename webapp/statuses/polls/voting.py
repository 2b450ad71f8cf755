"""Voting in polls, and their end. The member's own record is the truth; who voted and what was counted is projected."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from contextlib import suppress

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script
from webapp.errors import Forbidden, Invalid, NotFound, Unavailable
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.visibility.targets import load_target

from . import keys
from .poll import DURATIONS_MINUTES, pack_vote, unpack_poll

VOTE = script("statuses/polls/lua/vote.lua")
END_POLL = script("statuses/polls/lua/end_poll.lua")
BATCH = 100  # polls of one partition that are ended in one go


def vote(db: Db, config: Config, uid: int, status_id: int, options: Collection[int]) -> None:
    """Votes in a status's poll for these options, by their places from 0; the same again is no change. Three trips.
    Raises NotFound, also where it is not for them; Invalid; Forbidden for its author, for a suspended member, where the
    author is suspended, or where one blocks the other; Conflict when they have voted otherwise, have voted too often
    lately, or it has ended; Unavailable.
    """
    target = load_target(db, uid, status_id, "cannot_vote")
    poll = unpack_poll(target.stored_poll, status_id)
    if poll is None:
        raise NotFound("no_poll")
    if target.author.uid == uid:
        raise Forbidden("own_poll")
    if (
        not options
        or (len(options) > 1 and not poll.multiple)
        or not set(options) <= set(range(len(poll.options)))
    ):
        raise Invalid("bad_vote")
    p = partition_of(uid)
    names = [
        keys.member_votes(uid),
        interaction_keys.recent_interactions(uid),
        event_keys.outbox(p),
        account_keys.user(uid),
        following_keys.blocks(uid),
        following_keys.blockers(uid),
    ]
    target_args = (uid, status_id, target.author.uid, target.stored_poll, target.visibility.value)
    bounds = (config.voted_max, max(DURATIONS_MINUTES) * 60_000, p, config.outbox_max)
    db.run(VOTE(names, *target_args, pack_vote(options), *bounds, *request_id_args()))


def close_due(db: Db, config: Config, partitions: Iterable[int]) -> None:
    """Ends the polls of these partitions whose time is over, up to BATCH in each. Safe to do twice, and by two workers
    at once; what cannot be told now is for the next look.
    """
    bounds = ("-inf", int(time.time() * 1000), "BYSCORE", "LIMIT", 0, BATCH)
    partition_list = list(partitions)
    due_lists = db.trip(*(("ZRANGE", keys.poll_deadlines(p), *bounds) for p in partition_list))
    for p, due in zip(partition_list, due_lists, strict=True):
        for status_id in map(int, due):
            names = [keys.poll_deadlines(p), status_keys.status(status_id), event_keys.outbox(p)]
            with suppress(Unavailable):
                db.run(END_POLL(names, status_id, p, config.outbox_max, *request_id_args()))
