"""Topics to choose from: hashtags, each with one of its posts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from webapp.core.store import Db, Read, Site, collect, read
from webapp.core.text.parser import tag_names
from webapp.explore import languages
from webapp.explore.sample_posts import best_samples, is_open, posts_among, sample_entries
from webapp.statuses import NO_FILTERS, Status, statuses
from webapp.statuses.listings.timeline import no_result
from webapp.timelines import keys as timeline_keys
from webapp.timelines.entries import id_of, poster_of

from . import keys

POSTS = 200  # the newest public posts whose hashtags are counted
TOPICS_MAX = 12
CACHE_SECONDS = 86_400  # seconds that the list is cached, so that all steps know there are topics
FRESH = 600  # seconds after which a visit to the topics makes it again


@dataclass(frozen=True, slots=True)
class OnboardingTopic:
    """A hashtag: how many posts it has lately, and one of them that the viewer may see."""

    name: str
    count: int
    post: Status | None


@dataclass(frozen=True, slots=True)
class CachedNames:
    """The names of topics, the most used first. Empty if they are not cached."""

    names: Sequence[str]
    is_fresh: bool


def cached_names() -> Read[CachedNames]:
    """Read the cached names of topics, in the order for the reader's language."""
    key = keys.topics(languages.own())
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


def topics(site: Site, viewer: int, cached: CachedNames) -> list[OnboardingTopic]:
    """Return topics to choose from. Two trips; four if the cached names are old."""
    names, saved = cached.names, no_result()
    if not cached.is_fresh:
        names = used_names(site.db)
        saved = _saved(names)
    counts, entries, _ = site.db.fetch(collect(map(_count, names)), sample_entries(names), saved)
    found = posts_among(site, viewer, entries, NO_FILTERS)
    posts = best_samples(found, 1, languages.own())
    return [
        OnboardingTopic(name, count, next(iter(posts[name]), None))
        for name, count in zip(names, counts, strict=True)
    ]


def used_names(db: Db) -> list[str]:
    """Return the hashtags that most authors of the newest public posts use. Two trips.

    Those of posts in the reader's language come first. Those behind content warnings are left out.
    """
    newest = ("ZRANGE", timeline_keys.public_timeline(), 0, POSTS - 1, "REV")
    pairs = [(id_of(entry), poster_of(entry)) for entry in db.run(newest)]
    found = [one for one in db.read(statuses(pairs)) if one and is_open(one)]
    own = _authors(one for one in found if one.lang.partition("-")[0] == languages.own())
    every = _authors(found)
    return sorted(every, key=lambda name: (-own[name], -every[name], name))[:TOPICS_MAX]


def _authors(found: Iterable[Status]) -> Counter[str]:
    """Return how many authors use each hashtag."""
    uses = {(name, one.author.uid) for one in found for name in tag_names(one.entities)}
    return Counter(name for name, _ in uses)


def _saved(names: Sequence[str]) -> Read[None]:
    key = keys.topics(languages.own())
    if not names:
        return no_result(("UNLINK", key))
    ranked = chain(*enumerate(names))
    return no_result(("DEL", key), ("ZADD", key, *ranked), ("EXPIRE", key, CACHE_SECONDS))


def _count(name: str) -> Read[int]:
    return read(("ZCARD", timeline_keys.hashtag_statuses(name)), int)
