"""The periodic job of suggestions: compute them for the members who are due.

A worker runs it for the partitions that it holds by lease. A computation that ends early leaves
its member without a list, or with the old one, and is repeated. Two that overlap write the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event, in_steps
from webapp.core.logs import going_on
from webapp.core.store import Db, Read, Site, Steps, partition_of, script, send_all

from . import keys
from .candidates import surroundings
from .checks import check, relations
from .popular import is_recent, last_status_ids
from .reasons import Suggestion, pack
from .scoring import ACTIVE_POINTS, rank

SAVE = script("explore/suggestions/lua/save.lua")
BATCH = 3  # members that one run computes: events of the partition wait meanwhile
CHECKED = 150  # the best candidates, of which the policy leaves some
SUGGESTIONS_MAX = 50
VISITORS = 100  # the last visitors of a partition that one run looks at
LATELY = 86_400  # seconds since a visit
FORGOTTEN = 7 * 86_400  # seconds after which a member who did not come back is no longer noted
EVERY = 86_400  # seconds between two computations for one member
TTL_SECONDS = 3 * 86_400  # seconds that suggestions outlive their computation
FOLLOWS = 3  # after so many follows, suggestions are computed again


def compute_due(site: Site, partition: int) -> int:
    """Compute suggestions for a few members who came lately; return for how many.

    Two trips, and six for each. Those who came last are first.
    """
    now = int(time.time())
    due = keys.due(partition)
    uids = site.db.read(_visitors(partition, now))
    scores = site.db.run(("ZMSCORE", due, *uids)) if uids else []
    wanted = [
        uid for uid, score in zip(uids, scores, strict=True) if score is None or float(score) <= now
    ]
    for uid in wanted[:BATCH]:
        compute(site.db, uid)
    site.db.run(("ZREMRANGEBYSCORE", due, "-inf", now - FORGOTTEN))
    return len(wanted[:BATCH])


def compute(db: Db, uid: int) -> None:
    """Compute and store suggestions for a member. Six trips."""
    found = list[Suggestion]()  # none for a member for whom nothing can be computed
    with going_on(f"the suggestions of member {uid}"):
        found = choose(db, uid)
    db.run(SAVE(uid=uid, every=EVERY, ttl=TTL_SECONDS, entries=map(pack, found)))


def _visitors(partition: int, now: int) -> Read[list[int]]:
    """Read those who came last to their homes, newest first. `now`: unix seconds.

    Visits are noted once an hour; a score below 0 is one too.
    """
    key, since = account_keys.active_members(partition), now - LATELY
    commands = (
        ("ZRANGE", key, "+inf", since, "BYSCORE", "REV", "LIMIT", 0, VISITORS, "WITHSCORES"),
        ("ZRANGE", key, "-inf", -since, "BYSCORE", "LIMIT", 0, VISITORS, "WITHSCORES"),
    )

    def parse(replies: Sequence[Any]) -> list[int]:
        visits = [
            (abs(float(score)), int(uid))
            for reply in replies
            for uid, score in zip(reply[::2], reply[1::2], strict=True)
        ]
        return [uid for _, uid in sorted(visits, reverse=True)]

    return Read(commands, parse)


def choose(db: Db, uid: int) -> list[Suggestion]:
    """Return suggestions for a member, the best first. Five trips."""
    ranked = rank(surroundings(db, uid))[:CHECKED]
    candidates = [one for _, one in ranked]
    between, last_ids = db.fetch(
        relations(uid, candidates), last_status_ids(one.uid for one in candidates)
    )
    checked = db.read(check(uid, between.allowed(candidates), between))
    now, allowed = time.time(), {one.member.uid for one in checked}
    best = [
        (points + (ACTIVE_POINTS if is_recent(last_id, now) else 0), one)
        for (points, one), last_id in zip(ranked, last_ids, strict=True)
        if one.uid in allowed
    ]
    best.sort(key=lambda scored: (-scored[0], scored[1].uid))
    return [one for _, one in best[:SUGGESTIONS_MAX]]


@in_steps
def bring_nearer(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Make suggestions due sooner for members who follow others. Running twice does no harm."""
    sooner = -(EVERY // FOLLOWS)
    uids = [event.number("uid") for event in events]
    yield from send_all(
        ("ZADD", keys.due(partition_of(uid)), "XX", "INCR", sooner, uid) for uid in uids
    )


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Compute nothing more for deleted accounts. Lists of others show them to nobody."""
    uids = [event.number("uid") for event in events]
    context.db.trip_all(("ZREM", keys.due(uid), uid) for uid in uids)
