"""Projections: the index of posts and people, as they are now. Safe to run twice.

New posts are indexed with the group `discovery`. Changes of older posts are left to `bulk`, which
has an event after all groups: so nothing older is written over something newer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps

from webapp.core.events.outbox import BulkProjection, Context, Event, in_steps, slices
from webapp.core.store import Command, Steps, ask, collect, send, send_all
from webapp.following import keys as following_keys
from webapp.search import keys
from webapp.statuses import Entry, keys as status_keys, statuses, stored_status

from .counts import ranking_counts
from .layout import in_each_layout, slices_in_each_layout, written_configs
from .members import member_documents
from .store import DocumentWrite, new_status_write, status_write, write_commands, write_numbers


@in_steps
def index_statuses(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Index posted statuses. Two trips, and one for each further layout that is written."""
    found = yield from ask(collect(stored_status(event.number("id")) for event in events))
    writes = list(map(new_status_write, events, found))
    for config in written_configs(context):
        yield from send(*write_commands(config, writes))


@slices_in_each_layout
def reindex_status(context: Context, event: Event, _cursor: str) -> str | None:
    """Index a status that was edited or deleted as it is now."""
    _sync(context, [event], [_entry(event)])
    return None


def reindex_entries(context: Context, event: Event, entries: Sequence[Entry]) -> None:
    """Index statuses of any members as they are now, twice: one may have changed meanwhile."""
    for config in written_configs(context) * 2:
        _sync(replace(context, config=config), [event] * len(entries), entries)


def if_search_changed(projection: BulkProjection) -> BulkProjection:
    """Return the projection, run only for edits that change whether others may find the member."""
    return _if_field("search_changed", projection)


def if_renamed(projection: BulkProjection) -> BulkProjection:
    """Return the projection, run only for edits that change the member's login."""
    return _if_field("former", projection)


def _if_field(name: str, projection: BulkProjection) -> BulkProjection:
    @wraps(projection)
    def apply(context: Context, event: Event, cursor: str) -> str | None:
        return projection(context, event, cursor) if event.data.get(name) else None

    return apply


@in_each_layout
def index_counts(context: Context, events: Sequence[Event]) -> None:
    """Note the likes, boosts and repliers of statuses, by which the index ranks them. Two trips."""
    _sync_counts(context, events, [_entry(event) for event in events])


@in_each_layout
def index_members(context: Context, events: Sequence[Event]) -> None:
    """Index members as they are now: by names and bio, or not at all. Two trips."""
    _sync_members(context, events, [event.number("uid") for event in events])


@in_steps
def index_followed(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Note the number of followers of members who were followed or unfollowed. Two steps."""
    targets = [event.number("target") for event in events]
    counts = yield from send_all(("ZCARD", following_keys.followers(uid)) for uid in targets)
    yield from send_all(
        write_numbers(config, event, uid, uid, keys.PEOPLE, followers=count)
        for config in written_configs(context)
        for event, uid, count in zip(events, targets, counts, strict=True)
    )


def _sync_members(context: Context, events: Sequence[Event], uids: Sequence[int]) -> None:
    found = context.db.read(member_documents(uids))
    writes: list[DocumentWrite] = []
    numbers: list[Command] = []
    for event, uid, (document, followers) in zip(events, uids, found, strict=True):
        if document is None:
            writes.append(DocumentWrite(event, uid, uid, others=(keys.PEOPLE,)))
            continue
        writes.append(DocumentWrite(event, uid, uid, keys.PEOPLE, document=document))
        numbers.append(
            write_numbers(context.config, event, uid, uid, keys.PEOPLE, followers=followers)
        )
    context.db.trip(*write_commands(context.config, writes), *numbers)


def _sync(context: Context, events: Sequence[Event], entries: Sequence[Entry]) -> None:
    writes = map(status_write, events, entries, context.db.read(statuses(entries)))
    context.db.trip(*write_commands(context.config, writes))


def _sync_counts(context: Context, events: Sequence[Event], entries: Sequence[Entry]) -> None:
    counts = context.db.read(collect(ranking_counts(*entry) for entry in entries))
    context.db.trip_all(
        write_numbers(context.config, event, *entry, collection, **numbers)
        for event, entry, numbers in zip(events, entries, counts, strict=True)
        for collection in (keys.POSTS, keys.own_posts(entry[1]))
    )


def _entry(event: Event) -> Entry:
    return event.number("id"), event.number("author")


def _sync_ids(context: Context, event: Event, ids: Sequence[int]) -> None:
    """Index some statuses of the event's member."""
    events, owned = [event] * len(ids), [(one, event.number("uid")) for one in ids]
    _sync(context, events, owned)
    _sync_counts(context, events, owned)  # one that moves to another collection leaves its counts


def _reindex(name: str, list_of: Callable[[int], str]) -> BulkProjection:
    return slices_in_each_layout(slices(name, list_of, _sync_ids))


# What a member has written whom others may find from now on, or not, and who may be gone.
reindex_posts = _reindex("reindex_posts", status_keys.profile_statuses)
reindex_replies = _reindex("reindex_replies", status_keys.profile_replies)
reindex_restricted = _reindex(
    "reindex_restricted", lambda uid: status_keys.restricted_statuses(uid, uid)
)
