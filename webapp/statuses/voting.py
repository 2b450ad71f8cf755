"""Voting in polls, and their end. The member's own record is the truth; who voted and what was counted is projected."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from contextlib import suppress

from .. import keys
from ..config import Config
from ..db import Db
from ..errors import Forbidden, Invalid, NotFound, Unavailable
from ..events import trace
from ..ids import partition_of
from ..scripts import script
from .aims import aimed
from .polls import MINUTES, to_bits, unpack_poll

VOTE = script("statuses/vote.lua")
END = script("statuses/end_poll.lua")
BATCH = 100  # polls of one partition that are ended in one go


def vote(db: Db, config: Config, uid: int, status_id: int, options: Collection[int]) -> None:
    """Votes in a status's poll for these options, by their places from 0; the same again is no change. Three trips.
    Raises NotFound, also where it is not for them; Invalid; Forbidden for its author, for a suspended member, where the
    author is suspended, or where one blocks the other; Conflict when they have voted otherwise, have voted too often
    lately, or it has ended; Unavailable.
    """
    aim = aimed(db, uid, status_id, "cannot_vote")
    poll = unpack_poll(aim.poll, status_id)
    if poll is None:
        raise NotFound("no_poll")
    if aim.author.uid == uid:
        raise Forbidden("own_poll")
    if not options or (len(options) > 1 and not poll.multiple) or not set(options) <= set(range(len(poll.options))):
        raise Invalid("bad_vote")
    p = partition_of(uid)
    names = [keys.voted(uid), keys.acted(uid), keys.outbox(p), keys.user(uid), keys.blocks(uid), keys.blockers(uid)]
    about = (uid, status_id, aim.author.uid, aim.poll, aim.visibility.value)
    bounds = (config.voted_max, max(MINUTES) * 60_000, p, config.outbox_max)
    db.run(VOTE(names, *about, to_bits(options), *bounds, *trace()))


def end_due(db: Db, config: Config, partitions: Iterable[int]) -> None:
    """Ends the polls of these partitions whose time is over, up to BATCH in each. Safe to do twice, and by two workers
    at once; what cannot be told now is for the next look.
    """
    bounds = ("-inf", int(time.time() * 1000), "BYSCORE", "LIMIT", 0, BATCH)
    held = list(partitions)
    found = db.trip(*(("ZRANGE", keys.ending(p), *bounds) for p in held))
    for p, due in zip(held, found, strict=True):
        for status_id in map(int, due):
            names = [keys.ending(p), keys.status(status_id), keys.outbox(p)]
            with suppress(Unavailable):
                db.run(END(names, status_id, p, config.outbox_max, *trace()))
