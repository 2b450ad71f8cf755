"""A few posts of each of some hashtags, as samples of what is written about them."""

from collections.abc import Mapping, Sequence

from webapp.core.store import Read, Site, collect, gather, read
from webapp.core.text.parser import tag_names
from webapp.statuses import FilterSet, Status, Visibility
from webapp.timelines import keys as timeline_keys
from webapp.timelines.entries import id_of
from webapp.timelines.hot import keys as hot_keys
from webapp.timelines.hydration import hydrate_entries

READ = 6  # entries of a hashtag that are read, popular ones and as many new ones


def sample_entries(names: Sequence[str]) -> Read[dict[str, list[str]]]:
    """Read the entries of each hashtag (a folded name): popular posts, then the newest."""
    return collect(map(_entries, names)).map(lambda found: dict(zip(names, found, strict=True)))


def posts_among(
    site: Site, viewer: int | None, entries: Mapping[str, Sequence[str]], filters: FilterSet
) -> dict[str, list[Status]]:
    """Return the posts of each hashtag's entries that timelines show the viewer. One trip.

    `viewer`: None for a visitor. Posts with a content warning are left out, and those that a
    filter hides or folds up.
    """
    every_entry = list(dict.fromkeys(entry for some in entries.values() for entry in some))
    found = site.db.read(hydrate_entries(site, viewer, every_entry))
    shown = {
        one.id: one
        for one in filters.remaining(found.visible_in_timelines)
        if isinstance(one, Status) and is_open(one) and not filters.warning_for(one)
    }
    return {
        name: [
            shown[one]
            for one in map(id_of, some)
            if one in shown and name in tag_names(shown[one].entities)
        ]
        for name, some in entries.items()
    }


def best_samples(
    posts: Mapping[str, Sequence[Status]], limit: int, language: str
) -> dict[str, list[Status]]:
    """Return up to `limit` posts of each hashtag, those in a language (a primary subtag) first.

    No post and no author shows twice if there are others, but an author may under each hashtag.
    """
    taken = set[int]()
    chosen = dict[str, list[Status]]()
    for name, some in posts.items():
        of_language = sorted(some, key=lambda post: post.lang.partition("-")[0] != language)
        fresh = [post for post in of_language if post.id not in taken]
        by_author = {post.author.uid: post for post in reversed(fresh)}
        of_language.sort(key=lambda post: by_author.get(post.author.uid) is not post)
        chosen[name] = of_language[:limit]
        taken.update(post.id for post in chosen[name])
    return chosen


def _entries(name: str) -> Read[list[str]]:
    """Read the entries of a hashtag's popular posts, then of its newest, each once."""
    popular, newest = (
        read(("ZRANGE", key, 0, READ - 1, "REV"), list)
        for key in (hot_keys.hot_tagged(name), timeline_keys.hashtag_statuses(name))
    )
    return gather(popular, newest).map(lambda found: list(dict.fromkeys(found[0] + found[1])))


def is_open(status: Status) -> bool:
    """Return True for a public post without a content warning, whose pictures are not covered."""
    return (
        status.visibility is Visibility.PUBLIC
        and not status.covers_pictures
        and not status.author.suspended
    )
