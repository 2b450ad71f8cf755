"""Projections: count the members who share hashtags and links, and uncount deleted shares.

They compare the counts with the present state, so they are safe to run twice.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from webapp.core.events.outbox import Context, Event, in_steps, read_page
from webapp.core.store import Command, Steps, ask, collect, do_steps, send
from webapp.statuses.boost_refs import ref_from_event

from . import keys
from .items import hour_of
from .uses import Use, UseUpdate, candidate_commands, use_update

BATCH = 100  # uses of one slice


@in_steps
def sync_posts(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Sync public posts that were posted, edited or deleted. At most four trips."""
    yield from _sync(context, [_post(event) for event in events if _may_count(event)])


@in_steps
def sync_boosts(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Sync boosts, or their absence.

    The second time finds a status that was deleted, in another partition, after the first look.
    """
    refs = [(event, ref) for event in events if (ref := ref_from_event(event))]
    uses = [
        Use(event, ref.id, ref.booster_uid, ref.status_id, ref.author_uid) for event, ref in refs
    ]
    if (yield from _sync(context, uses)):
        yield from _sync(context, uses)


def resync_post(context: Context, event: Event, _cursor: str) -> None:
    """Sync a post that was edited or deleted again, after the slices of earlier events."""
    sync_posts(context, [event])


def resync_member(context: Context, event: Event, cursor: str) -> str | None:
    """Sync some shares of a member who is shown to others, or hidden, from now on."""
    uid = event.number("uid")
    entries, next_cursor = read_page(context, keys.trend_index(uid), cursor, BATCH)
    parts = dict.fromkeys(tuple(map(int, entry.split(":", 3)[:3])) for entry in entries)
    uses = [Use(event, use_id, uid, status_id, author) for use_id, status_id, author in parts]
    do_steps(context.db, _sync(context, uses))
    return next_cursor


def _may_count(event: Event) -> bool:
    """Return False if a status is not public, or is new and has neither hashtags nor links."""
    is_plain = event.type == "posted" and "has_items" not in event.data
    return not event.data.get("visibility") and not is_plain


def _post(event: Event) -> Use:
    status_id, author = event.number("id"), event.number("author")
    return Use(event, status_id, author, status_id, author)


def _sync(context: Context, uses: Sequence[Use]) -> Steps[bool]:
    """Bring counts up to date. Return False if there was nothing to count.

    The member's index gains items before the counts do, and loses them after. So it names every
    item that counts the member, even if a worker dies in between.
    """
    if not uses:
        return False
    hours = context.config.trend_member_hours
    every = yield from ask(collect(use_update(use, hours) for use in uses))
    updates = [one for one in every if one.indexed or one.wanted]
    if not updates:
        return False
    added = [(one, item) for one in updates for item in sorted(one.wanted)]
    removed = [(one, item) for one in updates for item in sorted(one.indexed - one.wanted)]
    yield from send(
        *chain.from_iterable(one.index_commands(one.wanted - one.indexed, True) for one in updates)
    )
    counts = yield from send(
        *(one.remove_command(item) for one, item in removed),
        *(one.add_command(item) for one, item in added),
    )
    yield from send(
        *_candidates(added, counts[len(removed) :]),
        *chain.from_iterable(
            one.index_commands(one.indexed - one.wanted, False) for one in updates
        ),
    )
    return True


def _candidates(added: Sequence[tuple[UseUpdate, str]], counts: Sequence[int]) -> Iterator[Command]:
    """Yield the commands that make items candidates of the hours in which they were shared."""
    by_hour: dict[int, dict[str, int]] = defaultdict(dict)
    for (update, item), members in zip(added, counts, strict=True):
        by_hour[hour_of(update.use.id)][item] = members
    for hour, found in by_hour.items():
        yield from candidate_commands(hour, found)
