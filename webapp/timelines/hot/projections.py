"""Projections: hot posts. All are safe to run twice, and in any order.

Each reads the facts of a post's place, writes the place, and reads again until both agree. The last
to write has then read the true state, though likes come from many partitions at once.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event, in_steps
from webapp.core.store import Command, Steps, ask, do_steps, read, script
from webapp.core.store.steps import in_order
from webapp.statuses.values.visibility import HIDING_FIELDS
from webapp.timelines.entries import format_status_entry

from .standing import Standing, read_standings

PLACE = script("timelines/hot/lua/place.lua")
PURGE_AUTHOR = script("timelines/hot/lua/purge_author.lua")
PLACE_TAGGED = script("timelines/hot/lua/place_tagged.lua")


@in_steps
def sync_statuses(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Place the posts that these events are about: posted, edited, deleted, liked or boosted."""
    authors: dict[int, int] = {}
    for event in events:
        if not event.data.get("visibility"):  # others are never public
            status_id = event.number("status" if "status" in event.data else "id")
            authors[status_id] = int(event.data.get("author") or authors.get(status_id, 0))
    yield from _sync(context, events[-1], authors)


def sync_author(context: Context, events: Sequence[Event]) -> None:
    """Remove the posts of members who are hidden from the site's and languages' hot posts.

    They leave hashtags with the index (tags/index_update.py). `bulk` places them again once the
    members are shown.
    """
    for event in events:
        uid = event.number("uid")
        account = ("HMGET", account_keys.user(uid), "login", *HIDING_FIELDS)
        exists, *hiding = context.db.read(read(account, list))
        is_hidden = not exists or any(hiding)
        context.db.run(PURGE_AUTHOR(event, author=uid, is_hidden=int(is_hidden)))


def sync(context: Context, event: Event, authors: Mapping[int, int]) -> None:
    """Place posts, by id with their author or 0, by their present state.

    Two trips on a single server, three on a Cluster. One or two more for each time that some of
    them change meanwhile. A post that is gone and whose author the event does not say is left to
    the event of its deletion.
    """
    do_steps(context.db, _sync(context, event, authors))


def _sync(context: Context, event: Event, authors: Mapping[int, int]) -> Steps[None]:
    """Place posts in steps."""
    placed = dict[int, Standing]()
    found = yield from ask(read_standings(context, event, authors))
    while changed := [
        one.instead_of(placed.get(one.status_id, one))
        for one in found
        if one.author and placed.get(one.status_id) != one
    ]:
        again = read_standings(context, event, {one.status_id: one.author for one in changed})
        commands = list(_commands(context, event, changed))
        _, replies = yield from in_order(context.db, commands, again.commands)
        placed |= {one.status_id: one for one in changed}
        found = again.parse(replies)
        context.heartbeat()


def _commands(context: Context, event: Event, standings: Sequence[Standing]) -> Iterator[Command]:
    """Yield the commands that place posts in each of their rankings and remove them from others."""
    config = context.config
    places: list[object] = []
    tagged: dict[str, list[object]] = defaultdict(list)
    for one in standings:
        entry = format_status_entry(one.status_id, one.author)
        score = "" if one.score is None else one.score
        if not one.answers_another:
            places += (entry, score, one.language)
        for name in one.tags | one.former_tags:
            tagged[name] += (entry, score if name in one.tags else "")
    if places:
        yield PLACE(event, limit=config.hot_max, group_limit=config.hot_group_max, places=places)
    for name, entries in tagged.items():
        yield PLACE_TAGGED(event, name=name, limit=config.hot_group_max, places=entries)
