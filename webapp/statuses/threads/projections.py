"""Projections of replies: the list below each status. Safe to repeat, in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.events.step_projections import in_steps
from webapp.core.store.reads import Command, collect, gather, read
from webapp.core.store.scripts import script
from webapp.core.store.steps import Steps, ask, send
from webapp.statuses import keys as status_keys
from webapp.statuses.live_counts.changes import due_counts
from webapp.statuses.values.visibility import Visibility, effective, protected_among

from .replies import DEPTH_MAX, PathStep, ThreadPath, pack_path, unpack_path

SYNC_REPLY = script("statuses/threads/lua/sync_reply.lua")


@in_steps
def sync_replies(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Sync replies, or their absence, to the statuses above them. Two trips, none without any."""
    replies = [
        (event, (event.number("id"), event.number("author")))
        for event in events
        if "ancestors" in event.data
    ]
    existing, protected = yield from ask(
        gather(
            collect(read(("EXISTS", status_keys.status(step[0])), int) for _, step in replies),
            protected_among(author for _, (_, author) in replies),
        )
    )
    commands: list[Command] = []
    for (event, step), exists in zip(replies, existing, strict=True):
        visibility = effective(Visibility(event.data.get("visibility", "")), step[1] in protected)
        path = unpack_path(event.data["ancestors"])
        commands += sync_reply(event, path, step, exists, visibility)
    yield from send(*commands)


def sync_reply(
    event: Event, ancestors: ThreadPath, reply: PathStep, exists: int, visibility: Visibility
) -> Iterator[Command]:
    """Yield the commands that sync a reply, or its absence, to all statuses above it.

    `visibility`: the reply's effective one.
    """
    for level, (status_id, author) in enumerate(reversed(ancestors[-DEPTH_MAX:])):
        yield SYNC_REPLY(
            event,
            above=status_id,
            author=author,
            path=pack_path((*ancestors[len(ancestors) - level :], reply)),
            id="" if level else reply[0],
            exists=exists,
            visibility=visibility.value,
            due=due_counts(event),
        )
