"""Topics to choose from: hashtags, with pictures of their posts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, collect, read
from webapp.core.text.parser import tag_names
from webapp.statuses.items import Item
from webapp.statuses.listings.timeline import no_result
from webapp.statuses.lookup import statuses
from webapp.statuses.status import Status
from webapp.statuses.values.pictures import Picture
from webapp.statuses.values.visibility import Visibility
from webapp.timelines import keys as timeline_keys
from webapp.timelines.entries import id_of, poster_of
from webapp.timelines.hydration import hydrate_entries

from . import keys

POSTS = 200  # the newest public posts whose hashtags are counted
TOPICS_MAX = 12
TAGGED = 8  # the newest posts of a topic, among which pictures are found
PICTURES = 3  # pictures of a topic
CACHE_SECONDS = 86_400  # seconds that the list is cached, so that all steps know there are topics
FRESH = 600  # seconds after which a visit to the topics makes it again


@dataclass(frozen=True, slots=True)
class Topic:
    """A hashtag, with pictures from posts that the viewer may see."""

    name: str
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class CachedNames:
    """The names of topics, the most used first. Empty if they are not cached."""

    names: Sequence[str]
    is_fresh: bool


def cached_names() -> Read[CachedNames]:
    """Read the cached names of topics."""
    key = keys.topics()
    return Read(
        (("ZRANGE", key, 0, -1), ("TTL", key)),
        lambda replies: CachedNames(replies[0], replies[1] > CACHE_SECONDS - FRESH),
    )


def current_names(db: Db, cached: CachedNames) -> Sequence[str]:
    """Return the names of topics, made again if the cached ones are old. Three trips at most."""
    if cached.is_fresh:
        return cached.names
    names = used_names(db)
    db.read(_saved(names))
    return names


def topics(site: Site, viewer: int, cached: CachedNames) -> list[Topic]:
    """Return topics to choose from. Two trips; four if the cached names are old."""
    names, saved = cached.names, no_result()
    if not cached.is_fresh:
        names = used_names(site.db)
        saved = _saved(names)
    entries, _ = site.db.fetch(collect(map(_newest_entries, names)), saved)
    found = site.db.read(hydrate_entries(site, viewer, list(chain(*entries))))
    visible = found.visible_in_timelines
    return [Topic(name, _pictures(name, visible)) for name in names]


def used_names(db: Db) -> list[str]:
    """Return the hashtags that most authors of the newest public posts use. Two trips.

    Those behind content warnings are left out.
    """
    newest = ("ZRANGE", timeline_keys.public_timeline(), 0, POSTS - 1, "REV")
    pairs = [(id_of(entry), poster_of(entry)) for entry in db.run(newest)]
    found = [one for one in db.read(statuses(pairs)) if one and _is_open(one)]
    uses = {(name, one.author.uid): None for one in found for name in tag_names(one.entities)}
    counts = Counter(name for name, _ in uses)
    return sorted(counts, key=lambda name: (-counts[name], name))[:TOPICS_MAX]


def _saved(names: Sequence[str]) -> Read[None]:
    key = keys.topics()
    if not names:
        return no_result(("UNLINK", key))
    ranked = chain(*enumerate(names))
    return no_result(("DEL", key), ("ZADD", key, *ranked), ("EXPIRE", key, CACHE_SECONDS))


def _newest_entries(name: str) -> Read[list[str]]:
    return read(("ZRANGE", timeline_keys.hashtag_statuses(name), 0, TAGGED - 1, "REV"), list)


def _pictures(name: str, items: Sequence[Item]) -> tuple[Picture, ...]:
    """Return the first picture of each of the newest posts about a topic."""
    found = [
        one.pictures[0]
        for one in items
        if isinstance(one, Status)
        and one.pictures
        and _is_open(one)
        and name in tag_names(one.entities)
    ]
    return tuple(dict.fromkeys(found))[:PICTURES]


def _is_open(status: Status) -> bool:
    """Return True for a public post without a content warning."""
    return status.visibility is Visibility.PUBLIC and not status.cw and not status.author.suspended
