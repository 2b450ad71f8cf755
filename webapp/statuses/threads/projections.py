"""Projections of replies: the list below each status. Safe to repeat, in any order."""

from collections.abc import Callable, Iterator, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event, in_steps
from webapp.core.store import Command, Steps, ask, collect, gather, read, script, send
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses import keys as status_keys
from webapp.statuses.listings.authored import related_page
from webapp.statuses.live_counts.changes import due_counts
from webapp.statuses.lookup import Entry
from webapp.statuses.values.visibility import Visibility, effective, protected_among

from . import keys
from .replies import DEPTH_MAX, PathStep, ThreadPath, pack_path, unpack_path

SYNC_REPLY = script("statuses/threads/lua/sync_reply.lua")
RELABEL_REPLY = script("statuses/threads/lua/relabel_reply.lua")
Relabelled = Callable[[Context, Event, Sequence[Entry]], None]


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


def relabel_replies(
    context: Context, event: Event, cursor: str, relabelled: Relabelled
) -> str | None:
    """Write a member's login, as it is now, into some replies to their statuses.

    `relabelled` gets the replies, each as (id, author). Return the cursor of the next slice.
    """
    uid = event.number("uid")
    found, next_cursor = related_page(context, uid, cursor, keys.thread)
    paths = (unpack_path(path) for _, path in found)
    replies = [path[0] for path in paths if len(path) == 1]  # the others answer these
    login = context.db.run(("HGET", account_keys.user(uid), "login")) if replies else None
    if login:
        context.db.trip_all(RELABEL_REPLY(event, id=one, login=login) for one, _ in replies)
        relabelled(context, event, replies)
        bump_versions(context.db, (author for _, author in replies))
    return next_cursor
