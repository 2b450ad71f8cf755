"""Measure what suggestions cost: one computation, one page of them, and their memory.

Members follow FOLLOWS others each, drawn unevenly, and half of them post under hashtags.
"""

import time
from collections.abc import Callable
from random import Random
from statistics import median

from webapp.accounts import keys as account_keys
from webapp.core.store import first_id_at, partition_of
from webapp.explore.suggestions import jobs, keys
from webapp.explore.suggestions.checks import DISMISSED
from webapp.explore.suggestions.store import candidates, suggested
from webapp.following import keys as following_keys
from webapp.timelines import keys as timeline_keys

from .site import Site, add_members, send, site
from .table import Figure

MEMBERS, FOLLOWS, COMPUTED = 3_000, 120, 100
TAGS = 40
POSTED_MS = int(time.time() * 1000) - 3_600_000


def measure() -> list[Figure]:
    """Return the figures of suggestions."""
    with site() as running:
        _fill(running, Random(7))
        db, uids = running.db, range(1, COMPUTED + 1)
        computing = _milliseconds(lambda uid: jobs.compute(db, uid), uids)
        stored = sum(_bytes(running, keys.suggestions(uid)) for uid in uids) / COMPUTED
        entries = sum(db.trip(*(("ZCARD", keys.suggestions(uid)) for uid in uids))) / COMPUTED
        suggested(db, 1, 50, db.read(candidates(1)))  # makes the list of popular members
        showing = _milliseconds(lambda uid: suggested(db, uid, 50, db.read(candidates(uid))), uids)
        db.run(DISMISSED.add(keys.dismissed(1), range(DISMISSED.capacity)))
        db.run(DISMISSED.add(keys.dismissed(1), range(10_000, 10_001)))
        full = _bytes(running, keys.dismissed(1))
    return [
        Figure("suggestions: one computation, processor time", computing * 1_000, "µs"),
        Figure("suggestions: 50 checked and read, processor time", showing * 1_000, "µs"),
        Figure("suggestions: entries of a member", entries, "", target=50, at_most=True),
        Figure("suggestions: memory of a member", stored, "bytes", target=4_096, at_most=True),
        Figure("suggestions: a full filter", full, "bytes", target=4_096, at_most=True),
    ]


def _milliseconds(act: Callable[[int], object], uids: range) -> float:
    """Return the median processor time of an act in this process, in milliseconds."""
    times = []
    for uid in uids:
        started = time.process_time()
        act(uid)
        times.append(time.process_time() - started)
    return median(times) * 1_000


def _bytes(running: Site, key: str) -> int:
    return int(running.db.run(("MEMORY", "USAGE", key, "SAMPLES", 0)) or 0)


def _fill(running: Site, rng: Random) -> None:
    """Write members, follows and hashtags in the shape of the site's own scripts."""
    db, uids = running.db, range(1, MEMBERS + 1)
    add_members(db, uids)
    db.run(("SET", account_keys.last_uid(), MEMBERS))
    now = int(time.time())
    send(db, (("ZADD", account_keys.active_members(partition_of(u)), now, u) for u in uids))
    followed = {
        uid: {int(MEMBERS * rng.random() ** 2) + 1 for _ in range(FOLLOWS)} - {uid} for uid in uids
    }
    pairs = [(uid, target) for uid, targets in followed.items() for target in targets]
    send(db, (("ZADD", following_keys.following(a), n, b) for n, (a, b) in enumerate(pairs)))
    send(db, (("ZADD", following_keys.followers(b), n, a) for n, (a, b) in enumerate(pairs)))
    for uid in uids[::2]:
        status_id = first_id_at(POSTED_MS + uid) + partition_of(uid)
        name = f"tag{rng.randrange(TAGS)}"
        db.trip(
            ("ZADD", timeline_keys.hashtag_statuses(name), status_id, f"{status_id}:{uid}"),
            ("ZADD", timeline_keys.tag_index(uid), status_id, f"{status_id}:{name}"),
            ("ZADD", timeline_keys.public_timeline(), status_id, f"{status_id}:{uid}"),
        )
    send(db, (("ZADD", timeline_keys.followed_tags(u), 1, f"tag{u % TAGS}") for u in uids))
