"""Projections: hot posts. All are safe to run twice, and in any order.

Each reads what a post's place depends on, writes the place, and reads again until both agree. The
last to write has then read what is true, though likes come from many partitions at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command, collect, read
from webapp.core.store.scripts import script
from webapp.timelines.entries import format_status_entry
from webapp.timelines.keys import PUBLIC_TAG, hashtag_partition

from . import keys
from .standing import Standing, read_standing

PLACE = script("timelines/hot/lua/place.lua")
PURGE_AUTHOR = script("timelines/hot/lua/purge_author.lua")
PUBLISH = script("timelines/lua/publish.lua")


def sync_statuses(context: Context, events: Sequence[Event]) -> None:
    """Place the posts that these events are about: posted, edited, deleted, liked or boosted."""
    authors: dict[int, int] = {}
    for event in events:
        if not event.data.get("visibility"):  # others are never public
            status_id = int(event.data["status" if "status" in event.data else "id"])
            authors[status_id] = int(event.data.get("author") or authors.get(status_id, 0))
    sync(context, events[-1], authors)


def sync_author(context: Context, events: Sequence[Event]) -> None:
    """Remove the posts of members who are hidden from the site's and languages' hot posts.

    `bulk` removes them from hashtags, and places them again once the members are shown.
    """
    for event in events:
        uid = int(event.data["uid"])
        account = ("HMGET", account_keys.user(uid), "login", "suspended", "protected")
        exists, suspended, protected = map(bool, context.db.read(read(account, list)))
        is_hidden = not exists or suspended or protected
        context.db.run(PURGE_AUTHOR(author=uid, is_hidden=int(is_hidden), **_site_arguments(event)))


def sync(context: Context, event: Event, authors: Mapping[int, int]) -> None:
    """Place posts, by id with their author or 0, as they stand now. Three trips.

    Two more for each time that some of them change meanwhile. A post that is gone and whose author
    the event does not say is left to the event of its deletion.
    """
    waiting, placed = authors, dict[int, Standing]()
    while waiting:
        reads = [read_standing(context.config, event, *one) for one in waiting.items()]
        found = [
            one.instead_of(placed.get(one.status_id, one))
            for one in context.db.read(collect(reads))
            if one.author and placed.get(one.status_id) != one
        ]
        context.db.trip(*(command for one in found for command in _commands(context, event, one)))
        placed |= {one.status_id: one for one in found}
        waiting = {one.status_id: one.author for one in found}
        context.heartbeat()


def _commands(context: Context, event: Event, standing: Standing) -> Iterator[Command]:
    """Yield the commands that place a post in each of its groups and remove it from others."""
    config = context.config
    entry = format_status_entry(standing.status_id, standing.author)
    score = "" if standing.score is None else standing.score
    if not standing.answers_another:
        yield PLACE(
            entry=entry,
            score=score,
            language=standing.language,
            limit=config.hot_max,
            group_limit=config.hot_group_max,
            **_site_arguments(event),
        )
    for name in standing.tags | standing.former_tags:
        yield PUBLISH(
            timeline=keys.hot_tagged(name),
            entry=entry,
            id=score if name in standing.tags else "",
            limit=config.hot_group_max,
            **event.fence_arguments(hashtag_partition(name)),
        )


def _site_arguments(event: Event) -> dict[str, object]:
    """Return what a fenced script takes that writes the hot posts of the site and languages."""
    source, token = event.fence
    return {
        "fences": event_keys.fences(PUBLIC_TAG),
        "hot": keys.hot_statuses(),
        "languages": keys.hot_languages(),
        "language_prefix": keys.LANGUAGE_PREFIX,
        "source": source,
        "token": token,
    }
