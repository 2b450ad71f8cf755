"""Reading hot posts: of the site, of a language and of a hashtag."""

from __future__ import annotations

from webapp.config import Config
from webapp.core.site import Site
from webapp.core.store.reads import Read, read
from webapp.statuses.listings.pipeline import Skeleton
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.status import Status
from webapp.timelines.entries import poster_of
from webapp.timelines.shared import ranked_entries, shared_page

from . import keys
from .spread import spread_page

WRITERS_FROM = 200  # popular posts in a language whose authors are read
HOT_PAGE_SECONDS = 15  # a page for visitors is cached: likes alone never renew it


def hot_entries(
    config: Config, before: int | None = None, language: str = "", limit: int = 0
) -> Read[Skeleton[str]]:
    """Read the entries of a page of hot posts below the cursor `before`, the most popular first.

    `language`: a primary subtag such as `en`; "" for all. `limit`: entries to read at least. Give
    them to `shared_page`.
    """
    key = keys.hot_in_language(language) if language else keys.hot_statuses()
    return ranked_entries(config, key, before, limit)


def hot_tagged_entries(config: Config, name: str, before: int | None = None) -> Read[Skeleton[str]]:
    """Read the entries of a page of a hashtag's hot posts, by its folded name."""
    return ranked_entries(config, keys.hot_tagged(name), before)


def hot(
    site: Site, before: int | None = None, viewer: int | None = None, language: str = ""
) -> Timeline[Status]:
    """Return a page of hot posts. At most five trips: see `shared_page`."""
    return spread_page(site, viewer, site.db.read(hot_entries(site.config, before, language)))


def hot_tagged(
    site: Site, name: str, before: int | None = None, viewer: int | None = None
) -> Timeline[Status]:
    """Return a page of a hashtag's hot posts. At most five trips: see `shared_page`."""
    return shared_page(site, viewer, site.db.read(hot_tagged_entries(site.config, name, before)))


def hot_languages() -> Read[list[str]]:
    """Read the languages that have hot posts, the one with the latest popular post first."""
    return read(("ZRANGE", keys.hot_languages(), 0, -1, "REV"), list)


def writers(language: str) -> Read[frozenset[int]]:
    """Read the authors of the most popular posts in a language (a primary subtag)."""
    command = ("ZRANGE", keys.hot_in_language(language), 0, WRITERS_FROM - 1, "REV")
    return read(command, lambda entries: frozenset(map(poster_of, entries)))
