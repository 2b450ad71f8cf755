"""Projections: the index of statuses under hashtags.

They compare the index with the present state, so they serve every change: a post, an edit, a
deletion, a hidden author. All are safe to run twice.

Two groups write it at once. So `log` takes nothing off an author's own index: `bulk` finds its
additions there when it syncs the same status after it.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from webapp.accounts import keys as account_keys
from webapp.autocomplete.tag_names import read_ranks, sync_tag_names_in_steps
from webapp.core.events.outbox import Context, Event, in_steps, slices
from webapp.core.store import Read, Steps, ask, collect, do_steps, script, send
from webapp.core.store.steps import in_order
from webapp.core.text.parser import tag_name
from webapp.pagecache.invalidation import invalidate_commands
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses import keys as status_keys
from webapp.timelines import keys
from webapp.timelines.page_invalidation.paths import tag_paths

from .index_update import TagIndexUpdate, tag_index_update

REFOLD = script("timelines/tags/lua/refold_tag.lua")


@in_steps
def index(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Sync statuses that were posted, edited or deleted."""
    yield from _sync_in_steps(context, [_event_update(event) for event in events], is_last=False)


def reindex_status(context: Context, event: Event, _cursor: str) -> None:
    """Sync a status that was edited or deleted again, after the group `log` did so."""
    _sync(context, [_event_update(event)])


def refold_own_tags(context: Context, events: Sequence[Event]) -> None:
    """Rename hashtags of members whose names are folded otherwise since an upgrade."""
    for event in events:
        uid = event.number("uid")
        own = (keys.followed_tags(uid), account_keys.featured_tags(uid))
        names = context.db.trip_all(("ZRANGE", tags, 0, -1) for tags in own)
        commands = [
            REFOLD(event, tags=tags, name=name, folded=folded)
            for tags, found in zip(own, names, strict=True)
            for name in found
            if (folded := tag_name(name)) != name
        ]
        if commands:
            context.db.trip(*commands)
            bump_versions(context.db, [uid])


def _event_update(event: Event) -> Read[TagIndexUpdate]:
    return tag_index_update(event, (event.number("id"), event.number("author")))


def _sync(context: Context, reads: Sequence[Read[TagIndexUpdate]]) -> None:
    do_steps(context.db, _sync_in_steps(context, reads, is_last=True))


def _sync_in_steps(
    context: Context, reads: Sequence[Read[TagIndexUpdate]], is_last: bool
) -> Steps[None]:
    """Bring hashtags up to date with statuses.

    An author's index gains names before the hashtags do, and loses them after. So it names every
    hashtag that has the status, even if a worker dies in between. Pages are invalidated before it
    forgets why. `is_last`: False if `bulk` syncs the same later, and may then remove from it.
    """
    found = yield from ask(collect(reads))
    updates = [one for one in found if one.indexed or one.wanted]
    if not updates:
        return
    names = frozenset[str]().union(*(one.indexed | one.wanted for one in updates))
    is_hard = any(one.indexed - one.wanted for one in updates)
    # Hot posts are renewed soon enough, unless some must no longer be shown.
    paths = [path for name in names for path in tag_paths(name)[: None if is_hard else -1]]
    ranks = read_ranks(names)
    yield from send(
        *chain.from_iterable(one.author_commands(one.wanted - one.indexed, True) for one in updates)
    )
    _, replies = yield from in_order(
        context.db,
        list(chain.from_iterable(one.tag_commands(context.config.tagged_max) for one in updates)),
        [*invalidate_commands(context.db, paths, hard=is_hard), *ranks.commands],
    )
    yield from sync_tag_names_in_steps(ranks.parse(replies[-len(ranks.commands) :]))
    if is_last:
        yield from send(
            *chain.from_iterable(
                one.author_commands(one.indexed - one.wanted, False) for one in updates
            )
        )


def _sync_ids(context: Context, event: Event, ids: Iterable[int]) -> None:
    uid = event.number("uid")
    _sync(context, [tag_index_update(event, (one, uid)) for one in ids])


# What is indexed of a member who is hidden or shown, or after an upgrade.
reindex_indexed = slices("reindex_indexed", keys.tag_index, _sync_ids)
# The newest statuses and replies of a member who is shown again.
reindex_statuses = slices("reindex_statuses", status_keys.profile_statuses, _sync_ids, "tagged_max")
reindex_replies = slices("reindex_replies", status_keys.profile_replies, _sync_ids, "tagged_max")
