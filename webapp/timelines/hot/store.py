"""Reading hot posts: of the site, of a language and of a hashtag.

Those of the site are by many authors: one who is liked by many does not fill the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from webapp.config import Config
from webapp.core.store import Read, Site, read
from webapp.statuses import NO_FILTERS, FilterSet, Skeleton, Status, Timeline
from webapp.timelines.entries import poster_of
from webapp.timelines.shared import ranked_entries, shared_page

from . import keys

WRITERS_FROM = 200  # popular posts in a language whose authors are read
HOT_PAGE_SECONDS = 15  # a page for visitors is cached: likes alone never renew it
APART = 10  # of so many posts one after the other, an author has one


def hot_entries(
    config: Config, before: int | None = None, language: str = "", limit: int = 0
) -> Read[Skeleton[str]]:
    """Read the entries of a page of hot posts below the cursor `before`, the most popular first.

    `language`: a primary subtag such as `en`; "" for all. `limit`: entries to read at least. Give
    them to `shared_page`.
    """
    key = keys.hot_in_language(language) if language else keys.hot_statuses()
    return ranked_entries(config, key, before, limit)


def hot_tagged_entries(config: Config, name: str, before: int | None) -> Read[Skeleton[str]]:
    """Read the entries of a page of a hashtag's hot posts, by its folded name."""
    return ranked_entries(config, keys.hot_tagged(name), before)


def hot_languages() -> Read[list[str]]:
    """Read the languages that have hot posts, the one with the latest popular post first."""
    return read(("ZRANGE", keys.hot_languages(), 0, -1, "REV"), list)


def writers(language: str) -> Read[frozenset[int]]:
    """Read the authors of the most popular posts in a language (a primary subtag)."""
    command = ("ZRANGE", keys.hot_in_language(language), 0, WRITERS_FROM - 1, "REV")
    return read(command, lambda entries: frozenset(map(poster_of, entries)))


def spread_page(
    site: Site, viewer: int | None, found: Skeleton[str], filters: FilterSet = NO_FILTERS
) -> Timeline[Status]:
    """Return a page of hot posts that shows an author at most once in APART posts.

    Other posts of an author are left out, unless there are too few authors to fill the page: then
    they come last. Trips as `shared_page`.
    """
    size = site.config.page_size
    ranked = shared_page(site, viewer, found, filters, size=2 * size)
    return spread_authors(ranked, size, found.cursors or {})


def spread_authors(
    ranked: Timeline[Status], size: int, cursors: Mapping[int, int]
) -> Timeline[Status]:
    """Return the first `size` posts of a longer page, spread by their authors.

    `cursors`: of each id, unless the posts are in the order of ids, as the newest are.
    """
    shown, skipped = _spread(ranked.items, size)
    used = len(shown) + len(skipped)
    if len(shown) < size:
        shown, skipped = _spread(ranked.items[:size], size)
        used = len(shown) + len(skipped)
        shown += skipped
    last = ranked.items[used - 1].id if used < len(ranked.items) else None
    next_cursor = cursors.get(last, last) if last else ranked.next
    return replace(ranked, items=tuple(shown), next=next_cursor)


def _spread(posts: Sequence[Status], size: int) -> tuple[list[Status], list[Status]]:
    """Return `size` posts of authors who are APART from each other, and those passed over."""
    shown: list[Status] = []
    skipped: list[Status] = []
    for post in posts:
        recent = {one.author.uid for one in shown[-(APART - 1) :]}
        (skipped if post.author.uid in recent else shown).append(post)
        if len(shown) == size:
            break
    return shown, skipped
