"""Projections of private mentions: the list of each member whom one concerns. Safe to repeat."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.events.step_projections import in_steps
from webapp.core.store.reads import Read, collect, read
from webapp.core.store.scripts import script
from webapp.core.store.steps import Steps, ask, send
from webapp.statuses import keys as status_keys
from webapp.statuses.threads.replies import conversation_of, unpack_path
from webapp.statuses.values.visibility import Visibility, unpack_uids

SYNC = script("statuses/private_mentions/lua/sync.lua")


@in_steps
def sync_private_mentions(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Sync private mentions, or their absence, to all whom they concern. Two trips, none without.

    A member whom an edit no longer names keeps an entry, which the visibility policy hides.
    """
    private = [
        event for event in events if event.data.get("visibility") == Visibility.MENTIONED.value
    ]
    if not private:
        return
    entries = yield from ask(collect(map(_entry, private)))
    yield from send(
        *(
            SYNC(
                event,
                uid=uid,
                id=event.number("id"),
                entry=entry,
                limit=context.config.private_mentions_max,
            )
            for event, entry in zip(private, entries, strict=True)
            for uid in sorted(_participants(event.number("author"), event.data.get("mentioned")))
        )
    )


def conversation_number(root: int, participants: Iterable[int]) -> int:
    """Return the number of a conversation, of 52 bits: it is one of the same people in a thread."""
    text = f"{root}:{' '.join(map(str, sorted(participants)))}"
    return int(hashlib.sha256(text.encode()).hexdigest()[:13], 16)


def _entry(event: Event) -> Read[str]:
    """Read how lists name the status of an event now, "" if it is gone."""
    status_id, author = event.number("id"), event.number("author")

    def parse(fields: Sequence[str | None]) -> str:
        stored_author, mentioned, path, root = fields
        if stored_author is None:
            return ""
        first = conversation_of((*unpack_path(path), (status_id, author)), root)
        number = conversation_number(first, _participants(author, mentioned))
        return f"{status_id}:{author}:{number}"

    names = ("author", "mentioned", "ancestors", "root")
    return read(("HMGET", status_keys.status(status_id), *names), parse)


def _participants(author: int, mentioned: str | None) -> set[int]:
    return {author, *unpack_uids(mentioned)}
