"""The pull sources of homes: hashtags that a member follows, and authors who are not pushed.

The script that reads a home returns its sources. A process remembers those of each member, so that
the next page reads them in the same trip as the home.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import inf
from typing import Any

from webapp.config import Config
from webapp.core.store import Db, Read, Site, collect, constant, gather
from webapp.core.store.caches.process_cache import ProcessCache
from webapp.core.web import overfetch

from .pulled_entries import (
    AuthorPosts,
    TagEntries,
    author_posts,
    combine_posts,
    combine_tags,
    group_number,
    tag_page,
)


@dataclass(frozen=True, slots=True)
class Sources:
    """Names of followed hashtags and of groups, and uids of followed authors who are not pushed."""

    tags: tuple[str, ...] = ()
    authors: tuple[int, ...] = ()


NO_SOURCES = Sources()


@dataclass(frozen=True, slots=True)
class PullPages:
    """The newest entries of some sources, as far as they are read."""

    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    authors: Mapping[int, AuthorPosts] = field(default_factory=dict)

    def merged_with(self, other: PullPages) -> PullPages:
        """Return the pages of both."""
        return PullPages({**self.tags, **other.tags}, {**self.authors, **other.authors})

    def tag_entries(self, sources: Sources, config: Config, hidden: Set[int]) -> TagEntries:
        """Merge the entries of the sources' hashtags, without hidden authors."""
        pages = [self.tags[name] for name in sources.tags if name in self.tags]
        return combine_tags(pages, overfetch(config.page_size), hidden)

    def groups_of(self, entries: Sequence[str]) -> frozenset[int]:
        """Return the groups that some entries are in."""
        shown = set(entries)
        numbers = {name: group_number(name) for name in self.tags}
        return frozenset(
            gid for name, gid in numbers.items() if gid and not shown.isdisjoint(self.tags[name])
        )

    def author_posts(self, sources: Sources) -> AuthorPosts:
        """Merge the entries of the sources' authors."""
        return combine_posts(self.authors[uid] for uid in sources.authors if uid in self.authors)


NO_PAGES = PullPages()

_sources = ProcessCache[int, Sources](5_000)  # of members with any
_tag_pages = ProcessCache[tuple[str, int | None, int], Sequence[str]](1_000)
_author_posts = ProcessCache[tuple[int, int], AuthorPosts](1_000)  # newest pages only


def remembered_sources(db: Db, uid: int) -> Sources:
    """Return the sources of a member's home when this process last read it. No trip."""
    return _sources.get(db, (uid,), inf).get(uid, NO_SOURCES)


def remember_sources(db: Db, uid: int, sources: Sources) -> None:
    """Remember the sources of a member's home. No trip."""
    if sources == NO_SOURCES:
        _sources.remove(db, uid)
    elif sources != remembered_sources(db, uid):
        _sources.put(db, {uid: sources}, inf)


def with_cached_pages(
    site: Site, sources: Sources, before: int | None, pages: PullPages
) -> PullPages:
    """Return `pages` and those that this process read within `merged_seconds`. No trip."""
    names = [name for name in sources.tags if name not in pages.tags]
    uids = [uid for uid in sources.authors if uid not in pages.authors]
    if not names and not uids:
        return pages
    limit, size, max_age = (
        overfetch(site.config.page_size),
        site.config.page_size + 1,
        site.config.merged_seconds,
    )
    tags = _tag_pages.get(site.db, ((name, before, limit) for name in names), max_age)
    authors = _author_posts.get(
        site.db, ((uid, size) for uid in uids) if before is None else (), max_age
    )
    cached = PullPages(
        {name: page for (name, _, _), page in tags.items()},
        {uid: posts for (uid, _), posts in authors.items()},
    )
    return pages.merged_with(cached)


def missing_pages(
    site: Site, sources: Sources, before: int | None, pages: PullPages
) -> Read[PullPages]:
    """Read the sources below `before` that `pages` lacks; the result holds both.

    `db` only selects the cache that the pages are put into.
    """
    names = [name for name in sources.tags if name not in pages.tags]
    uids = [uid for uid in sources.authors if uid not in pages.authors]
    if not names and not uids:
        return constant(pages)
    limit, size = overfetch(site.config.page_size), site.config.page_size + 1

    def combine(results: tuple[Any, ...]) -> PullPages:
        tags = dict(zip(names, results[0], strict=True))
        authors = dict(zip(uids, results[1], strict=True))
        max_age = site.config.merged_seconds
        pages_of_tags = {(name, before, limit): page for name, page in tags.items()}
        _tag_pages.put(site.db, pages_of_tags, max_age)
        if before is None:
            posts_of_authors = {(uid, size): posts for uid, posts in authors.items()}
            _author_posts.put(site.db, posts_of_authors, max_age)
        return pages.merged_with(PullPages(tags, authors))

    return gather(
        collect(tag_page(name, before, limit) for name in names),
        collect(author_posts(uid, before, size) for uid in uids),
    ).map(combine)


def clear_tag_pages(db: Db) -> None:
    """Forget pages of hashtags, as an entry on them is gone. No trip."""
    _tag_pages.clear(db)
