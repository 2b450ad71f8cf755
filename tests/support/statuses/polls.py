"""Polls and their votes."""

import time

from webapp.core.store import Db, Site, partition_of
from webapp.core.text.parser import parse
from webapp.statuses import Poll, keys as status_keys, store as statuses
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.values.poll import add_vote

SONGS = Poll(("Trill", "Chirp", "Whistle"), 60)


def post_poll(site: Site, uid: int, poll: Poll = SONGS, text: str = "which song?") -> int:
    return statuses.post(site, uid, parse(text), f"form-{text}".replace(" ", "-"), poll=poll)


def tally(db: Db, status_id: int) -> tuple[int, ...]:
    """Return the stored tally. Fail unless it agrees with the stored votes."""
    status = statuses.get(db, status_id)
    assert status.poll
    flat = db.run(("HGETALL", poll_keys.votes(status_id)))
    found: tuple[int, ...] = ()
    for bits in flat[1::2]:
        found = add_vote(found, int(bits))
    found = (*found[: len(status.poll.options)], *found[-1:])
    assert status.tally == found
    return status.tally


def end(db: Db, status_id: int) -> None:
    """Let a poll be over, as if it had been posted with no duration."""
    stored = db.run(("HGET", status_keys.status(status_id), "poll"))
    db.run(("HSET", status_keys.status(status_id), "poll", stored.replace(",60,", ",0,")))
    db.run(
        (
            "ZADD",
            poll_keys.poll_deadlines(partition_of(status_id)),
            "XX",
            int(time.time() * 1000) - 1,
            status_id,
        )
    )
