"""Projections of private mentions: the list of each member whom one names. Safe to repeat."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from webapp.core.events.outbox import Context, Event, in_steps
from webapp.core.store import Read, Steps, ask, collect, read, script, send_all
from webapp.statuses import keys as status_keys
from webapp.statuses.threads.replies import conversation_of, unpack_path
from webapp.statuses.values.visibility import Visibility, unpack_uids

SYNC = script("statuses/private_mentions/lua/sync.lua")


@in_steps
def sync_private_mentions(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Sync private mentions, or their absence, to all whom they concern. Two trips, none without.

    These are those whom a status names now: an edit may name others, which changes its conversation
    for everybody. A member whom it no longer names keeps an entry, which the visibility policy
    hides.
    """
    private = [
        event for event in events if event.data.get("visibility") == Visibility.MENTIONED.value
    ]
    if not private:
        return
    found = yield from ask(collect(map(_current, private)))
    yield from send_all(
        SYNC(
            event,
            uid=uid,
            id=event.number("id"),
            entry=entry,
            limit=context.config.private_mentions_max,
        )
        for event, (entry, participants) in zip(private, found, strict=True)
        for uid in sorted(participants)
    )


def conversation_number(root: int, participants: Iterable[int]) -> int:
    """Return the number (52 bits) of a conversation: the same people in the same thread."""
    text = f"{root}:{' '.join(map(str, sorted(participants)))}"
    return int(hashlib.sha256(text.encode()).hexdigest()[:13], 16)


def _current(event: Event) -> Read[tuple[str, set[int]]]:
    """Read how lists name the status of an event now, "" if it is gone, and whom it concerns."""
    status_id, author = event.number("id"), event.number("author")

    def parse(fields: Sequence[str | None]) -> tuple[str, set[int]]:
        stored_author, mentioned, path, root = fields
        if stored_author is None:
            return "", {author, *unpack_uids(event.data.get("mentioned"))}
        participants = {author, *unpack_uids(mentioned)}
        first = conversation_of((*unpack_path(path), (status_id, author)), root)
        return f"{status_id}:{author}:{conversation_number(first, participants)}", participants

    names = ("author", "mentioned", "ancestors", "root")
    return read(("HMGET", status_keys.status(status_id), *names), parse)
