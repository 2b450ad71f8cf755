"""What replies do elsewhere: what hangs below the statuses above them. Safe to run twice, and in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys
from webapp.statuses.visibility.visibility import Visibility, protected_uids

from .replies import DEPTH_MAX, PathStep, ThreadPath, pack_path, unpack_path

SYNC = script("statuses/threads/lua/sync_reply.lua")


def sync_replies(context: Context, events: Sequence[Event]) -> None:
    """Brings what is above replies up to whether they are there by now. What is above and gone has nothing below."""
    replies = [
        (event, (int(event.data["id"]), int(event.data["author"])))
        for event in events
        if "above" in event.data
    ]
    existing = context.db.trip(*(("EXISTS", status_keys.status(step[0])) for _, step in replies))
    protected_authors = protected_uids(context.db, (author for _, (_, author) in replies))
    commands: list[Command] = []
    for (event, step), exists in zip(replies, existing, strict=True):
        vis = effective_visibility_value(event.data.get("vis"), step[1] in protected_authors)
        commands += sync_reply_commands(event, unpack_path(event.data["above"]), step, exists, vis)
    context.db.trip(*commands)


def sync_reply_commands(
    event: Event, ancestor_path: ThreadPath, step: PathStep, exists: int, vis: str
) -> Iterator[Command]:
    """The commands that put a reply below all that is above it, or take it away. `vis`: how visible it is by now."""
    for level, (status_id, author) in enumerate(reversed(ancestor_path[-DEPTH_MAX:])):
        path = pack_path((*ancestor_path[len(ancestor_path) - level :], step))
        names = [event_keys.fences(partition_tag(status_id)), status_keys.status(status_id)]
        names += [
            status_keys.thread(status_id),
            status_keys.replies(status_id),
            account_keys.user(author),
        ]
        yield SYNC(names, *event.fence, path, "" if level else step[0], exists, vis)


def effective_visibility_value(stored: str | None, is_protected: bool) -> str:
    """How visible a reply is, as it would be stored."""
    return (
        stored or ""
        if not is_protected or Visibility(stored or "").restricted
        else Visibility.FOLLOWERS.value
    )
